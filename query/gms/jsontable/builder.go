package jsontable

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Builder builds JSON_TABLE.
type Builder struct{}

// Build implements sql.NodeExecBuilder: nil leaves the node to the next one.
func (Builder) Build(ctx *sql.Context, n sql.Node, outer sql.Row) (sql.RowIter, error) {
	t, ok := n.(*plan.JSONTable)
	if !ok {
		return nil, nil //nolint:nilnil // see above
	}
	table, err := json.NewTable(t.RootPath, columnsOf(t.Cols))
	if err != nil {
		return nil, err
	}
	it := &rows{table: t.TableName, diag: &types.Diagnostics{Most: warningsMost}}
	it.context.Diag = it.diag
	if err := it.targets(ctx, t.Cols, outer); err != nil {
		return nil, err
	}
	if of, ok := t.DataExpr.Type(ctx).(sql.StringType); ok && of.CharacterSet().MaxLength() > 1 && !strings.HasPrefix(of.CharacterSet().Name(), "utf8") {
		return nil, mysqlerr.NotYet("JSON_TABLE in character set " + of.CharacterSet().Name())
	}
	doc, err := t.DataExpr.Eval(ctx, outer)
	if err != nil {
		return nil, err
	}
	text, null, err := textOf(ctx, doc)
	if err != nil {
		return nil, err
	}
	if null {
		return sql.RowsToRowIter(), nil
	}
	it.found = table.Rows(text)
	return it, nil
}

func columnsOf(cols []plan.JSONTableCol) []json.TableColumn {
	out := make([]json.TableColumn, len(cols))
	for i, c := range cols {
		if c.Opts == nil {
			out[i] = json.TableColumn{Path: c.Path, Nested: columnsOf(c.NestedCols)}
		} else {
			out[i] = json.TableColumn{Path: c.Path, Ordinality: c.Opts.ForOrd, Exists: c.Opts.Exists}
		}
	}
	return out
}

// textOf is a value as text in UTF-8.
func textOf(ctx *sql.Context, v any) (text []byte, null bool, err error) {
	v, err = sql.UnwrapAny(ctx, v)
	if err != nil || v == nil {
		return nil, true, err
	}
	switch v := v.(type) {
	case string:
		return []byte(v), false, nil
	case []byte:
		return v, false, nil
	case gmstypes.JSONBytes:
		text, err = v.GetBytes(ctx)
		return text, false, err
	case sql.JSONWrapper:
		s, err := gmstypes.JsonToMySqlString(ctx, v)
		return []byte(s), false, err
	}
	s, _, err := gmstypes.LongText.Convert(ctx, v)
	if err != nil {
		return nil, false, err
	}
	converted, ok := s.(string)
	if !ok {
		return nil, false, fmt.Errorf("%T is no text", s)
	}
	return []byte(converted), false, nil
}
