package row

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// decodeAll gives the values of a full image, which they fill.
func decodeAll(cols []Column, image []byte) ([]any, error) {
	n, err := Size(cols, nil, image)
	if err != nil {
		return nil, err
	}
	if n != len(image) {
		return nil, fmt.Errorf("%w: %d bytes after the last column", ErrCorrupt, len(image)-n)
	}
	return DecodeSome(nil, cols, image, ordinals(cols))
}

func ordinals(cols []Column) []int {
	all := make([]int, len(cols))
	for i := range all {
		all[i] = i
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols, vals := genRow(t)
		image, err := Encode(nil, cols, vals)
		require.NoError(t, err)
		got, err := decodeAll(cols, image)
		require.NoError(t, err)
		require.Equal(t, vals, got)

		size, err := Size(cols, nil, append(image, 1, 2, 3))
		require.NoError(t, err)
		require.Equal(t, len(image), size)
		size, err = event.ImageSize(logged(cols), nil, append(image, 1, 2, 3))
		require.NoError(t, err)
		require.Equal(t, len(image), size)

		ordinals := rapid.SliceOf(rapid.IntRange(0, len(cols)-1)).Draw(t, "ordinals")
		some, err := DecodeSome(nil, cols, image, ordinals)
		require.NoError(t, err)
		for i, o := range ordinals {
			require.Equal(t, vals[o], some[i])
			require.Equal(t, vals[o] == nil, bit(image, o))
		}
	})
}

func TestProjectAndMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols, vals := genRow(t)
		image, err := Encode(nil, cols, vals)
		require.NoError(t, err)
		other := make([]any, len(cols))
		base, err := Encode(nil, cols, other)
		require.NoError(t, err)
		present := rapid.SliceOfN(rapid.Bool(), len(cols), len(cols)).Draw(t, "present")

		partial, err := Project([]byte("before"), cols, image, present)
		require.NoError(t, err)
		partial = partial[len("before"):]
		size, err := Size(cols, Bitmap(present), append(partial, 9))
		require.NoError(t, err)
		require.Equal(t, len(partial), size)
		merged, err := Merge([]byte("x"), cols, base, partial, Bitmap(present))
		require.NoError(t, err)
		got, err := decodeAll(cols, merged[1:])
		require.NoError(t, err)
		for i := range cols {
			if present[i] {
				require.Equal(t, vals[i], got[i])
			} else {
				require.Nil(t, got[i])
			}
		}
		// Merging into the row itself gives the row.
		merged, err = Merge(nil, cols, image, partial, Bitmap(present))
		require.NoError(t, err)
		require.Equal(t, image, merged)
	})
}

// TestKeyOrder: for each kind of column, keys compare as values do, equal values have
// equal keys, a key made of a value equals the key made of the image, and
// SkipKey finds its end.
func TestKeyOrder(t *testing.T) {
	for _, c := range testColumns() {
		for _, desc := range []bool{false, true} {
			name := c.Name
			if desc {
				name += "_desc"
			}
			t.Run(name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					col, part := c.Column, KeyPart{Desc: desc}
					a, b := drawNullable(t, c, "a"), drawNullable(t, c, "b")
					ka, kb := keyOf(t, col, part, a), keyOf(t, col, part, b)
					want := compareNullable(c, a, b)
					if desc {
						want = -want
					}
					// What follows in the key must not matter.
					tailA, tailB := rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "tail a"), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "tail b")
					if want != 0 {
						require.Equal(t, want, compareKeys(append(ka, tailA...), append(kb, tailB...)), "%v %v: %x %x", a, b, ka, kb)
					} else {
						require.Equal(t, ka, kb, "%v %v", a, b)
					}
				})
			})
		}
	}
}

func drawNullable(t *rapid.T, c testColumn, label string) any {
	if rapid.IntRange(0, 9).Draw(t, label+" null") == 0 {
		return nil
	}
	return c.values.Draw(t, label)
}

func compareNullable(c testColumn, a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return c.compare(a, b)
}

