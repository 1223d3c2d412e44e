package row

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// fuzzColumns makes columns of arbitrary bytes: three for each, type and metadata.
func fuzzColumns(b []byte) []Column {
	all := testColumns()
	var cols []Column
	for ; len(b) >= 3 && len(cols) < 100; b = b[3:] {
		c := all[int(b[0])%len(all)].Column
		if b[0] == 255 { // anything at all
			c = Column{Type: b[1], Meta: uint16(b[2]) * 257, PadSpace: b[2]&1 == 1, Collation: uint16(b[1])}
		}
		c.Nullable = true
		cols = append(cols, c)
	}
	return cols
}

// FuzzImage feeds arbitrary bytes as an image of arbitrary columns to all that
// reads images. What decodes and can be encoded is stable from then on.
func FuzzImage(f *testing.F) {
	f.Add([]byte{1, 0, 0, 20, 0, 0}, []byte{0, 1, 2, 3, 4}, []byte{1})
	f.Add([]byte{255, 246, 10, 255, 18, 3, 255, 19, 6}, bytes.Repeat([]byte{0x80, 0}, 20), []byte{3})
	for i, c := range testColumns() {
		image, err := Encode(nil, []Column{c.Column}, []any{c.values.Example(i)})
		require.NoError(f, err)
		f.Add([]byte{byte(i), 0, 0}, image, []byte{1})
	}
	f.Fuzz(func(t *testing.T, spec, image, present []byte) {
		cols := fuzzColumns(spec)
		if len(cols) == 0 {
			return
		}
		_, _ = Size(cols, present, image)
		_, _ = event.ImageSize(logged(cols), present, image)
		_, _ = Merge(nil, cols, image, image, present)
		flags := make([]bool, len(cols))
		for i := range flags {
			flags[i] = i/8 < len(present) && bit(present, i)
		}
		_, _ = Project(nil, cols, image, flags)
		for i := range cols {
			part := KeyPart{Column: i, PrefixLen: i % 3, Desc: i%2 == 1}
			key, _, err := AppendKey(nil, cols, []KeyPart{part}, image)
			if err == nil {
				rest, err := SkipKey(append(key, 7), cols[i], part)
				require.NoError(t, err)
				require.Equal(t, []byte{7}, rest)
			}
			_, _, _ = Packed(cols, image, i)
		}
		vals, err := decodeAll(cols, image)
		if err != nil {
			return
		}
		again, err := Encode(nil, cols, vals)
		if err != nil { // values that no server would have written
			return
		}
		twice, err := decodeAll(cols, again)
		require.NoError(t, err)
		// Not vals: an image may hold more digits than its column has.
		stable, err := Encode(nil, cols, twice)
		require.NoError(t, err)
		require.Equal(t, again, stable)
	})
}

// FuzzSkipKey: arbitrary bytes are skipped or refused, never run over.
func FuzzSkipKey(f *testing.F) {
	for i, c := range testColumns() {
		key, err := AppendKeyValue(nil, c.Column, KeyPart{}, c.values.Example(i))
		require.NoError(f, err)
		f.Add(byte(i), false, key)
	}
	all := testColumns()
	f.Fuzz(func(t *testing.T, column byte, desc bool, key []byte) {
		col := all[int(column)%len(all)].Column
		rest, err := SkipKey(key, col, KeyPart{Desc: desc})
		if err == nil {
			require.Less(t, len(rest), len(key))
			require.True(t, bytes.HasSuffix(key, rest))
		}
	})
}

// FuzzDecimal: what is accepted as a decimal comes back as the same number.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"", "-", ".", "1", "-1.5", "+.5", "1e3", "1e-3", "12345678901234567890.123", "-0", "9.99"} {
		f.Add(s, uint8(20), uint8(4))
	}
	f.Fuzz(func(t *testing.T, text string, precision, scale uint8) {
		col := Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: mysql.DecimalMeta(int(precision), int(scale))}
		packed, err := appendValue(nil, &col, text, true)
		if err != nil || len(packed) == 0 {
			return
		}
		val, err := DecodeValue(&col, packed)
		require.NoError(t, err)
		again, err := appendValue(nil, &col, val, true)
		require.NoError(t, err)
		require.Equal(t, packed, again)
	})
}

// FuzzTemporal: keys of times compare as the times do, whatever they are.
func FuzzTemporal(f *testing.F) {
	f.Add(int64(0), int64(1), uint8(3))
	f.Add(int64(-1), int64(1), uint8(6))
	f.Fuzz(func(t *testing.T, a, b int64, fsp uint8) {
		for _, c := range []struct {
			typ byte
			of  func(int64) any
		}{
			{mysql.MYSQL_TYPE_TIME2, func(n int64) any { return time.Duration(n) }},
			{mysql.MYSQL_TYPE_DATETIME2, func(n int64) any { return time.Unix(0, n).UTC() }},
		} {
			col := Column{Type: c.typ, Meta: uint16(fsp % 7)}
			ka, errA := AppendKeyValue(nil, col, KeyPart{}, c.of(a))
			kb, errB := AppendKeyValue(nil, col, KeyPart{}, c.of(b))
			if errA == nil && errB == nil {
				require.Equal(t, a < b, bytes.Compare(ka, kb) < 0)
				require.Equal(t, a == b, bytes.Equal(ka, kb))
			}
		}
	})
}
