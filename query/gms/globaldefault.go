package gms

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// globalDefaults writes out what DEFAULT means in SET GLOBAL: the value that the server began with. The planner takes the session's default for it,
// which is the global value. The error is 1230: some variables have none.
func globalDefaults(g *sysvar.Globals, n *sqlparser.Set) error {
	for _, e := range n.Exprs {
		if _, ok := e.Expr.(*sqlparser.Default); !ok {
			continue
		}
		name, scope := e.Name.Name.String(), e.Scope
		if scope == sqlparser.SetScope_None {
			if col, found, _, err := sqlparser.VarScopeForColName(e.Name); err == nil {
				name, scope = col.Name.String(), found
			}
		}
		switch strings.ToLower(name) {
		case "last_insert_id", "identity", "rand_seed1", "rand_seed2":
			return mysqlerr.New(mysqlerr.NoDefault, strings.ToLower(name))
		}
		d, known := sysvar.Lookup(name)
		if !known || scope != sqlparser.SetScope_Global || d.Scope == sysvar.SessionOnly {
			continue
		}
		text, null := d.Format(g.Default(d))
		switch {
		case null:
			e.Expr = &sqlparser.NullVal{}
		case d.Kind == sysvar.Uint || d.Kind == sysvar.Int:
			e.Expr = sqlparser.NewIntVal([]byte(text))
		case d.Kind == sysvar.Double:
			if !strings.Contains(text, ".") {
				text += ".0"
			}
			e.Expr = sqlparser.NewFloatVal([]byte(text))
		default:
			e.Expr = sqlparser.NewStrVal([]byte(text))
		}
	}
	return nil
}
