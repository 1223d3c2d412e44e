package charset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeepsASCII: between sets that keep ASCII, ASCII texts are converted to themselves.
func TestKeepsASCII(t *testing.T) {
	var text []byte
	for c := range byte(0x80) {
		text = append(text, c)
	}
	var not []string
	for _, from := range Sets() {
		if !from.KeepsASCII() {
			not = append(not, from.Name())
			continue
		}
		for _, to := range Sets() {
			if to.KeepsASCII() {
				out, cond := Convert(nil, to, from, text)
				require.Equal(t, text, out, "%s to %s", from.Name(), to.Name())
				require.Negative(t, cond.Bad)
			}
		}
	}
	require.Equal(t, []string{"sjis", "swe7", "ucs2", "utf16", "utf16le", "utf32"}, not)
}
