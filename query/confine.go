package query

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// LOCK TABLES confines its session: until UNLOCK TABLES it uses only what it has locked, under the
// names that it has locked it by, and changes only what it has locked with WRITE. So whoever asks
// for locks has named all of them, and two such sessions cannot wait for each other.

// tableRef is a table under the name by which a statement, or LOCK TABLES, calls it.
type tableRef struct {
	db, table string // db is "" for the current database
	alias     string // the table's name if it has no other
	write     bool   // it is changed; it is locked with WRITE
}

// confine reports the first use of a table that the session's LOCK TABLES does not allow.
func (s *Session) confine(st *statement) error {
	if s.tabLocks == nil {
		return nil
	}
	refs, err := s.tableRefs(st)
	if err != nil {
		return err
	}
	for _, r := range refs {
		db := r.db
		if db == "" {
			db = s.DB()
		}
		db, r.table = servedTable(db, r.table)
		if s.temp.Has(db, r.table) || virtualDatabase(db) && !strings.EqualFold(db, "mysql") {
			continue
		}
		if err := s.tabLocks.check(db, r); err != nil {
			return err
		}
	}
	return nil
}

func (l *tableLocks) check(db string, r tableRef) error {
	at := slices.IndexFunc(l.named, func(t tableRef) bool {
		return strings.EqualFold(t.db, db) && strings.EqualFold(t.table, r.table) && strings.EqualFold(t.alias, r.alias)
	})
	switch {
	case at < 0:
		return mysqlerr.New(mysqlerr.TableNotLocked, r.alias)
	case r.write && !l.named[at].write:
		return mysqlerr.New(mysqlerr.TableNotLockedForWrite, r.alias)
	}
	return nil
}

// tableRefs lists the tables of a statement; an error if LOCK TABLES does not allow the statement at all.
func (s *Session) tableRefs(st *statement) ([]tableRef, error) {
	switch n := st.ast.(type) {
	case *sqlparser.Insert:
		return append(namedTables(n, nil), target(n.Table)), nil
	case *sqlparser.Load:
		return []tableRef{target(n.Table)}, nil
	case *sqlparser.Update:
		return namedTables(n, updated(n)), nil
	case *sqlparser.Delete:
		return namedTables(n, deleted(n)), nil
	case *sqlparser.AlterTable:
		return []tableRef{target(n.Table)}, nil
	case *sqlparser.DDL:
		return s.definedTables(st, n)
	case *sqlparser.DBDDL:
		return nil, mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	case *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole,
		*sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeRole, *sqlparser.RevokeProxy:
		return nil, mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	case *sqlparser.Explain:
		return namedTables(n.Statement, nil), nil
	}
	return namedTables(st.ast, nil), nil
}

// definedTables are the tables of a statement about definitions.
func (s *Session) definedTables(st *statement, d *sqlparser.DDL) ([]tableRef, error) {
	refs := namedTables(d, nil)
	if d.OptLike != nil {
		for _, t := range d.OptLike.LikeTables {
			r := target(t)
			r.write = false
			refs = append(refs, r)
		}
	}
	switch {
	case s.temporaryOnly(st):
		return refs, nil
	case d.TriggerSpec != nil:
		if d.Table.Name.IsEmpty() {
			return nil, nil // DROP TRIGGER does not name the table
		}
		return []tableRef{target(d.Table)}, nil
	case d.ViewSpec != nil, len(d.FromViews) > 0, d.ProcedureSpec != nil, d.EventSpec != nil, d.Action == sqlparser.RenameStr,
		d.Table.Name.IsEmpty() && len(d.FromTables) == 0:
		return nil, mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	}
	for _, t := range d.FromTables {
		refs = append(refs, target(t))
	}
	if !d.Table.Name.IsEmpty() {
		refs = append(refs, target(d.Table))
	}
	return refs, nil
}

// target is a table that a statement changes under its own name.
func target(t sqlparser.TableName) tableRef {
	return tableRef{db: t.DbQualifier.String(), table: t.Name.String(), alias: t.Name.String(), write: true}
}

// namedTables lists the tables in FROM clauses below node; those in written, by name or alias, are changed.
func namedTables(node sqlparser.SQLNode, written map[string]bool) []tableRef {
	var refs []tableRef
	expressions := map[string]bool{} // names of common table expressions
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.CommonTableExpr:
			expressions[strings.ToLower(n.As.String())] = true
		case *sqlparser.AliasedTableExpr:
			t, ok := n.Expr.(sqlparser.TableName)
			if !ok || t.Name.IsEmpty() || strings.EqualFold(t.Name.String(), "dual") {
				break
			}
			r := target(t)
			if !n.As.IsEmpty() {
				r.alias = n.As.String()
			}
			r.write = written[strings.ToLower(r.alias)]
			refs = append(refs, r)
		}
		return true, nil
	}, node)
	return slices.DeleteFunc(refs, func(r tableRef) bool { return r.db == "" && expressions[strings.ToLower(r.table)] })
}

// updated are the names of the tables that an UPDATE assigns to: all of them where an assignment does not say.
func updated(u *sqlparser.Update) map[string]bool {
	names := map[string]bool{}
	for _, e := range u.Exprs {
		q := e.Name.Qualifier.Name
		if q.IsEmpty() {
			return allNames(u.TableExprs)
		}
		names[strings.ToLower(q.String())] = true
	}
	return names
}

// deleted are the names of the tables that a DELETE deletes from.
func deleted(d *sqlparser.Delete) map[string]bool {
	if len(d.Targets) == 0 {
		return allNames(d.TableExprs)
	}
	names := map[string]bool{}
	for _, t := range d.Targets {
		names[strings.ToLower(t.Name.String())] = true
	}
	return names
}

func allNames(exprs sqlparser.TableExprs) map[string]bool {
	names := map[string]bool{}
	for _, a := range aliasedTables(exprs) {
		if !a.As.IsEmpty() {
			names[strings.ToLower(a.As.String())] = true
		} else if t, ok := a.Expr.(sqlparser.TableName); ok {
			names[strings.ToLower(t.Name.String())] = true
		}
	}
	return names
}

// belowViews completes the tables of a LOCK TABLES by those that its views are made of.
func (s *Session) belowViews(want []tableRef) ([]tableRef, error) {
	cat := s.engine.store.Catalog().Current()
	for i := 0; i < len(want) && len(want) < belowViewsMax; i++ {
		text, ok, err := tables.ViewText(cat, want[i].db, want[i].table)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		ast, _, _, err := s.parseText(text)
		if err != nil {
			continue // whoever reads the view is told
		}
		for _, r := range namedTables(ast, nil) {
			below := tableRef{db: r.db, table: r.table, alias: r.table, write: want[i].write}
			if below.db == "" {
				below.db = want[i].db
			}
			known := slices.IndexFunc(want, func(t tableRef) bool {
				return strings.EqualFold(t.db, below.db) && strings.EqualFold(t.table, below.table) && strings.EqualFold(t.alias, below.alias)
			})
			if known < 0 {
				want = append(want, below)
			}
		}
	}
	return want, nil
}

// belowViewsMax ends the search in views that are made of each other.
const belowViewsMax = 1 << 12
