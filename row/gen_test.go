package row

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// testColumn is a column with a generator of its values, in the form in which
// Decode returns them, and the order that SQL gives them.
type testColumn struct {
	Column
	values  *rapid.Generator[any]
	compare func(a, b any) int
}

func compareAs[T cmp.Ordered](a, b any) int { return cmp.Compare(a.(T), b.(T)) }

func boxed[T any](g *rapid.Generator[T]) *rapid.Generator[any] {
	return rapid.Map(g, func(v T) any { return v })
}

func compareTimes(a, b any) int { return a.(time.Time).Compare(b.(time.Time)) }

func compareDecimals(a, b any) int {
	x, _ := new(big.Rat).SetString(a.(string))
	y, _ := new(big.Rat).SetString(b.(string))
	return x.Cmp(y)
}

// comparePadded compares bytes as a PAD SPACE collation does: the shorter is
// continued with spaces.
func comparePadded(a, b any) int {
	x, y := []byte(a.(string)), []byte(b.(string))
	n := max(len(x), len(y))
	for len(x) < n {
		x = append(x, ' ')
	}
	for len(y) < n {
		y = append(y, ' ')
	}
	return bytes.Compare(x, y)
}

// fold is a case-insensitive weight of two bytes per byte.
func fold(dst, s []byte) []byte {
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, 0, c)
	}
	return dst
}

func comparePaddedFolded(a, b any) int {
	return comparePadded(strings.ToLower(a.(string)), strings.ToLower(b.(string)))
}

func genInteger(bits int, unsigned bool) *rapid.Generator[any] {
	if unsigned {
		return boxed(rapid.Uint64Max(math.MaxUint64 >> (64 - bits)))
	}
	return boxed(rapid.Int64Range(-1<<(bits-1), 1<<(bits-1)-1))
}

// genText draws from an alphabet in which spaces and what sorts around them are common.
func genText(maxRunes int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("aAbB  \t\x00\x01!~\u00e9\u4e2d\U0001F600")), -1, maxRunes, maxRunes*4)
}

func genBytes(n int) *rapid.Generator[[]byte] {
	return rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, ' ', 'a', 0xfe, 0xff}), 0, n)
}

func genDecimal(precision, scale int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		digits := rapid.StringOfN(rapid.RuneFrom([]rune("0001599")), precision, precision, -1).Draw(t, "digits")
		whole := strings.TrimLeft(digits[:precision-scale], "0")
		if whole == "" {
			whole = "0"
		}
		text := whole
		if scale > 0 {
			text += "." + digits[precision-scale:]
		}
		if strings.Trim(text, "0.") != "" && rapid.Bool().Draw(t, "negative") {
			text = "-" + text
		}
		return text
	})
}

func genTime(fsp int, low, high time.Time) *rapid.Generator[any] {
	unit := int64(math.Pow10(9 - fsp))
	return rapid.Custom(func(t *rapid.T) any {
		sec := rapid.Int64Range(low.Unix(), high.Unix()).Draw(t, "sec")
		frac := rapid.Int64Range(0, 1e9/unit-1).Draw(t, "fraction")
		return time.Unix(sec, frac*unit).UTC()
	})
}

func genDuration(fsp int) *rapid.Generator[any] {
	unit := time.Duration(math.Pow10(9 - fsp))
	limit := int64((838*time.Hour + 59*time.Minute + 59*time.Second) / unit)
	return rapid.Map(rapid.Int64Range(-limit, limit), func(n int64) any { return time.Duration(n) * unit })
}