func compareKeys(a, b []byte) int {
	switch x, y := string(a), string(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// keyOf makes the key component of a value in both ways and checks that they agree.
func keyOf(t *rapid.T, col Column, part KeyPart, val any) []byte {
	col.Nullable = true
	cols := []Column{{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 300, Collation: mysql.Collation_binary}, col}
	image, err := Encode(nil, cols, []any{"filler", val})
	require.NoError(t, err)
	part.Column = 1
	key, hasNull, err := AppendKey([]byte("k"), cols, []KeyPart{part}, image)
	require.NoError(t, err)
	require.Equal(t, val == nil, hasNull)
	key = key[1:]
	fromValue, err := AppendKeyValue([]byte("k"), col, part, val)
	require.NoError(t, err)
	require.Equal(t, key, fromValue[1:])
	rest, err := SkipKey(append(key, "rest"...), col, part)
	require.NoError(t, err)
	require.Equal(t, "rest", string(rest))
	return key
}

func TestPrefixKeys(t *testing.T) {
	const bin = 46
	text := Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 400, Collation: bin, PadSpace: true}
	raw := Column{Type: mysql.MYSQL_TYPE_BLOB, Meta: 2, Collation: mysql.Collation_binary}
	ucs2 := Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 400, Collation: 90, PadSpace: true}
	sjis := Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 400, Collation: 13}
	for _, tt := range []struct {
		col  Column
		n    int
		a, b string
		same bool
	}{
		{text, 3, "h\u00e9llo", "h\u00e9lp", true},
		{text, 4, "h\u00e9llo", "h\u00e9lp", false},
		{text, 3, "ab  x", "ab", true},
		{text, 2, "\U0001F600\U0001F601x", "\U0001F600\U0001F601y", true},
		{raw, 3, "h\u00e9llo", "h\u00e9lp", true},
		{raw, 4, "h\u00e9llo", "h\u00e9lp", true},
		{raw, 3, "ab\x00", "ab", false},
		{ucs2, 1, "\x00a\x00b", "\x00a\x00c", true},
		{ucs2, 2, "\x00a\x00 ", "\x00a", true},
		{ucs2, 2, "\x00a\x00\x01", "\x00a", false},
		{sjis, 2, "\x81\x40\xb1x", "\x81\x40\xb1y", true},
		{sjis, 2, "\x81\x40\x81\x41", "\x81\x40\x81\x42", false},
	} {
		ka, err := AppendKeyValue(nil, tt.col, KeyPart{PrefixLen: tt.n}, tt.a)
		require.NoError(t, err)
		kb, err := AppendKeyValue(nil, tt.col, KeyPart{PrefixLen: tt.n}, tt.b)
		require.NoError(t, err)
		require.Equal(t, tt.same, string(ka) == string(kb), "%q %q %d", tt.a, tt.b, tt.n)
	}
}

// TestSameParts: images with the same bytes in the columns of a key have the same key, and no others are said to have them.
func TestSameParts(t *testing.T) {
	all := testColumns()
	same, other := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var chosen []testColumn
		var cols []Column
		var parts []KeyPart
		for i := range rapid.IntRange(1, 4).Draw(rt, "columns") {
			c := rapid.SampledFrom(all).Draw(rt, "column")
			c.Nullable = true
			if chosen, cols = append(chosen, c), append(cols, c.Column); rapid.Bool().Draw(rt, "in key") {
				parts = append(parts, KeyPart{Column: i})
			}
		}
		for range 20 {
			var a, b []any
			for _, c := range chosen {
				drawn := func() any {
					if rapid.IntRange(0, 5).Draw(rt, "null") == 0 {
						return nil
					}
					return c.values.Draw(rt, "value")
				}
				a, b = append(a, drawn()), append(b, nil)
				if b[len(b)-1] = a[len(a)-1]; rapid.Bool().Draw(rt, "changed") {
					b[len(b)-1] = drawn()
				}
			}
			before, after := encoded(rt, cols, a), encoded(rt, cols, b)
			differ := false
			for _, p := range parts {
				one := cols[p.Column : p.Column+1]
				differ = differ || !bytes.Equal(encoded(rt, one, a[p.Column:p.Column+1]), encoded(rt, one, b[p.Column:p.Column+1]))
			}
			require.Equal(rt, !differ, SameParts(cols, parts, before, after), "%v and %v", a, b)
			if differ {
				other++
				continue
			}
			same++
			x, _, err := AppendKey(nil, cols, parts, before)
			require.NoError(rt, err)
			y, _, err := AppendKey(nil, cols, parts, after)
			require.NoError(rt, err)
			require.Equal(rt, x, y)
		}
	})
	require.Positive(t, same)
	require.Positive(t, other)
}

func encoded(t *rapid.T, cols []Column, values []any) []byte {
	image, err := Encode(nil, cols, values)
	require.NoError(t, err)
	return image
}
