package admin

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/dialecttest"
)

// TestEveryStatementHasARunner finds a statement of package dialect that no session runs, or that two functions would.
func TestEveryStatementHasARunner(t *testing.T) {
	cases := slices.Concat(dialecttest.Cases(t, "own.go", "runOwn"), dialecttest.Cases(t, "own.go", "runPlainOwn"),
		dialecttest.Cases(t, "../account/run.go", "of"))
	require.ElementsMatch(t, dialecttest.Statements(t, "../dialect"), cases)
}