// testColumns has every kind of column, several with all variants of length.
func testColumns() []testColumn {
	var cols []testColumn
	add := func(c Column, values *rapid.Generator[any], compare func(a, b any) int) {
		if c.Collation == 0 {
			c.Collation = mysql.Collation_binary
		}
		c.Name = fmt.Sprintf("c%d_type%d_meta%#x", len(cols), c.Type, c.Meta)
		cols = append(cols, testColumn{c, values, compare})
	}
	for _, i := range []struct {
		typ  byte
		bits int
	}{
		{mysql.MYSQL_TYPE_TINY, 8}, {mysql.MYSQL_TYPE_SHORT, 16}, {mysql.MYSQL_TYPE_INT24, 24},
		{mysql.MYSQL_TYPE_LONG, 32}, {mysql.MYSQL_TYPE_LONGLONG, 64},
	} {
		add(Column{Type: i.typ}, genInteger(i.bits, false), compareAs[int64])
		add(Column{Type: i.typ, Unsigned: true}, genInteger(i.bits, true), compareAs[uint64])
	}
	add(Column{Type: mysql.MYSQL_TYPE_FLOAT, Meta: 4}, boxed(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)), compareAs[float32])
	add(Column{Type: mysql.MYSQL_TYPE_DOUBLE, Meta: 8}, boxed(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)), compareAs[float64])
	for _, d := range [][2]int{{1, 0}, {1, 1}, {5, 2}, {9, 9}, {10, 0}, {18, 9}, {19, 10}, {20, 1}, {38, 38}, {65, 0}, {65, 30}} {
		add(Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: mysql.DecimalMeta(d[0], d[1])}, genDecimal(d[0], d[1]), compareDecimals)
	}
	first, last := time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	days := rapid.Map(rapid.IntRange(0, 3000000), func(n int) any { return first.AddDate(0, 0, n) })
	add(Column{Type: mysql.MYSQL_TYPE_DATE}, days, compareTimes)
	add(Column{Type: mysql.MYSQL_TYPE_NEWDATE}, days, compareTimes)
	for fsp := 0; fsp <= 6; fsp++ {
		meta := uint16(fsp)
		add(Column{Type: mysql.MYSQL_TYPE_TIME2, Meta: meta}, genDuration(fsp), compareAs[time.Duration])
		add(Column{Type: mysql.MYSQL_TYPE_DATETIME2, Meta: meta}, genTime(fsp, first, last), compareTimes)
		add(Column{Type: mysql.MYSQL_TYPE_TIMESTAMP2, Meta: meta}, genTime(fsp, time.Unix(1, 0), time.Unix(math.MaxUint32, 0)), compareTimes)
	}
	add(Column{Type: mysql.MYSQL_TYPE_TIMESTAMP}, genTime(0, time.Unix(1, 0), time.Unix(math.MaxUint32, 0)), compareTimes)
	add(Column{Type: mysql.MYSQL_TYPE_TIME}, genDuration(0), compareAs[time.Duration])
	add(Column{Type: mysql.MYSQL_TYPE_DATETIME}, genTime(0, first, last), compareTimes)
	add(Column{Type: mysql.MYSQL_TYPE_YEAR}, boxed(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1901, 2155))), compareAs[int64])
	for _, n := range []int{1, 7, 8, 9, 63, 64} {
		add(Column{Type: mysql.MYSQL_TYPE_BIT, Meta: mysql.BitMeta(n)}, genInteger(n, true), compareAs[uint64])
	}
	for _, n := range []int{2, 300} {
		values := boxed(rapid.Uint64Range(0, uint64(n)))
		add(Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.EnumMeta(n)}, values, compareAs[uint64])
		add(Column{Type: mysql.MYSQL_TYPE_ENUM, Meta: mysql.EnumMeta(n)}, values, compareAs[uint64])
	}
	for _, n := range []int{1, 8, 9, 17, 25, 33, 64} {
		add(Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.SetMeta(n)}, genInteger(n, true), compareAs[uint64])
	}
	addTextColumns(add)
	return cols
}

func addTextColumns(add func(Column, *rapid.Generator[any], func(a, b any) int)) {
	text := boxed(genText(20))
	raw := boxed(genBytes(30))
	trimmed := rapid.Map(genText(20), func(s string) any { return strings.TrimRight(s, " ") })
	compareBytes := func(a, b any) int { return bytes.Compare(a.([]byte), b.([]byte)) }
	const bin, nopad = 46, 1070 // utf8mb4_bin, utf8mb4_nopad_bin
	for _, bytesMax := range []uint16{80, 255, 256, 4000} {
		add(Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: bytesMax}, raw, compareBytes)
		add(Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: bytesMax, Collation: nopad}, text, compareAs[string])
		add(Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: bytesMax, Collation: bin, PadSpace: true}, text, comparePadded)
		add(Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: bytesMax, Collation: 45, PadSpace: true, Weight: fold}, text, comparePaddedFolded)
	}
	for _, n := range []int{80, 255, 256, 511, 512, 1020} {
		binary := rapid.Map(genBytes(n), func(b []byte) any { return append(b, make([]byte, n-len(b))...) })
		add(Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(n)}, binary, compareBytes)
		add(Column{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(n), Collation: bin, PadSpace: true}, trimmed, comparePadded)
	}
	for size := uint16(1); size <= 4; size++ {
		add(Column{Type: mysql.MYSQL_TYPE_BLOB, Meta: size}, raw, compareBytes)
		add(Column{Type: mysql.MYSQL_TYPE_BLOB, Meta: size, Collation: bin, PadSpace: true}, text, comparePadded)
	}
	add(Column{Type: mysql.MYSQL_TYPE_TINY_BLOB, Meta: 1, Collation: nopad}, text, compareAs[string])
	add(Column{Type: mysql.MYSQL_TYPE_GEOMETRY, Meta: 4}, raw, compareBytes)
}

// genRow draws some columns and one row of them; some columns are NULL.
func genRow(t *rapid.T) ([]Column, []any) {
	all := testColumns()
	n := rapid.IntRange(1, 20).Draw(t, "columns")
	cols, vals := make([]Column, n), make([]any, n)
	for i := range cols {
		c := all[rapid.IntRange(0, len(all)-1).Draw(t, "column")]
		cols[i] = c.Column
		cols[i].Nullable = true
		if rapid.IntRange(0, 4).Draw(t, "null") > 0 {
			vals[i] = c.values.Draw(t, "value")
		}
	}
	return cols, vals
}

// logged are columns as package event measures their images.
func logged(cols []Column) []event.ColumnMeta {
	out := make([]event.ColumnMeta, len(cols))
	for i, c := range cols {
		out[i] = event.ColumnMeta{Type: c.Type, Meta: c.Meta}
	}
	return out
}
