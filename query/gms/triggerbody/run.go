package triggerbody

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Builder builds the iterators of go-mysql-server's nodes.
type Builder interface {
	Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error)
}

// Run runs the body of a trigger for one row, the old and the new values if there are both, and returns the row as the body leaves it.
func Run(ctx *sql.Context, b Builder, body sql.Node, row sql.Row) (sql.Row, error) {
	r := &run{ctx: ctx, b: b, row: row}
	if err := r.statement(body); err != nil {
		return nil, err
	}
	return r.row, nil
}

// SetsNew reports whether a statement sets a column of the row.
func SetsNew(n sql.Node) bool {
	s, ok := n.(*plan.Set)
	if !ok {
		return false
	}
	for _, e := range s.Exprs {
		if setsColumn(e) {
			return true
		}
	}
	return false
}

// setsColumn reports whether an assignment of a SET is one of a column.
func setsColumn(e sql.Expression) bool {
	set, ok := e.(*expression.SetField)
	if !ok {
		return false
	}
	_, ok = set.LeftChild.(*expression.GetField)
	return ok
}

// run is one run of a body.
type run struct {
	ctx     *sql.Context
	b       Builder
	row     sql.Row
	cursors map[string]*plan.DeclareCursor
}

// jump is how LEAVE and ITERATE go up to the block with their label.
type jump struct {
	label string
	again bool
}

// Error implements error. Labels are looked up when the trigger is made, so that nobody sees it.
func (j *jump) Error() string { return "no block is labeled " + j.label }

// leaves reports whether an error is a jump to a label.
func leaves(err error, label string) (j *jump, is bool) {
	return j, errors.As(err, &j) && strings.EqualFold(j.label, label)
}

func (r *run) statement(n sql.Node) error {
	switch n := n.(type) {
	case *plan.TriggerBeginEndBlock:
		return r.block(n.BeginEndBlock)
	case *plan.BeginEndBlock:
		return r.block(n)
	case *plan.Block:
		return r.statements(n.Children())
	case *plan.IfElseBlock:
		return r.branch(n, func(condition sql.Expression) (bool, error) { return r.holds(condition) })
	case plan.ElseCaseError:
		return mysqlerr.New(mysqlerr.SPCaseNotFound)
	case *plan.Loop:
		return r.loop(n)
	case *plan.While:
		return r.loop(n.Loop)
	case *plan.Repeat:
		return r.loop(n.Loop)
	case *plan.Leave:
		return &jump{label: n.Label}
	case *plan.Iterate:
		return &jump{label: n.Label, again: true}
	case *plan.DeclareVariables:
		return r.declare(n)
	case *plan.Set:
		return r.set(n.Exprs)
	case *plan.Into:
		return r.into(n)
	case *plan.DeclareCursor:
		return r.declareCursor(n)
	case *plan.Open:
		return r.open(n)
	case *plan.Fetch:
		return r.fetch(n)
	case *plan.CaseStatement, *plan.DeclareHandler: // which parse does away with
		return mysqlerr.NotYet(fmt.Sprintf("%T in a trigger", n))
	}
	whole, err := prepended(r.ctx, n, r.row)
	if err != nil {
		return err
	}
	_, err = r.rows(whole)
	return err
}

// rows runs a node and returns what it yields.
func (r *run) rows(n sql.Node) ([]sql.Row, error) {
	iter, err := r.b.Build(r.ctx, n, r.row)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for {
		row, err := iter.Next(r.ctx)
		var ignored sql.IgnorableError
		switch {
		case errors.Is(err, io.EOF):
			return rows, iter.Close(r.ctx)
		case errors.As(err, &ignored): // of INSERT IGNORE
		case err != nil:
			return nil, errors.Join(err, iter.Close(r.ctx))
		default:
			rows = append(rows, row)
		}
	}
}

