package native

import (
	"bytes"
	"context"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types"
)

// assigned is a user variable as it was before a statement that sets it.
type assigned struct {
	name  string
	value types.Value
	t     types.Type
}

// assigned are the variables that the statement sets.
func (b *binding) assigned() (out []assigned) {
	for name := range b.binder.Assigned {
		if v, t, ok := b.Rest.UserVariable(name); ok {
			out = append(out, assigned{name, v, t})
		}
	}
	return out
}

// restore gives the variables that the statement sets the values of before, for another attempt.
func (st *Statement) restore() {
	for _, a := range st.assigned {
		if err := st.session.Rest.SetUserVariable(a.name, a.value, a.t); err != nil {
			st.frame.FailWith(err)
		}
	}
}

// into notes the user variables that get the items of a SELECT INTO.
func (b *binding) into(st *Statement, n *tree.Select, into *tree.IntoVariables) error {
	if len(into.Targets) != len(st.plan.Items) {
		return mysqlerr.New(mysqlerr.WrongNumberOfColumnsInSelect)
	}
	for i, item := range st.plan.Items {
		st.into = append(st.into, b.binder.SetVariable(into.Targets[i].(*tree.UserVariable).Name, item.X))
	}
	b.endsWithInto(st, n, into.Start)
	st.info.Result = false
	return nil
}

// endsWithInto warns of an INTO behind other clauses, which begins at a byte of the text.
func (b *binding) endsWithInto(st *Statement, n *tree.Select, start int32) {
	last := n.Items[len(n.Items)-1]
	if between := strings.TrimSpace(st.info.Text[last.End:start]); between != "" && !strings.EqualFold(between, "INTO") {
		b.frame.Warn(mysqlerr.WarnDeprecatedSyntax, "<select expression> INTO <destination>;", "'SELECT <select list> INTO <destination> FROM...'")
		st.bound = len(b.frame.Diag.Conditions)
	}
}

// setVariables gives the variables of a SELECT INTO the values of the frame's row, which must be the only one.
func (o *output) setVariables() error {
	if o.count > 0 {
		return mysqlerr.New(mysqlerr.TooManyRows)
	}
	o.count++
	f := o.st.frame
	for _, x := range o.st.into {
		x.Compute(f)
		if err := f.Diag.Failed(); err != nil {
			return err
		}
	}
	return nil
}

// selected is the end of a SELECT, whose error is err: one that has found no row for variables warns.
func (st *Statement) selected(o *output, err error) error {
	if err == nil && st.into != nil && o.count == 0 {
		st.frame.Warn(mysqlerr.SPFetchNoData)
	}
	return err
}

// sendCount ends a SELECT INTO, which answers how many rows there were.
func (o *output) sendCount(more bool) error {
	s := o.st.session
	if o.count > 0 || o.file != nil {
		s.Rest.Changed(uint64(o.count))
	}
	return s.SendOK(o.sink, result.OK{AffectedRows: uint64(o.count)}, more)
}

// value is an expression of a DO, or one of a SET with the variable that gets its value.
type value struct {
	x      *eval.Expr // nil: DEFAULT
	name   string
	t      types.Type
	system *sysvar.Def // a system variable; nil: a user variable
	part   string      // of the system variable; empty: the plain name
	global bool
}

// effect makes a DO or SET.
func (b *binding) effect(n tree.Statement) (*Statement, error) {
	switch n := n.(type) {
	case *tree.Do:
		return b.do(n)
	case *tree.Set:
		return b.set(n)
	}
	return nil, bind.Refusal("this statement")
}

// do makes a DO.
func (b *binding) do(n *tree.Do) (*Statement, error) {
	b.binder.Assigned = bind.Assigned(n)
	xs, err := plan.CompileValues(b.binder, n.Items, "DO")
	if err != nil {
		return nil, err
	}
	st := &Statement{session: b.Session, frame: b.frame, kind: status.None}
	for _, x := range xs {
		st.values = append(st.values, value{x: x})
	}
	return st, nil
}

// set makes a SET of variables.
func (b *binding) set(n *tree.Set) (*Statement, error) {
	st := &Statement{session: b.Session, frame: b.frame, kind: status.Set}
	b.binder.Assigned = bind.Assigned(n)
	for _, item := range n.Scoped() {
		var v value
		var err error
		switch item := item.(type) {
		case *tree.SetUserVariable:
			v, err = b.userVariable(item)
		case *tree.SetVariable:
			v, err = b.systemVariable(item)
		default:
			err = bind.Refusal("SET of other things than variables")
		}
		if err != nil {
			return nil, err
		}
		st.values = append(st.values, v)
	}
	return st, nil
}

func (b *binding) userVariable(n *tree.SetUserVariable) (value, error) {
	v := value{name: n.Name}
	xs, err := plan.CompileValues(b.binder, []tree.Expr{n.Value}, "SET")
	if err != nil {
		return v, err
	}
	if xs[0].Type.Kind.Address() {
		return v, bind.Refusal("a user variable that becomes a " + xs[0].Type.Name())
	}
	v.x, v.t = b.binder.VariableValue(xs[0])
	return v, nil
}

// runValues runs a DO, or a SET: all values are computed before the first variable is set.
func (st *Statement) runValues(ctx context.Context, sink result.Sink, more bool) error {
	s := st.session
	s.Warnings.Keep()
	s.Server.Status.Question(st.kind)
	ctx, cancel := s.WithStatementTime(ctx)
	defer cancel()
	st.within(ctx)
	defer s.Memory.End(s.Memory.Begin(s.MemoryLimit()))
	err := st.computeValues(ctx)
	s.note(st.frame.Diag)
	s.EndIdle()
	if err != nil {
		return err
	}
	s.Rest.Changed(0)
	return s.SendOK(sink, result.OK{}, more)
}

func (st *Statement) computeValues(ctx context.Context) error {
	f := st.frame
	values := make([]types.Value, len(st.values))
	var settings []setting
	for i, v := range st.values {
		if v.x == nil {
			settings = append(settings, st.session.defaultOf(&st.values[i]))
			continue
		}
		if v.system != nil && !takes(v.system, v.x.Type.Class()) {
			return mysqlerr.New(mysqlerr.WrongTypeForVar, v.system.Name)
		}
		values[i] = v.x.Compute(f)
		values[i].Text = bytes.Clone(values[i].Text)
		if ctx.Err() != nil {
			return context.Cause(ctx) // whatever error came of it
		}
		err := f.Diag.Failed()
		switch {
		case err == nil:
		case v.name == "": // DO goes on
			f.Diag.Forgive()
		default:
			return err
		}
		if v.system != nil {
			settings = append(settings, setting{&st.values[i], goValue(values[i], v.x.Type)})
		}
	}
	warned := warner{ctx, f}
	for i := range settings {
		if err := settings[i].convert(warned, st.session); err != nil {
			return err
		}
	}
	for i, v := range st.values {
		switch {
		case v.system != nil:
			if err := settings[0].apply(warned, st.session); err != nil {
				return err
			}
			settings = settings[1:]
			continue
		case v.name == "":
			continue
		}
		t := v.t
		if v.x.Null() && v.x.Is(eval.Literal) { // the variable keeps its type
			if _, is, ok := st.session.Rest.UserVariable(v.name); ok {
				t = is
			}
		}
		if err := st.session.Rest.SetUserVariable(v.name, values[i], t); err != nil {
			return err
		}
	}
	return nil
}
