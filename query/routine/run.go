package routine

import (
	"context"
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// Host is the session in which procedures run.
type Host interface {
	// Execute runs the first statement of a text.
	Execute(ctx context.Context, text Text, sink result.Sink) error
	// Values computes expressions that read no rows; ok is false if they are not understood.
	Values(ctx context.Context, list []tree.Expr) (values []types.Value, kinds []types.Type, ok bool, err error)
	// Assigning is how values of the statement are stored, and the frame's mode.
	Assigning(ctx context.Context) (types.Mode, *assign.Context, error)
	// Note gives the session the conditions of d.
	Note(d *types.Diagnostics)
	// SetUserVariable gives a user variable a value.
	SetUserVariable(name string, v types.Value, t types.Type) error
	// Count is told how many rows a SELECT INTO has had, for ROW_COUNT(); RowCount is what that says.
	Count(rows int)
	RowCount() int64
	// Quietly runs f, after which FOUND_ROWS() and ROW_COUNT() are what they were. The texts of results have the character sets of their columns.
	Quietly(f func() error) error
	// Procedure is a procedure that the user may run, and the function that begins its run, whose result ends it.
	Procedure(ctx context.Context, db, name string) (*Procedure, error)
	// Error is what a client would be told.
	Error(ctx context.Context, err error) *mysqlerr.Error
}

// Procedure is a stored procedure.
type Procedure struct {
	DB, Name string
	Text     string
	Tree     *tree.CreateRoutine
	// Enter begins a run: with the privileges, the database and the sql_mode of the procedure. leave ends it.
	Enter func() (leave func(), err error)
}

// run is the run of one procedure.
type run struct {
	*session.Session
	host Host
	ctx  context.Context
	proc *Procedure
	sink result.Sink
	// affected are the rows that its statements have affected together.
	affected uint64
	// handled are the errors whose handlers are running, the innermost last.
	handled []*mysqlerr.Error
	// signalled is the warning of the SIGNAL that has just run.
	signalled *mysqlerr.Error
	database  *charset.Collation
	calls     *Calls
}

// jump is where a statement goes on, if not behind itself.
type jump struct {
	leaves  *scope // EXIT
	label   string // LEAVE and ITERATE
	iterate bool
}

// unhandled is an error for which all handlers were asked.
type unhandled struct{ error }

func (u unhandled) Unwrap() error { return u.error }

// statement runs a statement, and the handlers of what it meets.
func (r *run) statement(n tree.Statement, sc *scope) (*jump, error) {
	if r.ctx.Err() != nil {
		return nil, unhandled{context.Cause(r.ctx)}
	}
	if isSimple(n) {
		r.Warnings.Keep()
	}
	j, err := r.execute(n, sc)
	var passed unhandled
	switch {
	case err == nil && j == nil && isSimple(n):
		return r.warned(sc)
	case err == nil || errors.As(err, &passed):
		return j, err
	case r.ctx.Err() != nil:
		return nil, unhandled{err}
	}
	return r.raise(event{err: r.host.Error(r.ctx, err)}, sc)
}

// isSimple reports whether a statement has no others in it.
func isSimple(n tree.Statement) bool {
	switch n.(type) {
	case *tree.Block, *tree.If, *tree.Case, *tree.Loop, *tree.For, *tree.Jump:
		return false
	}
	return true
}

func (r *run) execute(n tree.Statement, sc *scope) (*jump, error) {
	switch n := n.(type) {
	case *tree.Block:
		return r.block(n, sc)
	case *tree.If:
		return r.branches(n, sc)
	case *tree.Case:
		return r.cases(n, sc)
	case *tree.Loop:
		return r.loop(n, sc)
	case *tree.For:
		return r.forLoop(n, sc)
	case *tree.Jump:
		return &jump{label: n.Label.Text, iterate: n.Iterate}, nil
	case *tree.Set:
		return nil, r.set(n, sc)
	case *tree.Select:
		if into, ok := n.Into.(*tree.IntoVariables); ok {
			return nil, r.selectInto(n, into, sc)
		}
	case *tree.CallRoutine:
		return nil, r.call(n, sc)
	case *tree.OpenCursor:
		return nil, r.open(n, sc)
	case *tree.FetchCursor:
		return nil, r.fetch(n, sc)
	case *tree.CloseCursor:
		return nil, r.close(n, sc)
	case *tree.Signal:
		return nil, r.signal(n, sc)
	case *tree.Prepare:
		text, err := r.dynamic(n.Text, sc)
		if err != nil {
			return nil, err
		}
		return nil, r.simple(&tree.Prepare{Name: n.Name, Text: text}, sc)
	case *tree.ExecuteImmediate:
		text, err := r.dynamic(n.Text, sc)
		if err != nil {
			return nil, err
		}
		return nil, r.simple(&tree.ExecuteImmediate{Text: text, Using: n.Using}, sc)
	case *tree.Diagnostics:
		return nil, r.diagnostics(n, sc)
	case *tree.Return:
		return nil, mysqlerr.NotYet("this statement in a procedure")
	}
	return nil, r.simple(n, sc)
}

// simple runs a statement as it is, but for the values of variables. Its rows are the client's.
func (r *run) simple(n tree.Statement, sc *scope) error {
	text, err := inText(n, sc, r.proc.Text)
	if err != nil {
		return err
	}
	out := &toClient{Sink: result.Followed(r.sink, true)}
	err = r.host.Execute(r.ctx, text, out)
	r.affected += out.affected
	return err
}

// dynamic is the text of a statement that is put together when it runs.
func (r *run) dynamic(x tree.Expr, sc *scope) (tree.Expr, error) {
	v, t, err := r.value(x, sc)
	if err != nil {
		return nil, err
	}
	if v.Null {
		return &tree.NullLit{}, nil
	}
	text, err := r.textOf(v, t)
	return &tree.TextLit{Value: text}, err
}

// toClient passes on rows, and counts what OKs say.
type toClient struct {
	result.Sink
	affected uint64
}

// OK implements result.Sink.
func (c *toClient) OK(ok result.OK) error {
	c.affected += ok.AffectedRows
	return nil
}

func (r *run) block(n *tree.Block, sc *scope) (*jump, error) {
	sc = inner(sc)
	defer sc.closeCursors(r)
	for _, d := range n.Declarations {
		if err := r.declare(d, sc); err != nil {
			return r.failed(err, sc)
		}
	}
	j, err := r.body(n.Body, sc)
	if err != nil || j == nil || j.leaves == sc || !j.iterate && j.leaves == nil && isLabel(n.Label, j.label) {
		return nil, err
	}
	return j, nil
}

// failed is the end of something that has run in a scope, and failed.
func (r *run) failed(err error, sc *scope) (*jump, error) {
	var passed unhandled
	if errors.As(err, &passed) || r.ctx.Err() != nil {
		return nil, unhandled{err}
	}
	j, err := r.raise(event{err: r.host.Error(r.ctx, err)}, sc)
	if j != nil && j.leaves == sc {
		j = nil
	}
	return j, err
}

func (r *run) body(list []tree.Statement, sc *scope) (*jump, error) {
	for _, n := range list {
		if j, err := r.statement(n, sc); err != nil || j != nil {
			return j, err
		}
	}
	return nil, nil
}

func isLabel(n tree.Ident, label string) bool {
	return n.Text != "" && strings.EqualFold(n.Text, label)
}

func (r *run) declare(d tree.Declaration, sc *scope) error {
	switch d := d.(type) {
	case *tree.DeclareVariables:
		return r.declareVariables(d, sc)
	case *tree.DeclareCondition:
		c, err := conditionOf(d.Value, sc)
		if sc.conditions == nil {
			sc.conditions = map[string]condition{}
		}
		sc.conditions[strings.ToLower(d.Name.Text)] = c
		return err
	case *tree.DeclareCursor:
		if len(d.Params) > 0 {
			return mysqlerr.NotYet("a cursor with parameters")
		}
		if sc.cursors == nil {
			sc.cursors = map[string]*cursor{}
		}
		sc.cursors[strings.ToLower(d.Name.Text)] = &cursor{query: d.Query}
	case *tree.DeclareHandler:
		h := &handler{exit: strings.EqualFold(d.Action, "EXIT"), body: d.Body}
		if !h.exit && !strings.EqualFold(d.Action, "CONTINUE") {
			return mysqlerr.NotYet("an UNDO handler")
		}
		for _, n := range d.For {
			c, err := conditionOf(n, sc)
			if err != nil {
				return err
			}
			h.on = append(h.on, c)
		}
		sc.handlers = append(sc.handlers, h)
	}
	return nil
}

// quietly runs a query whose rows no client gets.
func (r *run) quietly(text Text, into *captured) error {
	return r.host.Quietly(func() error { return r.host.Execute(r.ctx, text, into) })
}

// holds reports whether a condition is true.
func (r *run) holds(x tree.Expr, sc *scope) (bool, error) {
	if x == nil {
		return true, nil
	}
	v, _, err := r.value(condOf(x), sc)
	return v.Int == 1 && !v.Null, err
}

// condOf is IF(x, 1, 0).
func condOf(x tree.Expr) tree.Expr { return filled("IF(x, 1, 0)", map[string]tree.Expr{"x": x}) }

// equal is a = b.
func equal(a, b tree.Expr) tree.Expr {
	return filled("(a) = (b)", map[string]tree.Expr{"a": a, "b": b})
}

// filled is an expression with others in the places of its names.
func filled(text string, with map[string]tree.Expr) tree.Expr {
	n, _, err := grammar.Parse("SELECT "+text, grammar.Options{})
	if err != nil {
		panic(err) // it is written here
	}
	return tree.Rewrite(n.(*tree.Select).Items[0].X, func(n tree.Node) tree.Node {
		if c, ok := n.(*tree.ColumnRef); ok {
			return with[c.Name.Text]
		}
		return n
	}).(tree.Expr)
}

// branches runs the first branch whose condition holds.
func (r *run) branches(n *tree.If, sc *scope) (*jump, error) {
	for _, b := range n.Branches {
		ok, err := r.holds(b.When, sc)
		if err != nil {
			return nil, err
		}
		if ok {
			return r.body(b.Body, sc)
		}
	}
	return nil, nil
}

func (r *run) cases(n *tree.Case, sc *scope) (*jump, error) {
	for _, b := range n.Branches {
		if b.When != nil {
			when := b.When
			if n.Operand != nil {
				when = equal(n.Operand, when)
			}
			ok, err := r.holds(when, sc)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		return r.body(b.Body, sc)
	}
	return nil, mysqlerr.New(mysqlerr.SPCaseNotFound)
}

func (r *run) loop(n *tree.Loop, sc *scope) (*jump, error) {
	for {
		if r.ctx.Err() != nil {
			return nil, unhandled{context.Cause(r.ctx)}
		}
		if n.Kind == "WHILE" {
			if ok, err := r.holds(n.Cond, sc); err != nil || !ok {
				return nil, err
			}
		}
		j, err := r.body(n.Body, sc)
		if err != nil {
			return nil, err
		}
		if j != nil {
			if j.leaves != nil || !isLabel(n.Label, j.label) {
				return j, nil
			}
			if !j.iterate {
				return nil, nil
			}
		}
		if n.Kind == "REPEAT" && j == nil {
			if ok, err := r.holds(n.Cond, sc); err != nil || ok {
				return nil, err
			}
		}
	}
}