func (r *run) statements(all []sql.Node) error {
	for _, n := range all {
		sql.SessionCommandSafepoint(r.ctx.Session)
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.statement(n); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) block(n *plan.BeginEndBlock) error {
	if n.Pref != nil {
		n.Pref.PushScope()
	}
	err := r.statements(n.Children())
	if j, is := leaves(err, n.Label); is && !j.again {
		err = nil
	}
	if n.Pref != nil {
		if popped := n.Pref.PopScope(r.ctx); err == nil {
			err = popped
		}
	}
	return err
}

func (r *run) holds(condition sql.Expression) (bool, error) {
	v, err := condition.Eval(r.ctx, r.row)
	if err != nil || v == nil {
		return false, err
	}
	return sql.ConvertToBool(r.ctx, v)
}

// branch runs the first branch that is taken, or ELSE.
func (r *run) branch(n *plan.IfElseBlock, taken func(sql.Expression) (bool, error)) error {
	for _, c := range n.IfConditionals {
		yes, err := taken(c.Condition)
		if err != nil {
			return err
		}
		if yes {
			return r.statement(c.Body)
		}
	}
	return r.statement(n.Else)
}

func (r *run) loop(n *plan.Loop) error {
	for first := true; ; first = false {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if !first || !n.OnceBeforeEval {
			if yes, err := r.holds(n.Condition); err != nil || !yes {
				return err
			}
		}
		err := r.statements(n.Block.Children())
		if j, is := leaves(err, n.Label); is {
			if !j.again {
				return nil
			}
			err = nil
		}
		if err != nil {
			return err
		}
	}
}

// declare makes variables, which are NULL until they are set to their DEFAULT.
func (r *run) declare(n *plan.DeclareVariables) error {
	var sets []sql.Expression
	for _, name := range n.Names {
		if err := n.Pref.InitializeVariable(r.ctx, name, n.Type, nil); err != nil {
			return err
		}
		if d := n.DefaultVal; d != nil && d.Expr != nil {
			v := expression.NewProcedureParam(strings.ToLower(name), n.Type).WithParamReference(n.Pref)
			value, err := r.referring(d.Expr, n.Pref)
			if err != nil {
				return err
			}
			sets = append(sets, expression.NewSetField(v, value))
		}
	}
	return r.set(sets)
}

// settling is an expression that is told, once its plan is bound, who computes it.
type settling interface {
	Settled(ctx *sql.Context, in *column.Arguments) (sql.Expression, error)
}

// referring has the variables and columns in the DEFAULT of a variable refer to those of the body; no rule of the analyzer has come to it.
func (r *run) referring(e sql.Expression, to *expression.ProcedureReference) (sql.Expression, error) {
	ctx := r.ctx
	s, ok := ctx.Session.(column.TriggerSession)
	if !ok || s.TriggerRow() == nil {
		return e, nil
	}
	in, schema := column.ArgumentsOf(ctx, s.TriggerRow()), s.TriggerRow().Schema(ctx)
	before := len(r.row) - len(schema) // rows of other statements
	out, _, err := transform.Expr(ctx, e, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch x := e.(type) {
		case *expression.ProcedureParam:
			return x.WithParamReference(to), transform.NewTree, nil
		case *expression.GetField:
			at := schema.IndexOf(x.Name(), x.Table())
			if at < 0 || before < 0 {
				return nil, transform.SameTree, mysqlerr.NotYet("such a DEFAULT in a trigger; SET the variable")
			}
			return x.WithIndex(before + at), transform.NewTree, nil
		case settling:
			settled, err := x.Settled(ctx, in)
			return settled, transform.NewTree, err
		}
		return e, transform.SameTree, nil
	})
	return out, err
}

// set runs the assignments one after the other: each sees what those before it have set.
func (r *run) set(all []sql.Expression) error {
	for _, e := range all {
		e, err := r.userVariable(e)
		if err != nil {
			return err
		}
		rows, err := r.rows(plan.NewSet([]sql.Expression{e}))
		if err != nil {
			return err
		}
		if setsColumn(e) && len(rows) == 1 {
			r.row = rows[0][len(rows[0])/2:]
		}
	}
	return nil
}

