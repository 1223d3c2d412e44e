package jsontable

import (
	"io"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

const (
	warningsMost  = 64
	pollEvery     = 1024 // rows
	anyDatabase   = "*any*"
	tableInErrors = "json_table"
)

// rows are the rows of one document.
type rows struct {
	table   string
	columns []*target
	found   *json.TableRows
	diag    *types.Diagnostics
	context assign.Context
	n       uint64
}

// target is a column.
type target struct {
	opts           *plan.JSONTableColOpts
	whole          bool // JSON, which is kept as it is written
	number         bool // true is 1
	kind           types.Kind
	unsigned       bool
	text, integers *assign.Assigner
	empty, wrong   response
}

// response is what a column has where there is no value: a text, or NULL.
type response struct {
	text []byte
	null bool
}

// targets prepares the columns.
func (it *rows) targets(ctx *sql.Context, cols []plan.JSONTableCol, outer sql.Row) error {
	for i := range cols {
		c := &cols[i]
		if c.Opts == nil {
			if err := it.targets(ctx, c.NestedCols, outer); err != nil {
				return err
			}
			continue
		}
		t, err := targetOf(ctx, c.Opts)
		if err != nil {
			return err
		}
		if t.empty, err = responseOf(ctx, c.Opts.DefEmptyVal, outer); err != nil {
			return err
		}
		if t.wrong, err = responseOf(ctx, c.Opts.DefErrorVal, outer); err != nil {
			return err
		}
		it.columns = append(it.columns, t)
	}
	return nil
}

func responseOf(ctx *sql.Context, x sql.Expression, outer sql.Row) (r response, err error) {
	v, err := x.Eval(ctx, outer)
	if err != nil {
		return r, err
	}
	r.text, r.null, err = textOf(ctx, v)
	return r, err
}

func targetOf(ctx *sql.Context, opts *plan.JSONTableColOpts) (*target, error) {
	t := &target{opts: opts}
	if _, t.whole = opts.Type.(gmstypes.JsonType); t.whole {
		return t, nil
	}
	def, err := schema.ColumnToDef(ctx, &sql.Column{Name: opts.Name, Type: opts.Type, Nullable: true}, nil, nil)
	if err != nil {
		return nil, err
	}
	utf8mb4, _ := charset.ByName("utf8mb4_general_ci")
	if of, ok := opts.Type.(sql.StringType); ok && !gmstypes.IsBinaryType(of) {
		def.Collation = utf8mb4.ID() // as go-mysql-server has all texts
	}
	kept, unknown := relation.TypeOf(&def)
	if unknown != "" || kept.Kind == types.Timestamp || kept.Kind == types.Enum || kept.Kind == types.Set {
		return nil, mysqlerr.NotYet("JSON_TABLE with a column of type " + opts.Type.String())
	}
	t.kind, t.unsigned = kept.Kind, kept.Unsigned
	t.number = !kept.Kind.IsString() && !kept.Kind.Temporal() && !kept.Kind.Address()
	column := &assign.Column{Type: kept, Database: anyDatabase, Table: tableInErrors, Name: opts.Name}
	const long = 1 << 24
	if t.text, err = assign.New(0, column, assign.Source{Type: types.StringType(long, utf8mb4, charset.Coercible, false)}); err != nil {
		return nil, err
	}
	t.integers, err = assign.New(0, column, assign.Source{Type: types.BigintType(20, false)})
	return t, err
}

// Next implements sql.RowIter.
func (it *rows) Next(ctx *sql.Context) (sql.Row, error) {
	if it.n%pollEvery == 0 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	cells, err := it.found.Next()
	if err != nil {
		return nil, err
	}
	if cells == nil {
		return nil, io.EOF
	}
	it.n++
	it.context.Reset()
	it.context.Row = it.n
	out := make(sql.Row, len(cells))
	for i := range cells {
		if out[i], err = it.value(ctx, it.columns[i], &cells[i]); err != nil {
			return nil, err
		}
	}
	for _, c := range it.diag.Conditions {
		ctx.Session.Warn(&sql.Warning{Level: c.Level.String(), Code: int(c.Number), Message: c.Message})
	}
	it.diag.Reset(0)
	return out, nil
}

// Close implements sql.RowIter.
func (it *rows) Close(*sql.Context) error { return nil }

// value is what a column has of a cell.
func (it *rows) value(ctx *sql.Context, t *target, c *json.Cell) (any, error) {
	switch c.State {
	case json.CellNull:
		return nil, nil
	case json.CellNumber:
		return it.assigned(ctx, t, t.integers, types.Value{Int: c.Number})
	case json.CellEmpty:
		if t.opts.ErrorOnEmpty {
			return nil, mysqlerr.New(mysqlerr.JSONTableErrorOnField, t.opts.Name, it.table)
		}
		return it.respond(ctx, t, t.empty)
	case json.CellSeveral:
		return it.misfit(ctx, t, mysqlerr.JSONTableMultipleMatches)
	}
	switch {
	case t.whole:
		return string(c.Raw), nil
	case c.State == json.CellInside:
		return it.misfit(ctx, t, mysqlerr.JSONTableScalarExpected)
	case c.State == json.CellTruth && t.number:
		return it.assigned(ctx, t, t.integers, types.Value{Int: c.Number})
	}
	return it.assigned(ctx, t, t.text, types.Value{Text: c.Text})
}

// misfit is the value of a column where the document has one that cannot be it.
func (it *rows) misfit(ctx *sql.Context, t *target, number uint16) (any, error) {
	if t.opts.ErrorOnError {
		return nil, mysqlerr.New(number, t.opts.Name, it.table)
	}
	return it.respond(ctx, t, t.wrong)
}

func (it *rows) respond(ctx *sql.Context, t *target, r response) (any, error) {
	switch {
	case r.null:
		return nil, nil
	case t.whole:
		return string(r.text), nil
	}
	return it.assigned(ctx, t, t.text, types.Value{Text: r.text})
}

// assigned is a value as the column keeps it, in go-mysql-server's form.
func (it *rows) assigned(ctx *sql.Context, t *target, a *assign.Assigner, v types.Value) (any, error) {
	if t.whole { // a number in a JSON column
		return nil, mysqlerr.NotYet("JSON_TABLE with EXISTS as JSON")
	}
	kept, ok := a.Assign(&it.context, v)
	if !ok {
		return nil, it.diag.Failed()
	}
	if kept.Null {
		return nil, nil
	}
	switch k := t.kind; {
	case k == types.Date || k == types.Datetime:
		return momentOf(kept.Time), nil
	case k == types.Time:
		p := kept.Time.TimeParts()
		micros := int64(((p.Hour*60+p.Minute)*60+p.Second)*1_000_000 + p.Micro)
		if p.Negative {
			micros = -micros
		}
		return gmstypes.Timespan(micros), nil
	case k == types.Float || k == types.Double:
		return converted(ctx, t, kept.Float)
	case k == types.Decimal:
		return converted(ctx, t, string(kept.Dec.Append(nil)))
	case k.IsString():
		return converted(ctx, t, string(kept.Text))
	case k == types.Bit:
		return converted(ctx, t, uint64(kept.Int))
	}
	if t.unsigned {
		return converted(ctx, t, uint64(kept.Int))
	}
	return converted(ctx, t, kept.Int)
}

// momentOf is a date as go-mysql-server has it.
func momentOf(v temporal.Packed) time.Time {
	if v == 0 {
		return gmstypes.ZeroTime
	}
	p := v.DateParts()
	return time.Date(p.Year, time.Month(p.Month), p.Day, p.Hour, p.Minute, p.Second, p.Micro*1000, time.UTC)
}

func converted(ctx *sql.Context, t *target, v any) (any, error) {
	out, _, err := t.opts.Type.Convert(ctx, v)
	return out, err
}
