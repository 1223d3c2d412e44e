package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/exec"
	"github.com/duramendb/duramen/query/gms/triggerbody"
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
	return alone.Build(c, n, row)
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
	if p.SecurityContext == plan.ProcedureSecurityContext_Invoker || p.Definer == "" {
		return s.Authority.Subject(), nil
	}
	sub, err := account.DefinerSubject(s.engine.Accounts.Set(), p.Definer)
	if err != nil {
		return sub, err
	}
	set, db := s.engine.Accounts.Set(), call.Database().Name()
	if have := set.Global(sub) | set.DB(sub, db) | set.Routine(sub, db, p.Name, false); !have.Has(privilege.Execute) {
		return sub, mysqlerr.New(mysqlerr.ProcAccessDenied, "execute", sub.Account.User, sub.Account.Host, db+"."+p.Name)
	}
	return sub, nil
}

// triggerBuilder builds the iterators of one trigger in one statement. go-mysql-server asks it for what fires the
// trigger, once, and then for the trigger's own statement, for every row. That has run when its iterator is there.
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
	defer s.EnterBody(b.firing.definer, b.firing.db, true)()
	back, err := b.firing.underMode(c, s)
	if err != nil {
		return nil, err
	}
	defer back()
	if t, ok := c.Session.(column.TriggerSession); ok {
		defer t.InTrigger(b.firing.row)()
	}
	body := b.trigger.Right() // and not n, which reads the row as it was before the first SET
	left, err := triggerbody.Run(c, b.base, body, row)
	if err != nil {
		return nil, err
	}
	if triggerbody.SetsNew(body) { // go-mysql-server takes the second half of what a SET yields
		left = row.Append(left)
	}
	return sql.RowsToRowIter(left), nil
}
