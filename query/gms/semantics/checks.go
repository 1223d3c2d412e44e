package semantics

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// exactChecks gives a change the CHECK constraints of its table: none with
// check_constraint_checks=0, and those that go-mysql-server does not see because the
// table has virtual columns. done is false if nothing is to be changed.
func exactChecks(ctx *sql.Context, n sql.CheckConstraintNode, table sql.Table) (_ sql.Node, done bool, err error) {
	given := len(n.Checks()) > 0
	switch {
	case !given && !hasVirtual(table.Schema(ctx)):
		return n, false, nil
	case checksOff(ctx):
		if !given {
			return n, false, nil
		}
		return n.WithChecks(nil), true, nil
	case given:
		return n, false, nil
	}
	checks, err := checksOf(ctx, table)
	if err != nil || len(checks) == 0 {
		return n, false, err
	}
	return n.WithChecks(checks), true, nil
}

func checksOff(ctx *sql.Context) bool {
	v, err := ctx.Session.GetSessionVariable(ctx, "check_constraint_checks")
	if err != nil {
		return false
	}
	on, err := sql.ConvertToBool(ctx, v)
	return err == nil && !on
}

func hasVirtual(schema sql.Schema) bool {
	for _, c := range schema {
		if c.Virtual {
			return true
		}
	}
	return false
}

// checksOf binds the CHECK constraints of a table to its rows.
func checksOf(ctx *sql.Context, table sql.Table) (sql.CheckConstraints, error) {
	t, ok := sql.GetUnderlyingTable(table).(sql.CheckTable)
	if !ok {
		return nil, nil
	}
	defs, err := t.GetChecks(ctx)
	if err != nil {
		return nil, err
	}
	var out sql.CheckConstraints
	for _, d := range defs {
		e, err := bindCheck(ctx, table, d.CheckExpression)
		if err != nil {
			return nil, err
		}
		out = append(out, &sql.CheckConstraint{Name: d.Name, Expr: e, Enforced: d.Enforced, IsNotValid: d.IsNotValid})
	}
	return out, nil
}

// bindCheck binds an expression over the columns of a table, as the default of a
// column is bound: the one way that go-mysql-server leaves open.
func bindCheck(ctx *sql.Context, table sql.Table, text string) (sql.Expression, error) {
	// The functions of JSON are go-mysql-server's here, which quote texts and sort members.
	if lower := strings.ReplaceAll(strings.ToLower(text), "json_valid(", ""); strings.Contains(lower, "json_") {
		return nil, mysqlerr.NotYet("a statement of several tables, or one with triggers, that stores rows under CHECK (" + text + "); change the rows in a statement of the table alone")
	}
	schema := table.Schema(ctx)
	plain := schema.Copy()
	for _, c := range plain {
		c.Default, c.Generated, c.OnUpdate, c.Source = nil, nil, nil, table.Name()
	}
	plain[0].Default = sql.NewUnresolvedColumnDefaultValue("(" + text + ")")
	bound, err := tables.BindExpressions(ctx, "", table.Name(), plain)
	if err != nil {
		return nil, mysqlerr.Newf(mysqlerr.UnknownError, "CHECK (%s): %v", text, err)
	}
	e := bound[0].Default.Expr
	r := newReplacerOfExpression()
	r.decimals.add(ctx, table, table.Name())
	e, _, err = transform.Expr(ctx, e, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return r.expr(ctx, e)
		}
		for i, c := range schema {
			if strings.EqualFold(c.Name, f.Name()) {
				return f.WithIndex(i), transform.NewTree, nil
			}
		}
		return nil, transform.SameTree, fmt.Errorf("CHECK (%s): no column %s", text, f.Name())
	})
	return e, err
}

// changedTable is the table that an UPDATE changes; nil for several tables, of which
// none may have constraints that go-mysql-server does not see.
func changedTable(ctx *sql.Context, n *plan.Update) (sql.Table, error) {
	var join *plan.UpdateJoin
	transform.Inspect(n.Child, func(n sql.Node) bool {
		if j, ok := n.(*plan.UpdateJoin); ok {
			join = j
		}
		return join == nil
	})
	if join == nil {
		t, err := plan.GetUpdatable(n.Child)
		return t, err
	}
	for _, target := range join.UpdateTargets {
		t, err := plan.GetUpdatable(target)
		if err != nil {
			return nil, err
		}
		if !hasVirtual(t.Schema(ctx)) || checksOff(ctx) {
			continue
		}
		if checks, err := checksOf(ctx, t); err != nil || len(checks) > 0 {
			if err == nil {
				err = mysqlerr.New(mysqlerr.NotSupportedYet, "multi-table UPDATE of a table with CHECK and virtual columns")
			}
			return nil, err
		}
	}
	return nil, nil
}
