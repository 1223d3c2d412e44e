package bind

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/types"
)

// TestOracleNames: what means something else in sql_mode ORACLE is known under both names, and package dialect knows of it.
func TestOracleNames(t *testing.T) {
	for name, other := range oracleNames {
		require.True(t, dialect.OracleDiffers(name), name)
		usual, ok := functionIn(0, name)
		require.True(t, ok, name)
		oracle, ok := functionIn(types.Oracle, name)
		require.True(t, ok, name)
		require.NotEqual(t, usual.Name, oracle.Name)
		require.Equal(t, other, oracle.Name)
	}
	usual, _ := function.Find("REGEXP_REPLACE")
	oracle, _ := functionIn(types.Oracle, "REGEXP_REPLACE")
	require.NotSame(t, usual, oracle)
	require.True(t, dialect.OracleDiffers("regexp_replace"))
	require.False(t, dialect.OracleDiffers("upper"))
}
