package function

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	fn "github.com/dolthub/go-mysql-server/sql/expression/function"
)

// findInSet is FIND_IN_SET with a text that the parser takes: go-mysql-server prints "find_in_set(a from b)", which a definition would keep.
type findInSet struct{ *fn.FindInSet }

func newFindInSet(c *sql.Context, a, b sql.Expression) sql.Expression {
	return &findInSet{fn.NewFindInSet(c, a, b).(*fn.FindInSet)}
}

// String implements sql.Expression.
func (f *findInSet) String() string {
	return fmt.Sprintf("find_in_set(%s, %s)", f.LeftChild, f.RightChild)
}

// WithChildren implements sql.Expression.
func (f *findInSet) WithChildren(c *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), 2)
	}
	return newFindInSet(c, children[0], children[1]), nil
}
