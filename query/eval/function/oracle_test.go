package function

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOracleNames: what means something else in sql_mode ORACLE is known under both names.
func TestOracleNames(t *testing.T) {
	for name, other := range oracleNames {
		require.True(t, OracleDiffers(name), name)
		usual, ok := Find(name)
		require.True(t, ok, name)
		oracle, ok := FindOracle(name)
		require.True(t, ok, name)
		require.NotEqual(t, usual.Name, oracle.Name)
		require.Equal(t, other, oracle.Name)
	}
	usual, _ := Find("REGEXP_REPLACE")
	oracle, _ := FindOracle("REGEXP_REPLACE")
	require.NotSame(t, usual, oracle)
	require.True(t, OracleDiffers("REGEXP_REPLACE"))
	require.False(t, OracleDiffers("UPPER"))
	upper, _ := FindOracle("UPPER")
	require.Equal(t, "UPPER", upper.Name)
}
