package semantics

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// storeJSON stores in a JSON column, which is a text with a constraint of its own.
func (t *target) storeJSON(v any, from sql.Type, to schema.JSON) (any, error) {
	v, err := t.storeText(v, from, to.StringType)
	if err != nil {
		return nil, err
	}
	if v, _, err = to.StringType.Convert(t.ctx, v); err != nil {
		return nil, err
	}
	text, ok := v.(string)
	if !ok || checksOff(t.ctx) || json.Valid([]byte(text)) {
		return v, nil
	}
	return nil, t.noJSON()
}

// zero is what NULL becomes in the column; JSON has none, and its constraint fails.
func (t *target) zero() (any, error) {
	if schema.IsJSON(t.column.Type) && !checksOff(t.ctx) {
		return nil, t.noJSON()
	}
	return zero(t.column.Type), nil
}

// noJSON is the error of what is no JSON for a column.
func (t *target) noJSON() error {
	s := function.SessionOf(t.ctx)
	if s == nil {
		return sql.ErrInvalidJSONText.New(t.column.Name)
	}
	if stored, ignore := s.Storing(); stored && ignore {
		return mysqlerr.NotYet("what is no JSON for a JSON column, with IGNORE, in a statement of several tables")
	}
	const check = "\x00" // goes before the table's and the column's name (package tables)
	return sql.ErrCheckConstraintViolated.New(check + t.column.Source + check + t.column.Name)
}
