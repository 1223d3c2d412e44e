package syntax

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/status"
)

// Counter is the counter of a statement, status.None if it has none here.
func Counter(st *Statement) status.Kind {
	k := comOf(st.AST)
	if k == status.AlterTable { // which CREATE INDEX and DROP INDEX are to the parser
		switch first := dialect.Trim(st.Text, dialect.Mode{}); {
		case len(first) > 6 && strings.EqualFold(first[:6], "CREATE"):
			return status.CreateIndex
		case len(first) > 4 && strings.EqualFold(first[:4], "DROP"):
			return status.DropIndex
		}
	}
	return k
}

// comOf is what the tree says of it.
func comOf(ast sqlparser.Statement) status.Kind {
	switch n := ast.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		return status.Select
	case *sqlparser.Insert:
		return comOfInsert(n)
	case *sqlparser.Update:
		if len(n.TableExprs) > 1 || joins(n.TableExprs) {
			return status.UpdateMulti
		}
		return status.Update
	case *sqlparser.Delete:
		if len(n.Targets) > 0 {
			return status.DeleteMulti
		}
		return status.Delete
	case *sqlparser.Load:
		return status.Load
	case *sqlparser.Set:
		return status.Set
	case *sqlparser.Call:
		return status.Call
	case *sqlparser.Use:
		return status.ChangeDB
	case *sqlparser.DBDDL:
		return map[string]status.Kind{sqlparser.CreateStr: status.CreateDB, sqlparser.AlterStr: status.AlterDB, sqlparser.DropStr: status.DropDB}[n.Action]
	case *sqlparser.AlterTable:
		return status.AlterTable
	case *sqlparser.DDL:
		return comOfDDL(n)
	}
	return status.None
}

func joins(tables sqlparser.TableExprs) bool {
	for _, t := range tables {
		if _, ok := t.(*sqlparser.JoinTableExpr); ok {
			return true
		}
	}
	return false
}

func comOfInsert(n *sqlparser.Insert) status.Kind {
	k := status.Insert
	if n.Action == sqlparser.ReplaceStr {
		k = status.Replace
	}
	if _, selects := n.Rows.(sqlparser.SelectStatement); selects {
		k++ // the one of its SELECT form
	}
	return k
}

func comOfDDL(n *sqlparser.DDL) status.Kind {
	switch {
	case n.ProcedureSpec != nil, n.TriggerSpec != nil, n.EventSpec != nil:
		return status.None
	case n.ViewSpec != nil:
		return status.CreateView
	case len(n.FromViews) > 0:
		return status.DropView
	}
	switch n.Action {
	case sqlparser.CreateStr:
		return status.CreateTable
	case sqlparser.DropStr:
		return status.DropTable
	case sqlparser.RenameStr:
		return status.RenameTable
	case sqlparser.TruncateStr:
		return status.Truncate
	}
	return status.None
}
