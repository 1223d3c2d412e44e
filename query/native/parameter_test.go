package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
)

// TestIntegerParameters has the types that MariaDB gives integers by the bytes in which a client sends them.
func TestIntegerParameters(t *testing.T) {
	for _, c := range []struct {
		v        result.Value
		kind     types.Kind
		length   uint32
		unsigned bool
	}{
		{result.Signed(-1).Narrow(1), types.Tinyint, 4, false}, {result.Unsigned(255).Narrow(1), types.Tinyint, 4, true},
		{result.Signed(-1).Narrow(2), types.Smallint, 6, false}, {result.Unsigned(1<<32 - 1).Narrow(4), types.Int, 11, true},
		{result.Signed(-1), types.Bigint, 21, false}, {result.Unsigned(1), types.Bigint, 21, true},
	} {
		v, got, ok := parameter(nil, c.v)
		require.True(t, ok)
		require.Equal(t, c.v.Int(), v.Int)
		require.Equal(t, c.kind, got.Kind)
		require.Equal(t, c.length, got.Length)
		require.Equal(t, c.unsigned, got.Unsigned)
	}
}
