package parse

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// CheckForeignMode refuses what means something else in sql_mode ORACLE, which is one that a text is read in, in MAXDB or SIMULTANEOUS_ASSIGNMENT, and
// what go-mysql-server would run with its usual meaning.
func CheckForeignMode(text *source.Text, sqlMode string) error {
	oracle, maxdb, together := text.Mode.Oracle, strings.Contains(sqlMode, "MAXDB"), strings.Contains(sqlMode, "SIMULTANEOUS_ASSIGNMENT")
	if !oracle && !maxdb && !together {
		return nil
	}
	st, _, err := text.Statement()
	if err != nil {
		return nil //nolint:nilerr // the parser says it
	}
	if together && assignsInOrder(st) {
		return mysqlerr.NotYet("an assignment that others come before, in sql_mode=SIMULTANEOUS_ASSIGNMENT, outside of SQL of our own")
	}
	var found string
	if text.LeftOut().Count > 0 && oracle {
		found = "a long INSERT"
	}
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.DataType:
			if oracle && n.Schema == "" && (n.Name == "DATE" || n.Name == "BLOB") || maxdb && n.Name == "TIMESTAMP" {
				found = n.Name
			}
		case *tree.Call:
			if oracle && n.DB.Text == "" && n.Package.Text == "" && function.OracleDiffers(strings.ToUpper(n.Name.Text)) {
				found = n.Name.Text
			}
		case *tree.Trim:
			if oracle {
				found = "TRIM"
			}
		case *tree.CreateRoutine, *tree.CreateTrigger:
			if oracle {
				found = "a routine"
			}
			return false
		}
		return found == ""
	})
	if found == "" {
		return nil
	}
	if oracle {
		return mysqlerr.NotYet(found + " in sql_mode=ORACLE, outside of SQL of our own")
	}
	return mysqlerr.NotYet(found + " in sql_mode=MAXDB")
}

// assignsInOrder reports whether a statement sets a column twice, or to a value that names one which it sets.
func assignsInOrder(st tree.Node) (found bool) {
	tree.Walk(st, func(n tree.Node) bool {
		var list []*tree.Assignment
		switch n := n.(type) {
		case *tree.Update:
			list = n.Set
		case *tree.Insert:
			list = n.OnDuplicate
		}
		for i, a := range list {
			for j, other := range list {
				same := func(n tree.Node) bool {
					c, ok := n.(*tree.ColumnRef)
					found = found || ok && strings.EqualFold(c.Name.Text, other.Column.Name.Text)
					return !found
				}
				switch {
				case j < i:
					same(a.Column)
					fallthrough
				case j > i:
					tree.Walk(a.Value, same)
				}
			}
		}
		return !found
	})
	return found
}
