package charset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types/charset"
)

// TestBackslash: in sjis the character of U+005C has two bytes, and byte 0x5C is U+005C.
func TestBackslash(t *testing.T) {
	utf8, _ := charset.SetByName("utf8mb4")
	for _, c := range []struct{ set, want string }{{"sjis", "a\x81\x5f"}, {"cp932", `a\`}, {"big5", `a\`}, {"gbk", `a\`}} {
		set, _ := charset.SetByName(c.set)
		out, cond := charset.Convert(nil, set, utf8, []byte(`a\`))
		require.True(t, cond.OK())
		require.Equal(t, c.want, string(out), c.set)
		out, cond = charset.Convert(nil, utf8, set, []byte(`a\`))
		require.True(t, cond.OK())
		require.Equal(t, `a\`, string(out), c.set)
	}
}
