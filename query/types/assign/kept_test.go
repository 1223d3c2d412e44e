package assign

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types"
)

// A version from 8 on without the variant's bit is no UUID as a text, and as bytes another one, as MariaDB has it.
func TestKeptAddress(t *testing.T) {
	for _, tc := range []struct{ text, kept string }{
		{"0123456789abcdef0123456789abcdef", "89abcdef45670123cdef0123456789ab"},
		{"0123456789abcdef8123456789abcdef", "0123456789abcdef8123456789abcdef"},
		{"0123456789ab1def0123456789abcdef", "0123456789ab1def0123456789abcdef"},
	} {
		b, err := hex.DecodeString(tc.text)
		require.NoError(t, err)
		require.Equal(t, tc.kept, hex.EncodeToString(KeptAddress(types.UUID, b)))
		_, ok := ParseAddress(nil, types.UUID, []byte(tc.text))
		require.Equal(t, tc.kept == tc.text, ok, tc.text)
		require.Equal(t, b, KeptAddress(types.Inet6, b))
	}
}
