package privilege

import "github.com/duramendb/duramen/query/dialect"

// OfStatement gives the needs of a statement that the session runs itself. ok is false for one that has no case here.
func OfStatement(st dialect.Statement) (n Needs, ok bool) {
	return ofAccountStatement(st)
}
