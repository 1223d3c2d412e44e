package query

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryAdminStatement finds a statement of the session's own that nobody said the privileges of.
func TestEveryAdminStatement(t *testing.T) {
	rules, err := os.ReadFile("privilege/rules.go")
	require.NoError(t, err)
	statements, err := os.ReadFile("dialect/statement.go")
	require.NoError(t, err)
	for _, word := range regexp.MustCompile(`"([A-Z]+)":`).FindAllSubmatch(statements, -1) {
		require.Regexp(t, `"`+string(word[1])+`( [A-Z ]+)?":`, string(rules), "%s has no rule in query/privilege/rules.go", word[1])
	}
}
