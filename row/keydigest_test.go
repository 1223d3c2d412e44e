package row

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// Long texts have components of one size in parts that say so, and none that another text has; short ones stay as they are.
func TestDigestedKeys(t *testing.T) {
	for _, pad := range []bool{false, true} {
		col := Column{Type: mysql.MYSQL_TYPE_BLOB, Meta: 3, Collation: mysql.Collation_binary, PadSpace: pad}
		for _, desc := range []bool{false, true} {
			part := KeyPart{Digest: true, Desc: desc}
			seen := map[string]string{}
			for _, text := range []string{"", "a", strings.Repeat("a", 400), strings.Repeat("a", 600), strings.Repeat("a", 601), strings.Repeat("b", 100_000)} {
				k, err := AppendKeyValue([]byte("head"), col, part, text)
				require.NoError(t, err)
				plain, err := AppendKeyValue([]byte("head"), col, KeyPart{Desc: desc}, text)
				require.NoError(t, err)
				if len(text) < 500 {
					require.Equal(t, plain, k)
				} else {
					require.Len(t, k, 4+1+32)
				}
				rest, err := SkipKey(append(k[4:], "tail"...), col, part)
				require.NoError(t, err)
				require.Equal(t, "tail", string(rest))
				require.NotContains(t, seen, string(k))
				seen[string(k)] = text
			}
		}
	}
}
