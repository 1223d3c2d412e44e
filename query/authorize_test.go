package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/privilege"
)

// TestEveryAdminStatement finds a statement of the session's own that nobody said the privileges of.
func TestEveryAdminStatement(t *testing.T) {
	for word := range adminParsers {
		require.True(t, privilege.Covers(word), "%s has no rule in query/privilege/rules.go", word)
	}
}
