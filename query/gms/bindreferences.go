package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// bindReferences tells the tables of a bound plan how the statement reads each of them. Where a plan does not show them
// all, each table is read by its name, in the strongest of the ways that the statement wants.
func bindReferences(c *sql.Context, st *syntax.Statement, node sql.Node) {
	now := runningOf(c)
	if st != now.st { // a part of the statement, or a query that it needs
		return
	}
	now.bound = false
	if len(st.Mentions) == 0 {
		return
	}
	found := map[string]*plan.ResolvedTable{}
	eachReference(node, "", func(alias string, n *plan.ResolvedTable) {
		if _, ours := n.Table.(*tables.Table); ours {
			found[strings.ToLower(alias)] = n
		}
	})
	for _, r := range st.Mentions {
		if found[strings.ToLower(r.Alias)] == nil {
			return
		}
	}
	now.bound = true
	g := c.Session.(*adapter)
	for _, r := range st.Mentions {
		n := found[strings.ToLower(r.Alias)]
		n.Table = n.Table.(*tables.Table).Read(g.accessFor(r.Strength, r.Wait))
	}
}

// eachReference visits the tables of the outermost query block of a plan.
func eachReference(n sql.Node, alias string, visit func(alias string, n *plan.ResolvedTable)) {
	switch n := n.(type) {
	case *plan.SubqueryAlias, *plan.SetOp:
	case *plan.ResolvedTable:
		if alias == "" {
			alias = n.Name()
		}
		visit(alias, n)
	case *plan.TableAlias:
		eachReference(n.Child, n.Name(), visit)
	default:
		for _, child := range n.Children() {
			eachReference(child, "", visit)
		}
	}
}

// access is how the statement reads a table that it reads by its name; current is the current database.
func (r *running) access(current, db, table string) (statement.Strength, statement.Wait) {
	uses := r.st.Tables
	if r.bound {
		uses = r.st.Inner
	}
	for i := range uses {
		t := &uses[i]
		if strings.EqualFold(t.Name, table) && (strings.EqualFold(t.DB, db) || t.DB == "" && strings.EqualFold(current, db)) {
			return t.Strength, t.Wait
		}
	}
	return r.st.Other, statement.WaitForLock
}

func readMode(l statement.Strength) txn.ReadMode {
	switch l {
	case statement.Latest:
		return txn.Latest
	case statement.Shared:
		return txn.LockShared
	case statement.Exclusive:
		return txn.LockExclusive
	}
	return txn.Snapshot
}

func waitPolicy(w statement.Wait) txn.WaitPolicy {
	switch w {
	case statement.NoWait:
		return txn.NoWait
	case statement.SkipLocked:
		return txn.SkipLocked
	}
	return txn.Wait
}
