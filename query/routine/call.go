package routine

import (
	"context"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Calls are the running calls of a session's procedures.
type Calls struct {
	running map[string]int
	depth   int
}

// depthMost is how deep calls may lie within each other. MariaDB's bound is its thread's stack: about 70 with its defaults.
const depthMost = 128

// enter begins a call, and returns the function that ends it.
func (c *Calls) enter(p *Procedure, recursionMost uint64) (leave func(), err error) {
	if c.depth >= depthMost {
		return nil, mysqlerr.Newf(mysqlerr.StackOverrunNeedMore, "Thread stack overrun: routines and triggers are nested deeper than %d levels", depthMost)
	}
	key := p.DB + "." + strings.ToLower(p.Name)
	if uint64(c.running[key]) > recursionMost {
		return nil, mysqlerr.New(mysqlerr.SPRecursionLimit, recursionMost, p.Name)
	}
	if c.running == nil {
		c.running = map[string]int{}
	}
	c.running[key]++
	c.depth++
	return func() {
		c.running[key]--
		c.depth--
	}, nil
}

// Call runs CALL in a session and gives what its statements answer to sink, in order, but for OKs. affected are the rows that they have affected
// together.
func Call(ctx context.Context, s *session.Session, host Host, calls *Calls, n *tree.CallRoutine, text string, sink result.Sink) (affected uint64, err error) {
	r := &run{Session: s, host: host, ctx: ctx, sink: sink, proc: &Procedure{Text: text}, calls: calls}
	err = r.call(n, &scope{})
	if u, ok := err.(unhandled); ok { //nolint:errorlint // it is the outermost one
		err = u.error
	}
	return r.affected, err
}

// argument is a parameter of a call.
type argument struct {
	inner *variable
	out   func(v *variable) error // gives its value back; nil of IN
}

// call is CALL.
func (r *run) call(n *tree.CallRoutine, sc *scope) error {
	if n.Package.Text != "" {
		return mysqlerr.NotYet("a procedure of a package")
	}
	db := n.DB.Text
	if db == "" {
		if db = r.DB(); db == "" {
			return mysqlerr.New(mysqlerr.NoDB)
		}
	}
	p, err := r.host.Procedure(r.ctx, db, n.Name.Text)
	if err != nil {
		return err
	}
	if len(n.Args) != len(p.Tree.Params) {
		return mysqlerr.New(mysqlerr.SPWrongNoOfArgs, "PROCEDURE", p.DB+"."+p.Name, len(p.Tree.Params), len(n.Args))
	}
	end, err := r.calls.enter(p, r.Vars.Uint("max_sp_recursion_depth"))
	if err != nil {
		return err
	}
	defer end()
	args, err := r.arguments(p, n, sc)
	if err != nil {
		return err
	}
	leave, err := p.Enter()
	if err != nil {
		return err
	}
	affected, err := r.runBody(p, args)
	leave()
	r.affected += affected
	if err != nil {
		return err
	}
	for _, a := range args {
		if a.out != nil {
			if err := a.out(a.inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// runBody runs a procedure that was entered.
func (r *run) runBody(p *Procedure, args []argument) (affected uint64, err error) {
	own := &run{Session: r.Session, host: r.host, ctx: r.ctx, sink: r.sink, proc: p, calls: r.calls}
	if own.database, err = own.databaseCollation(); err != nil {
		return 0, err
	}
	sc := &scope{}
	for i, a := range args {
		param := p.Tree.Params[i]
		given := *a.inner
		if a.inner.t, err = typeOf(param.Type, own.database); err != nil {
			return 0, err
		}
		a.inner.name, a.inner.value = param.Name.Text, types.Value{Null: true}
		if !strings.EqualFold(param.Mode, "OUT") {
			if err := own.assign(a.inner, given.value, given.t); err != nil {
				return 0, err
			}
		}
		sc.declare(a.inner)
	}
	j, err := own.statement(p.Tree.Body, sc)
	if err == nil && j != nil && j.leaves == nil {
		err = mysqlerr.NotYet("LEAVE of what is not around it")
	}
	return own.affected, err
}

func (r *run) databaseCollation() (*charset.Collation, error) {
	name := r.Vars.Str("collation_database")
	c, ok := charset.ByName(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownCollation, name)
	}
	return c, nil
}

// arguments are those of a call, computed where it stands.
func (r *run) arguments(p *Procedure, n *tree.CallRoutine, sc *scope) ([]argument, error) {
	out := make([]argument, len(n.Args))
	for i, x := range n.Args {
		mode := strings.ToUpper(p.Tree.Params[i].Mode)
		if mode == "OUT" || mode == "INOUT" {
			if out[i].out = r.target(x, sc); out[i].out == nil {
				return nil, mysqlerr.New(mysqlerr.SPNotVarArg, i+1, p.DB+"."+p.Name)
			}
		}
		value, t := types.Value{Null: true}, types.NullType()
		if mode != "OUT" {
			var err error
			if value, t, err = r.value(x, sc); err != nil {
				return nil, err
			}
			t = hybrid(x, t)
		}
		out[i].inner = &variable{t: t, value: value}
	}
	return out, nil
}

// target gives an argument the value of an OUT parameter; nil: it is no variable.
func (r *run) target(x tree.Expr, sc *scope) func(v *variable) error {
	switch x := x.(type) {
	case *tree.UserVariable:
		return func(v *variable) error { return r.setUser(x.Name, v.value, v.t) }
	case *tree.ColumnRef:
		if to := sc.named(x); to != nil {
			return func(v *variable) error { return r.assign(to, v.value, v.t) }
		}
	}
	return nil
}
