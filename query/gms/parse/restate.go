package parse

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Restate is the text of a statement that has only a tree: one of a routine. The parser prints some definitions as less than they are,
// or as what nobody could read; replicas would run that, so they are refused. A CREATE TABLE of columns is not: it is logged as the
// table that it has made.
func Restate(ast sqlparser.Statement, mode dialect.Mode) (string, error) {
	text := sqlparser.String(ast)
	switch n := ast.(type) {
	case *sqlparser.DDL:
		if n.Action == sqlparser.CreateStr && (n.TableSpec != nil || n.OptSelect != nil) {
			return text, nil
		}
	case *sqlparser.AlterTable:
		for _, d := range n.Statements {
			if d.AlterCollationSpec != nil { // CONVERT TO, or not
				return "", mysqlerr.NotYet("ALTER TABLE ... CHARACTER SET in a routine")
			}
		}
	default:
		return text, nil
	}
	again, err := sqlparser.Parse(text)
	if err != nil || !sameTree(ast, again) || mode.NoBackslashEscapes && strings.Contains(text, `\`) {
		return "", mysqlerr.NotYet("this definition in a routine")
	}
	return text, nil
}

// sameTree compares what trees hold, but not what their nodes remember.
func sameTree(a, b sqlparser.Statement) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
