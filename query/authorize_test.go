package query

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryAdminStatement finds a statement of the session's own that nobody said the privileges of.
func TestEveryAdminStatement(t *testing.T) {
	rules, err := os.ReadFile("privilege/rules.go")
	require.NoError(t, err)
	for word := range adminParsers {
		require.Regexp(t, `"`+word+`( [A-Z ]+)?":`, string(rules), "%s has no rule in query/privilege/rules.go", word)
	}
}
