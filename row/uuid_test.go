package row

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// UUIDs in MariaDB's order: those of versions below 6 by node, clock sequence, and time from its high bits on; all others as they are written. A key
// tells its end, whatever zeros an image leaves out.
func TestUUIDKeys(t *testing.T) {
	col := Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(16), Collation: mysql.Collation_binary, Weight: UUIDWeight}
	var keys [][]byte
	var last []byte
	for _, text := range []string{
		"00000000000000000000000000000000", "6ccd780cbaba102695640040f4310000", "7ccd780cbaba102695640040f4310000",
		"6ccd780cbaba102795640040f4310000", "6ccd780cbaba102695650040f4310000", "00000000000010269564004100000000",
		"0189000000007000800000000000ff00", "01890000000070008000000000010000",
	} {
		v, err := hex.DecodeString(text)
		require.NoError(t, err)
		if last != nil {
			require.Negative(t, CompareUUIDs(last, v), "%x before %x", last, v)
		}
		last = v
		key, err := AppendKeyValue(nil, col, KeyPart{}, v)
		require.NoError(t, err)
		short, err := AppendKeyValue(nil, col, KeyPart{}, bytes.TrimRight(v, "\x00"))
		require.NoError(t, err)
		require.Equal(t, key, short, "as an image has it")
		rest, err := SkipKey(append(slices.Clone(key), 0x80), col, KeyPart{})
		require.NoError(t, err)
		require.Equal(t, []byte{0x80}, rest)
		keys = append(keys, key)
	}
	require.True(t, slices.IsSortedFunc(keys, bytes.Compare))
}
