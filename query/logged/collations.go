package logged

import (
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// The collations utf8mb4_..._0900_... have these numbers in MySQL 8, and none in MariaDB. utf8mb4_0900_ai_ci, the first one, is what MySQL takes where nothing
// else is said, so most of its sessions have it.
const (
	onlyMySQLFirst = 255
	onlyMySQLLast  = 323
	// generalCI is utf8mb4_general_ci.
	generalCI = 45
)

func onlyMySQL(id uint16) bool {
	_, known := charset.ByID(id)
	return !known && id >= onlyMySQLFirst && id <= onlyMySQLLast
}

// Known is a statement of a MySQL with collations that this server knows. Where it means the same whatever collations the session had that it does not know,
// it gets others, also in this server's log; where it may not, they stay, and Settings refuses it. A character set utf8mb4 that is named without a collation has
// another one there than here, which is an error.
func Known(q *event.Query, st tree.Statement) (*event.Query, error) {
	if st == nil {
		return q, nil
	}
	if onlyMySQL(q.DefaultUTF8MB4) && namesUTF8MB4(st) {
		return q, mysqlerr.NotYet("The character set utf8mb4 without a COLLATE, which means utf8mb4_0900_ai_ci on the primary and another one here,")
	}
	unknown := false
	for _, id := range q.Charset {
		unknown = unknown || onlyMySQL(id)
	}
	if !unknown || dependsOnCollation(st) {
		return q, nil
	}
	same := *q
	for i, id := range same.Charset {
		if onlyMySQL(id) {
			same.Charset[i] = generalCI
		}
	}
	return &same, nil
}

// namesUTF8MB4 tells whether a statement names utf8mb4 and leaves it to the server which collation that has.
func namesUTF8MB4(st tree.Statement) bool {
	found := false
	bare := func(set, collation string) {
		found = found || strings.EqualFold(set, "utf8mb4") && collation == ""
	}
	options := func(list []*tree.Option) {
		set, collation := "", ""
		for _, o := range list {
			if o.Value == nil {
				continue
			}
			switch o.Name {
			case "CHARACTER SET":
				set = o.Value.Text
			case "COLLATE":
				collation = o.Value.Text
			}
		}
		bare(set, collation)
	}
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.DataType:
			if !n.Binary {
				bare(n.Charset, n.Collate)
			}
		case *tree.CastType:
			if !n.BinaryCollation {
				bare(n.Charset, n.Collation)
			}
		case *tree.ConvertUsing:
			bare(n.Charset, "")
		case *tree.CharOf:
			bare(n.Charset, "")
		case *tree.ConvertCharset:
			bare(n.Charset, n.Collate)
		case *tree.CreateTable:
			options(n.Options)
		case *tree.SetOptions:
			options(n.Options)
		case *tree.CreateDatabase:
			bare(n.Charset, n.Collate)
		case *tree.AlterDatabase:
			bare(n.Charset, n.Collate)
		}
		return !found
	})
	return found
}

// dependsOnCollation tells whether a statement may mean something else with other collations of the session (of literals and of the server). Definitions
// of tables without expressions do not, and neither do statements that only name things.
func dependsOnCollation(st tree.Statement) bool {
	switch n := st.(type) {
	case *tree.CreateDatabase:
		return ofServer(n.DatabaseOptions)
	case *tree.AlterDatabase:
		return ofServer(n.DatabaseOptions)
	case *tree.CreateTable:
		return n.Query != nil || hasExpressions(n)
	case *tree.AlterTable:
		return hasExpressions(n)
	case *tree.CreateIndex, *tree.DropIndex, *tree.Drop, *tree.Truncate, *tree.RenameTables, *tree.Maintain, *tree.Flush,
		*tree.Users, *tree.DropAccounts, *tree.RenameUsers, *tree.CreateRole, *tree.Grant, *tree.GrantRole, *tree.RevokeAll:
		return false
	}
	return true
}

// ofServer tells whether a database gets the server's collation.
func ofServer(o tree.DatabaseOptions) bool {
	named := func(name string) bool { return name != "" && !strings.EqualFold(name, "DEFAULT") }
	return !named(o.Charset) && !named(o.Collate)
}

// hasExpressions tells whether the definition of a table has a CHECK, a generated column, or a default that is computed.
func hasExpressions(st tree.Statement) bool {
	found := false
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Check:
			found = true
		case *tree.Column:
			found = found || n.Generated != nil || n.Check != nil || computed(n.Default)
		case *tree.AlterColumn:
			found = found || computed(n.Default)
		}
		return !found
	})
	return found
}

// computed tells whether a default is more than a literal or the time.
func computed(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.Unary: // a sign
		return computed(e.X)
	case *tree.Call:
		switch strings.ToUpper(e.Name.Text) {
		case "NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP":
			return false
		}
	case nil, *tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.TextLit, *tree.BytesLit, *tree.TemporalLit:
		return false
	}
	return true
}
