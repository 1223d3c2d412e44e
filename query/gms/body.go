package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/exec"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// bodyBuilder runs procedures and triggers with the privileges of their definers, and in their databases.
type bodyBuilder struct{ base *rowexec.BaseBuilder }

// Build implements sql.NodeExecBuilder.
func (b *bodyBuilder) Build(c *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *plan.Call:
		return b.call(c, n, row)
	case *plan.TriggerExecutor:
		return b.with(&triggerBuilder{base: b.base, trigger: n}).Build(c, n, row)
	}
	return nil, nil // go-mysql-server's builder goes on
}

// with is go-mysql-server's builder with another one in front of it.
func (b *bodyBuilder) with(first sql.NodeExecBuilder) *rowexec.BaseBuilder {
	out := rowexec.NewBuilder(first, b.base.EngineOverrides)
	out.Runner = b.base.Runner
	return out
}

// call runs a procedure; when its iterator is there, it has run.
func (b *bodyBuilder) call(c *sql.Context, n *plan.Call, row sql.Row) (sql.RowIter, error) {
	alone := b.with(exec.Except(n, b.base))
	if n.Procedure == nil || n.Procedure.ExternalProc != nil {
		return alone.Build(c, n, row)
	}
	s := sessionOf(c)
	sub, err := s.procedureSubject(n)
	if err != nil {
		return nil, err
	}
	defer s.EnterBody(sub, n.Database().Name(), false)()
	now := runningOf(c)
	outer := now.variables
	defer func() { now.variables = outer }()
	if now.variables, err = variablesOf(n.Procedure); err != nil {
		return nil, err
	}
	if err := keepsArguments(c, n, len(now.variables), row); err != nil {
		return nil, err
	}
	return alone.Build(c, n, row)
}

// keepsArguments refuses the call of a procedure whose variables would keep what they are given, whatever their types are: that of a trigger, which
// go-mysql-server runs. Arguments that fit are right.
func keepsArguments(c *sql.Context, n *plan.Call, variables int, row sql.Row) error {
	refused := mysqlerr.NotYet("a procedure with variables, or with parameters other than IN of integers, texts and dates, that a trigger calls")
	params := map[string]bool{}
	for i, p := range n.Procedure.Params {
		if p.Direction != plan.ProcedureParamDirection_In || i >= len(n.Params) {
			return refused
		}
		if !types.IsInteger(p.Type) && !types.IsText(p.Type) && !types.IsDecimal(p.Type) && p.Type != types.Date {
			return refused
		}
		v, err := n.Params[i].Eval(c, row)
		if err != nil {
			return err
		}
		if _, fits, err := p.Type.Convert(c, v); err != nil || fits != sql.InRange {
			return refused
		}
		params[strings.ToLower(p.Name)] = true
	}
	if variables != len(params) {
		return refused
	}
	for _, op := range n.Procedure.Ops {
		if op.OpCode == procedures.OpCode_Set && params[strings.ToLower(op.Target)] {
			return refused
		}
	}
	return nil
}

// variablesOf are the parameters and variables of a procedure.
func variablesOf(p *plan.Procedure) (computed.Variables, error) {
	v := computed.Variables{}
	for _, param := range p.Params {
		if err := v.Declare(param.Name, computed.TypeOfVariable(param.Type)); err != nil {
			return nil, err
		}
	}
	for _, op := range p.Ops {
		declared, ok := op.PrimaryData.(*sqlparser.Declare)
		if !ok || declared.Variables == nil {
			continue
		}
		t, err := types.ColumnTypeToType(&declared.Variables.VarType)
		if err != nil {
			return nil, err
		}
		for _, name := range declared.Variables.Names {
			if err := v.Declare(name.String(), computed.TypeOfVariable(t)); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// procedureSubject is whose privileges count in a procedure. Its definer needs EXECUTE on it.
func (s *Session) procedureSubject(call *plan.Call) (accounts.Subject, error) {
	p := call.Procedure
	return subjectOf(s, call.Database().Name(), p.Name, p.Definer, p.SecurityContext == plan.ProcedureSecurityContext_Invoker)
}

func subjectOf(s *Session, db, name, definer string, invoker bool) (accounts.Subject, error) {
	if invoker || definer == "" {
		return s.Authority.Subject(), nil
	}
	sub, err := account.DefinerSubject(s.engine.Accounts.Set(), definer)
	if err != nil {
		return sub, err
	}
	set := s.engine.Accounts.Set()
	if have := set.Global(sub) | set.DB(sub, db) | set.Routine(sub, db, name, false); !have.Has(privilege.Execute) {
		return sub, mysqlerr.New(mysqlerr.ProcAccessDenied, "execute", sub.Account.User, sub.Account.Host, db+"."+name)
	}
	return sub, nil
}

// triggerBuilder builds the iterators of one trigger in one statement. go-mysql-server asks it for what fires the
// trigger, once, and then for the trigger's own statement, for every row.
type triggerBuilder struct {
	base    *rowexec.BaseBuilder
	trigger *plan.TriggerExecutor
	firing  *firing // nil until the first row
}

// Build implements sql.NodeExecBuilder.
func (b *triggerBuilder) Build(c *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n {
	case sql.Node(b.trigger):
		return nil, nil // go-mysql-server's builder goes on
	case b.trigger.Left():
		return b.base.Build(c, n, row)
	}
	s := sessionOf(c)
	if b.firing == nil {
		f, err := s.fires(c, b.trigger.TriggerDefinition.CreateStatement)
		if err != nil {
			return nil, err
		}
		b.firing = f
	}
	leave := s.EnterBody(b.firing.definer, b.firing.db, true)
	iter, err := b.base.Build(c, n, row)
	if err != nil {
		leave()
		return nil, err
	}
	return &bodyRows{RowIter: iter, leave: leave}, nil
}

// bodyRows ends a body when its iterator is closed.
type bodyRows struct {
	sql.RowIter
	leave func()
}

// Close implements sql.RowIter.
func (r *bodyRows) Close(c *sql.Context) error {
	defer r.leave()
	return r.RowIter.Close(c)
}
