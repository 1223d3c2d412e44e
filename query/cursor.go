package query

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// OpensCursor reports whether a cursor can be asked for with a statement: it is a query. As in MariaDB others run as if none was asked
// for. The error (1323) is for a query that stores its row elsewhere.
func (*Session) OpensCursor(st *Stmt) (bool, error) {
	s := dialect.Scanner{SQL: st.text, Mode: st.mode}
	first, depth := true, 0
	for {
		t, ok := s.Next()
		if !ok {
			return !first, nil
		}
		if first && !t.Is("SELECT") && !t.Is("WITH") && !t.Is("VALUES") && !t.Is("(") {
			return false, nil
		}
		first = false
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is("INTO"):
			return false, &mysqlerr.Error{Number: 1323, State: "42000", Message: "Cursor SELECT must not have INTO"}
		}
	}
}
