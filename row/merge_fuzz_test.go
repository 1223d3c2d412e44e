package row

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

// FuzzPartialImage: a partial image put back into the image it was made of gives that image, and
// all that measures images agrees.
func FuzzPartialImage(f *testing.F) {
	for i, c := range testColumns() {
		image, err := Encode(nil, []Column{c.Column, c.Column}, []any{c.values.Example(i), nil})
		require.NoError(f, err)
		f.Add([]byte{byte(i), 0, 0, byte(i), 0, 0}, image, []byte{1})
		f.Add([]byte{byte(i), 0, 0, byte(i), 0, 0}, image[:len(image)/2], []byte{2})
	}
	f.Fuzz(func(t *testing.T, spec, image, present []byte) {
		cols := fuzzColumns(spec)
		if len(cols) == 0 {
			return
		}
		n, err := Size(cols, nil, image)
		m, merr := event.ImageSize(logged(cols), nil, image)
		require.Equal(t, err == nil, merr == nil, "%v; %v", err, merr)
		if err != nil {
			return
		}
		require.Equal(t, n, m)
		require.LessOrEqual(t, n, len(image))
		image = image[:n]
		flags := make([]bool, len(cols))
		for i := range flags {
			flags[i] = i/8 < len(present) && bit(present, i)
		}
		partial, err := Project(nil, cols, image, flags)
		require.NoError(t, err)
		bitmap := Bitmap(flags)
		for _, b := range [][]byte{partial, append(bytes.Clone(partial), 1, 2, 3)} {
			size, err := Size(cols, bitmap, b)
			require.NoError(t, err)
			require.Equal(t, len(partial), size)
		}
		whole, err := Merge(nil, cols, image, partial, bitmap)
		require.NoError(t, err)
		for i := range cols {
			a, aok, err := Packed(cols, image, i)
			require.NoError(t, err)
			b, bok, err := Packed(cols, whole, i)
			require.NoError(t, err)
			require.Equal(t, aok, bok)
			require.True(t, bytes.Equal(a, b))
			require.Equal(t, !aok, bit(image, i))
		}
	})
}
