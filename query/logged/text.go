package logged

import (
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Insert is the statement's text with words at a place of the tree.
func (a *About) Insert(at int, words string) string { return a.Text[:at] + words + a.Text[at:] }

// LoadText is the statement of a LOAD DATA whose file has come in the log: it names one of the server, which is not looked for.
func LoadText(l *event.LoadQuery) (*event.Query, error) {
	if l.FnStart > l.FnEnd || uint64(l.FnEnd) > uint64(len(l.SQL)) {
		return nil, mysqlerr.Newf(mysqlerr.UnknownError, "the place of the file's name is not in the text")
	}
	const into = " INFILE 'in the log'"
	q := l.Query
	words := into
	switch l.DupHandling {
	case 0:
	case 1:
		words += " IGNORE"
	case 2:
		words += " REPLACE"
	default:
		return nil, mysqlerr.Newf(mysqlerr.UnknownError, "unknown handling %d of duplicates", l.DupHandling)
	}
	q.SQL = l.SQL[:l.FnStart] + words + " INTO" + l.SQL[l.FnEnd:]
	return &q, nil
}

// AsksNull reports whether a statement may look for NULL, which sql_auto_is_null gives another meaning.
func AsksNull(st tree.Statement) bool {
	found := false
	tree.Walk(st, func(n tree.Node) bool {
		if _, is := n.(*tree.Is); is {
			found = true
		}
		return !found
	})
	return found
}

// DefinesTimestamps reports whether a statement defines a column of type TIMESTAMP.
func DefinesTimestamps(st tree.Statement) bool {
	switch st.(type) {
	case *tree.CreateTable, *tree.AlterTable:
	default:
		return false
	}
	found := false
	tree.Walk(st, func(n tree.Node) bool {
		if t, is := n.(*tree.DataType); is && strings.EqualFold(t.Name, "TIMESTAMP") {
			found = true
		}
		return !found
	})
	return found
}

// ChecksExistence reports whether sql_if_exists matters to a statement.
func ChecksExistence(st tree.Statement) bool {
	switch n := st.(type) {
	case *tree.AlterTable, *tree.DropIndex:
		return true
	case *tree.RenameTables:
		return !n.IfExists
	case *tree.Drop:
		return !n.IfExists
	}
	return false
}
