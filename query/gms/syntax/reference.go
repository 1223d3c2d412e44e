package syntax

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/statement"
)

// reference is one mention of a table in a FROM clause.
type reference struct {
	Alias    string // or its name; unique in its query block
	table    sqlparser.TableName
	Strength statement.Strength
	Wait     statement.Wait
}

// AliasedTables lists the tables of a FROM clause, without those of derived tables.
func AliasedTables(exprs sqlparser.TableExprs) []*sqlparser.AliasedTableExpr {
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
	for _, a := range AliasedTables(from) {
		t, ok := a.Expr.(sqlparser.TableName)
		if !ok {
			continue
		}
		r := reference{Alias: a.As.String(), table: t}
		if r.Alias == "" {
			r.Alias = t.Name.String()
		}
		out = append(out, r)
	}
	return out
}

// pick gives the references whose alias or table is in named (nil: all), read like this.
func pick(all []reference, named map[string]bool, strength statement.Strength, wait statement.Wait) (out []reference) {
	for _, r := range all {
		if named == nil || named[strings.ToLower(r.Alias)] || named[strings.ToLower(r.table.Name.String())] && !isAlias(all, r.table) {
			r.Strength, r.Wait = strength, wait
			out = append(out, r)
		}
	}
	return out
}

// isAlias reports whether the name of a table is what a reference is called, and so means that one only.
func isAlias(all []reference, t sqlparser.TableName) bool {
	return slices.ContainsFunc(all, func(r reference) bool { return strings.EqualFold(r.Alias, t.Name.String()) })
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
	return pick(referencesOf(u.TableExprs), named, statement.Exclusive, statement.WaitForLock)
}

// deleteTargets are the tables that a DELETE removes rows from.
func deleteTargets(d *sqlparser.Delete) []reference {
	all := referencesOf(d.TableExprs)
	if len(d.Targets) == 0 {
		return pick(all, nil, statement.Exclusive, statement.WaitForLock)
	}
	named := map[string]bool{}
	for _, t := range d.Targets {
		named[strings.ToLower(t.Name.String())] = true
	}
	return pick(all, named, statement.Exclusive, statement.WaitForLock)
}

// lockOf is what a query block's lock clause asks for.
func lockOf(s *sqlparser.Select) (statement.Strength, statement.Wait) {
	if s.Lock == nil || s.Lock.Type == "" {
		return statement.Snapshot, statement.WaitForLock
	}
	strength, wait := statement.Exclusive, statement.WaitForLock
	clause := strings.ToLower(s.Lock.Type)
	if strings.Contains(clause, "share") {
		strength = statement.Shared
	}
	if strings.Contains(clause, "skip locked") {
		wait = statement.SkipLocked
	} else if strings.Contains(clause, "nowait") {
		wait = statement.NoWait
	}
	return strength, wait
}

// lockedTables are the tables of a query block that its lock clause means.
func lockedTables(s *sqlparser.Select) []reference {
	strength, wait := lockOf(s)
	if strength == statement.Snapshot {
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
func (st *Statement) refer(s *sqlparser.Select) {
	locked := lockedTables(s)
	if len(locked) == 0 {
		return
	}
	all := referencesOf(s.From) // read without locks, but for those that the clause means
	below := blocksBelow(s)
	twice := false
	for i := range all {
		for _, l := range locked {
			if strings.EqualFold(l.Alias, all[i].Alias) {
				all[i] = l
			}
		}
		name := all[i].table.Name.String()
		twice = twice || slices.ContainsFunc(all[:i], func(r reference) bool { return strings.EqualFold(r.table.Name.String(), name) }) ||
			slices.ContainsFunc(below, func(u statement.Use) bool { return strings.EqualFold(u.Name, name) })
	}
	if twice {
		st.References, st.Inner = all, below
	}
}

// blocksBelow are the tables of the query blocks below the outermost one, which their own lock clauses lock.
func blocksBelow(s *sqlparser.Select) []statement.Use {
	outermost := map[*sqlparser.AliasedTableExpr]bool{}
	for _, a := range AliasedTables(s.From) {
		outermost[a] = true
	}
	below := &Statement{}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.AliasedTableExpr:
			if t, ok := n.Expr.(sqlparser.TableName); ok && !outermost[n] {
				below.add(t, statement.Snapshot, statement.WaitForLock)
			}
		case *sqlparser.Select:
			if n != s {
				for _, r := range lockedTables(n) {
					below.add(r.table, r.Strength, r.Wait)
				}
			}
		}
		return true, nil
	}, s)
	return below.Tables
}
