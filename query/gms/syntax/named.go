package syntax

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// Target is a table that a statement changes under its own name.
func Target(t sqlparser.TableName) statement.Ref {
	return statement.Ref{DB: t.DbQualifier.String(), Table: t.Name.String(), Alias: t.Name.String(), Write: true}
}

// NamedTables lists the tables in FROM clauses below node; those in written, by name or alias, are changed.
func NamedTables(node sqlparser.SQLNode, written map[string]bool) []statement.Ref {
	var refs []statement.Ref
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
			r := Target(t)
			if !n.As.IsEmpty() {
				r.Alias = n.As.String()
			}
			r.Write = written[strings.ToLower(r.Alias)]
			refs = append(refs, r)
		}
		return true, nil
	}, node)
	return slices.DeleteFunc(refs, func(r statement.Ref) bool { return r.DB == "" && expressions[strings.ToLower(r.Table)] })
}

// Updated are the names of the tables that an UPDATE assigns to: all of them where an assignment does not say.
func Updated(u *sqlparser.Update) map[string]bool {
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

// Deleted are the names of the tables that a DELETE deletes from.
func Deleted(d *sqlparser.Delete) map[string]bool {
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
	for _, a := range AliasedTables(exprs) {
		if !a.As.IsEmpty() {
			names[strings.ToLower(a.As.String())] = true
		} else if t, ok := a.Expr.(sqlparser.TableName); ok {
			names[strings.ToLower(t.Name.String())] = true
		}
	}
	return names
}

// LockedTables are the tables that a session with LOCK TABLES must have locked for the statement; an error if it may not run
// it at all. temporary says that the statement is about temporary tables only.
func (st *Statement) LockedTables(temporary bool) ([]statement.Ref, error) {
	switch n := st.AST.(type) {
	case *sqlparser.Insert:
		return append(NamedTables(n, nil), Target(n.Table)), nil
	case *sqlparser.Load:
		return []statement.Ref{Target(n.Table)}, nil
	case *sqlparser.Update:
		return NamedTables(n, Updated(n)), nil
	case *sqlparser.Delete:
		return NamedTables(n, Deleted(n)), nil
	case *sqlparser.AlterTable:
		return []statement.Ref{Target(n.Table)}, nil
	case *sqlparser.DDL:
		return definedTables(n, temporary)
	case *sqlparser.DBDDL:
		return nil, mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	case *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole,
		*sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeRole, *sqlparser.RevokeProxy:
		return nil, mysqlerr.New(mysqlerr.TableNotLocked, "db") // mysql.db, as MariaDB has it
	case *sqlparser.Explain:
		return NamedTables(n.Statement, nil), nil
	}
	return NamedTables(st.AST, nil), nil
}

// definedTables are the tables of a statement about definitions.
func definedTables(d *sqlparser.DDL, temporary bool) ([]statement.Ref, error) {
	refs := NamedTables(d, nil)
	if d.OptLike != nil {
		for _, t := range d.OptLike.LikeTables {
			r := Target(t)
			r.Write = false
			refs = append(refs, r)
		}
	}
	switch {
	case temporary:
		return refs, nil
	case d.TriggerSpec != nil:
		if d.Table.Name.IsEmpty() {
			return nil, nil // DROP TRIGGER does not name the table
		}
		return []statement.Ref{Target(d.Table)}, nil
	case d.ViewSpec != nil, len(d.FromViews) > 0, d.ProcedureSpec != nil, d.EventSpec != nil, d.Action == sqlparser.RenameStr,
		d.Table.Name.IsEmpty() && len(d.FromTables) == 0:
		return nil, mysqlerr.New(mysqlerr.LockOrActiveTransaction)
	}
	for _, t := range d.FromTables {
		refs = append(refs, Target(t))
	}
	if !d.Table.Name.IsEmpty() {
		refs = append(refs, Target(d.Table))
	}
	return refs, nil
}
