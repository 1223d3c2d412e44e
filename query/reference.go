package query

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/txn"
)

// reference is one mention of a table in a FROM clause.
type reference struct {
	alias    string // or its name; unique in its query block
	table    sqlparser.TableName
	strength lockStrength
	wait     lockWait
}

// aliasedTables lists the tables of a FROM clause, without those of derived tables.
func aliasedTables(exprs sqlparser.TableExprs) []*sqlparser.AliasedTableExpr {
	var out []*sqlparser.AliasedTableExpr
	var visit func(e sqlparser.TableExpr)
	visit = func(e sqlparser.TableExpr) {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			out = append(out, e)
		case *sqlparser.JoinTableExpr:
			visit(e.LeftExpr)
			visit(e.RightExpr)
		case *sqlparser.ParenTableExpr:
			for _, inner := range e.Exprs {
				visit(inner)
			}
		}
	}
	for _, e := range exprs {
		visit(e)
	}
	return out
}

// referencesOf are the tables of a FROM clause, without derived tables.
func referencesOf(from sqlparser.TableExprs) (out []reference) {
	for _, a := range aliasedTables(from) {
		t, ok := a.Expr.(sqlparser.TableName)
		if !ok {
			continue
		}
		r := reference{alias: a.As.String(), table: t}
		if r.alias == "" {
			r.alias = t.Name.String()
		}
		out = append(out, r)
	}
	return out
}

// pick gives the references whose alias or table is in named (nil: all), read like this.
func pick(all []reference, named map[string]bool, strength lockStrength, wait lockWait) (out []reference) {
	for _, r := range all {
		if named == nil || named[strings.ToLower(r.alias)] || named[strings.ToLower(r.table.Name.String())] && !isAlias(all, r.table) {
			r.strength, r.wait = strength, wait
			out = append(out, r)
		}
	}
	return out
}

// isAlias reports whether the name of a table is what a reference is called, and so means that one only.
func isAlias(all []reference, t sqlparser.TableName) bool {
	return slices.ContainsFunc(all, func(r reference) bool { return strings.EqualFold(r.alias, t.Name.String()) })
}

// updateTargets are the tables that an UPDATE may change: those that its
// assignments name, or all of its tables where an assignment does not say.
func updateTargets(u *sqlparser.Update) []reference {
	named := map[string]bool{}
	for _, e := range u.Exprs {
		if e.Name.Qualifier.Name.IsEmpty() {
			named = nil
			break
		}
		named[strings.ToLower(e.Name.Qualifier.Name.String())] = true
	}
	return pick(referencesOf(u.TableExprs), named, readExclusive, waitDefault)
}

// deleteTargets are the tables that a DELETE removes rows from.
func deleteTargets(d *sqlparser.Delete) []reference {
	all := referencesOf(d.TableExprs)
	if len(d.Targets) == 0 {
		return pick(all, nil, readExclusive, waitDefault)
	}
	named := map[string]bool{}
	for _, t := range d.Targets {
		named[strings.ToLower(t.Name.String())] = true
	}
	return pick(all, named, readExclusive, waitDefault)
}

// lockOf is what a query block's lock clause asks for.
func lockOf(s *sqlparser.Select) (lockStrength, lockWait) {
	if s.Lock == nil || s.Lock.Type == "" {
		return readSnapshot, waitDefault
	}
	strength, wait := readExclusive, waitDefault
	clause := strings.ToLower(s.Lock.Type)
	if strings.Contains(clause, "share") {
		strength = readShared
	}
	if strings.Contains(clause, "skip locked") {
		wait = waitSkip
	} else if strings.Contains(clause, "nowait") {
		wait = waitNot
	}
	return strength, wait
}

