package gms

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// LOCK TABLES confines its session: until UNLOCK TABLES it uses only what it has locked, under the
// names that it has locked it by, and changes only what it has locked with WRITE. So whoever asks
// for locks has named all of them, and two such sessions cannot wait for each other.

// confine reports the first use of a table that the session's LOCK TABLES does not allow.
func confine(s *Session, st *syntax.Statement) error {
	if !s.Confined() {
		return nil
	}
	refs, err := s.tableRefs(st)
	if err != nil {
		return err
	}
	for i := range refs {
		r := &refs[i]
		if r.DB == "" {
			r.DB = s.DB()
		}
		r.DB, r.Table = servedTable(r.DB, r.Table)
	}
	return s.Confine(refs)
}

// tableRefs lists the tables of a statement; an error if LOCK TABLES does not allow the statement at all.
func (s *Session) tableRefs(st *syntax.Statement) ([]statement.Ref, error) {
	switch n := st.AST.(type) {
	case *sqlparser.Insert:
		return append(syntax.NamedTables(n, nil), syntax.Target(n.Table)), nil
	case *sqlparser.Load:
		return []statement.Ref{syntax.Target(n.Table)}, nil
	case *sqlparser.Update:
		return syntax.NamedTables(n, syntax.Updated(n)), nil
	case *sqlparser.Delete:
		return syntax.NamedTables(n, syntax.Deleted(n)), nil
	case *sqlparser.AlterTable:
		return []statement.Ref{syntax.Target(n.Table)}, nil
	case *sqlparser.DDL:
		return s.definedTables(st, n)
	case *sqlparser.DBDDL:
		return nil, mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	case *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole,
		*sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeRole, *sqlparser.RevokeProxy:
		return nil, mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	case *sqlparser.Explain:
		return syntax.NamedTables(n.Statement, nil), nil
	}
	return syntax.NamedTables(st.AST, nil), nil
}

// definedTables are the tables of a statement about definitions.
func (s *Session) definedTables(st *syntax.Statement, d *sqlparser.DDL) ([]statement.Ref, error) {
	refs := syntax.NamedTables(d, nil)
	if d.OptLike != nil {
		for _, t := range d.OptLike.LikeTables {
			r := syntax.Target(t)
			r.Write = false
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
		return []statement.Ref{syntax.Target(d.Table)}, nil
	case d.ViewSpec != nil, len(d.FromViews) > 0, d.ProcedureSpec != nil, d.EventSpec != nil, d.Action == sqlparser.RenameStr,
		d.Table.Name.IsEmpty() && len(d.FromTables) == 0:
		return nil, mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	}
	for _, t := range d.FromTables {
		refs = append(refs, syntax.Target(t))
	}
	if !d.Table.Name.IsEmpty() {
		refs = append(refs, syntax.Target(d.Table))
	}
	return refs, nil
}

// BelowViews completes the tables of a LOCK TABLES by those that its views are made of.
func (s *Session) BelowViews(want []statement.Ref) ([]statement.Ref, error) {
	cat := s.engine.Store.Catalog().Current()
	for i := 0; i < len(want) && len(want) < belowViewsMax; i++ {
		text, ok, err := tables.ViewText(cat, want[i].DB, want[i].Table)
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
		for _, r := range syntax.NamedTables(ast, nil) {
			below := statement.Ref{DB: r.DB, Table: r.Table, Alias: r.Table, Write: want[i].Write}
			if below.DB == "" {
				below.DB = want[i].DB
			}
			known := slices.IndexFunc(want, func(t statement.Ref) bool {
				return strings.EqualFold(t.DB, below.DB) && strings.EqualFold(t.Table, below.Table) && strings.EqualFold(t.Alias, below.Alias)
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