// userVariable gives a user variable what it keeps of a column or variable: a text of a date or a member of ENUM and SET, and a DOUBLE of a FLOAT.
func (r *run) userVariable(e sql.Expression) (sql.Expression, error) {
	set, ok := e.(*expression.SetField)
	if !ok {
		return e, nil
	}
	if _, ok = set.LeftChild.(*expression.UserVar); !ok {
		return e, nil
	}
	switch set.RightChild.(type) {
	case *expression.GetField, *expression.ProcedureParam, *fetched:
	default:
		return e, nil
	}
	t := set.RightChild.Type(r.ctx)
	float, spelled := t == types.Float32, types.IsEnum(t) || types.IsSet(t) || types.IsTime(t) || types.IsTimespan(t)
	if !float && !spelled {
		return e, nil
	}
	v, err := set.RightChild.Eval(r.ctx, r.row)
	if err != nil || v == nil {
		return e, err
	}
	if span, ok := v.(types.Timespan); ok {
		if int64(span)%int64(time.Second/time.Microsecond) != 0 {
			return nil, mysqlerr.NotYet("a TIME with a fraction for a user variable, in a trigger; CAST it")
		}
		return expression.NewSetField(set.LeftChild, expression.NewLiteral(span.String(), types.LongText)), nil
	}
	if float {
		v, _, err = types.Float64.Convert(r.ctx, v)
		return expression.NewSetField(set.LeftChild, expression.NewLiteral(v, types.Float64)), err
	}
	text, err := t.SQL(r.ctx, nil, v)
	return expression.NewSetField(set.LeftChild, expression.NewLiteral(text.ToString(), types.LongText)), err
}

// receive sets variables to the values of a row of a query, in front of which there may be the trigger's.
func (r *run) receive(variables []sql.Expression, schema sql.Schema, row sql.Row) error {
	if len(row) < len(schema) {
		return mysqlerr.NotYet("such a query in a trigger")
	}
	row = row[len(row)-len(schema):]
	sets := make([]sql.Expression, len(variables))
	for i, v := range variables {
		sets[i] = expression.NewSetField(v, &fetched{row[i], schema[i].Type})
	}
	return r.set(sets)
}

// into is SELECT ... INTO variables: without a row they stay as they are.
func (r *run) into(n *plan.Into) error {
	if n.Outfile != "" || n.Dumpfile != "" {
		return mysqlerr.NotYet("SELECT ... INTO a file in a trigger")
	}
	whole, err := prepended(r.ctx, n, r.row)
	if err != nil {
		return err
	}
	query := whole.(*plan.Into).Child
	rows, err := r.rows(query)
	switch {
	case err != nil:
		return err
	case len(rows) > 1:
		return mysqlerr.New(mysqlerr.TooManyRows)
	case len(rows) == 0:
		return nil
	}
	schema := query.Schema(r.ctx)
	if len(schema) != len(n.IntoVars) {
		return mysqlerr.New(mysqlerr.WrongNumberOfColumnsInSelect)
	}
	return r.receive(n.IntoVars, schema, rows[0])
}

func (r *run) declareCursor(n *plan.DeclareCursor) error {
	if r.cursors == nil {
		r.cursors = map[string]*plan.DeclareCursor{}
	}
	r.cursors[strings.ToLower(n.Name)] = n
	_, err := r.rows(n)
	return err
}

// open opens a cursor, whose query sees the row as it is now.
func (r *run) open(n *plan.Open) error {
	declared := r.cursors[strings.ToLower(n.Name)]
	if declared == nil {
		return mysqlerr.New(mysqlerr.SPCursorMismatch, n.Name)
	}
	whole, err := prepended(r.ctx, declared, r.row)
	if err != nil {
		return err
	}
	query := whole.(*plan.DeclareCursor).Select
	for scope := n.Pref.InnermostScope; scope != nil; scope = scope.Parent {
		cursor, ok := scope.Cursors[strings.ToLower(n.Name)]
		if !ok {
			continue
		}
		if cursor.RowIter != nil {
			return mysqlerr.New(mysqlerr.SPCursorAlreadyOpen)
		}
		cursor.RowIter, err = r.b.Build(r.ctx, query, r.row)
		return err
	}
	return mysqlerr.New(mysqlerr.SPCursorMismatch, n.Name)
}

func (r *run) fetch(n *plan.Fetch) error {
	row, schema, err := n.Pref.FetchCursor(r.ctx, n.Name)
	switch {
	case errors.Is(err, io.EOF):
		return mysqlerr.New(mysqlerr.SPFetchNoData)
	case err != nil:
		return err
	case len(schema) != len(n.ToSet):
		return mysqlerr.New(mysqlerr.SPWrongNoOfFetchArgs)
	}
	return r.receive(n.ToSet, schema, row)
}