// lockedTables are the tables of a query block that its lock clause means.
func lockedTables(s *sqlparser.Select) []reference {
	strength, wait := lockOf(s)
	if strength == readSnapshot {
		return nil
	}
	var of map[string]bool
	if len(s.Lock.Tables) > 0 {
		of = map[string]bool{}
		for _, t := range s.Lock.Tables {
			of[strings.ToLower(t.Name.String())] = true
		}
	}
	return pick(referencesOf(s.From), of, strength, wait)
}

// refer notes one by one how the tables of the outermost query block of a SELECT are read, if it makes a difference: if a
// table is named more than once. Statements that change rows lock a table in all places, as MariaDB does.
func (st *statement) refer(s *sqlparser.Select) {
	locked := lockedTables(s)
	if len(locked) == 0 {
		return
	}
	all := referencesOf(s.From) // read without locks, but for those that the clause means
	below := blocksBelow(s)
	twice := false
	for i := range all {
		for _, l := range locked {
			if strings.EqualFold(l.alias, all[i].alias) {
				all[i] = l
			}
		}
		name := all[i].table.Name.String()
		twice = twice || slices.ContainsFunc(all[:i], func(r reference) bool { return strings.EqualFold(r.table.Name.String(), name) }) ||
			slices.ContainsFunc(below, func(u tableUse) bool { return strings.EqualFold(u.name, name) })
	}
	if twice {
		st.references, st.inner = all, below
	}
}

// blocksBelow are the tables of the query blocks below the outermost one, which their own lock clauses lock.
func blocksBelow(s *sqlparser.Select) []tableUse {
	outermost := map[*sqlparser.AliasedTableExpr]bool{}
	for _, a := range aliasedTables(s.From) {
		outermost[a] = true
	}
	below := &statement{}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedTableExpr:
			if t, ok := n.Expr.(sqlparser.TableName); ok && !outermost[n] {
				below.add(t, readSnapshot, waitDefault)
			}
		case *sqlparser.Select:
			if n != s {
				for _, r := range lockedTables(n) {
					below.add(r.table, r.strength, r.wait)
				}
			}
		}
		return true, nil
	}, s)
	return below.tables
}

// bindReferences tells the tables of a bound plan how the statement reads each of them. Where a plan does not show them
// all, each table is read by its name, in the strongest of the ways that the statement wants.
func bindReferences(c *sql.Context, st *statement, node sql.Node) {
	now := runningOf(c)
	if st != now.st { // a part of the statement, or a query that it needs
		return
	}
	now.bound = false
	if len(st.references) == 0 {
		return
	}
	found := map[string]*plan.ResolvedTable{}
	eachReference(node, "", func(alias string, n *plan.ResolvedTable) {
		if _, ours := n.Table.(*tables.Table); ours {
			found[strings.ToLower(alias)] = n
		}
	})
	for _, r := range st.references {
		if found[strings.ToLower(r.alias)] == nil {
			return
		}
	}
	now.bound = true
	g := c.Session.(*gmsSession)
	for _, r := range st.references {
		n := found[strings.ToLower(r.alias)]
		n.Table = n.Table.(*tables.Table).Read(g.accessFor(r.strength, r.wait))
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
func (r *running) access(current, db, table string) (lockStrength, lockWait) {
	uses := r.st.tables
	if r.bound {
		uses = r.st.inner
	}
	for i := range uses {
		t := &uses[i]
		if strings.EqualFold(t.name, table) && (strings.EqualFold(t.db, db) || t.db == "" && strings.EqualFold(current, db)) {
			return t.strength, t.wait
		}
	}
	return r.st.other, waitDefault
}

func readMode(l lockStrength) txn.ReadMode {
	switch l {
	case readLatest:
		return txn.Latest
	case readShared:
		return txn.LockShared
	case readExclusive:
		return txn.LockExclusive
	}
	return txn.Snapshot
}

func waitPolicy(w lockWait) txn.WaitPolicy {
	switch w {
	case waitNot:
		return txn.NoWait
	case waitSkip:
		return txn.SkipLocked
	}
	return txn.Wait
}
