package text

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// What a text grows by is counted before it is taken, and a refusal makes the statement fail.
func TestGrowingIsCounted(t *testing.T) {
	const limit = 4 << 20
	piece := bytes.Repeat([]byte("y"), 1<<20)
	var held int64
	var out growing
	f := &eval.Frame{Diag: &types.Diagnostics{Most: 1}, MaxPacket: 1 << 20}
	f.Charge = func(n int64) error {
		require.LessOrEqual(t, int64(cap(out.text)), held, "what was taken was counted before")
		if held += n; held > limit {
			return errors.New("no memory")
		}
		return nil
	}
	for range limit / len(piece) {
		require.True(t, out.add(f, piece))
	}
	require.Len(t, out.text, limit)
	require.EqualValues(t, limit, held)
	require.False(t, out.add(f, piece))
	require.True(t, f.Failed())
	require.Equal(t, limit, cap(out.text), "what was refused was not taken")
	f.Reset()
	require.Zero(t, held, "the next row begins with nothing")
}

// A text that would be longer than any may be is refused before it is made.
func TestGrowingIsBounded(t *testing.T) {
	f := &eval.Frame{Diag: &types.Diagnostics{Most: 1}}
	var out growing
	require.False(t, out.room(f, int(f.RoomMax())+1))
	require.True(t, f.Failed())
	require.Zero(t, cap(out.text))
}

func TestExpand(t *testing.T) {
	f := &eval.Frame{Diag: &types.Diagnostics{Most: 1}}
	match := []int{1, 5, 1, 3, -1, -1} // of abcdef: bcde, bc, and a group that did not match
	for _, c := range []struct{ with, want string }{
		{"", ""},
		{"x", "x"},
		{`<\0>`, "<bcde>"},
		{`\1\1-`, "bcbc-"},
		{`\2|\9|`, "||"},
		{`\\1\n`, `\1n`},
		{`end\`, "end"},
	} {
		var out growing
		require.True(t, out.expand(f, []byte(c.with), []byte("abcdef"), match))
		require.Equal(t, c.want, string(out.text), c.with)
	}
}
