package convert_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/replication/replica/convert"
	"github.com/duramendb/duramen/row"
)

func TestParseConversions(t *testing.T) {
	for text, want := range map[string]convert.Conversions{
		"": 0, "ALL_LOSSY": convert.AllLossy, "all_non_lossy": convert.AllNonLossy, "ALL_NON_LOSSY,ALL_LOSSY": convert.AllLossy | convert.AllNonLossy,
	} {
		got, err := convert.ParseConversions(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		again, err := convert.ParseConversions(got.String())
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
	_, err := convert.ParseConversions("ALL_LOSSY,SOME")
	require.EqualError(t, err, "SOME")
}

// Columns of the tests.
var (
	tiny   = catalog.ColumnDef{Name: "tiny", SQLType: "tinyint(4)", Type: mysql.MYSQL_TYPE_TINY}
	short  = catalog.ColumnDef{Name: "short", SQLType: "smallint(6)", Type: mysql.MYSQL_TYPE_SHORT}
	whole  = catalog.ColumnDef{Name: "whole", SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG}
	large  = catalog.ColumnDef{Name: "large", SQLType: "bigint(20)", Type: mysql.MYSQL_TYPE_LONGLONG}
	letter = catalog.ColumnDef{Name: "letter", SQLType: "varchar(5)", Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 5, Collation: mysql.Collation_latin1_swedish_ci}
	word   = catalog.ColumnDef{Name: "word", SQLType: "varchar(5)", Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 20, Collation: mysql.Collation_utf8mb4_general_ci}
)

func nullable(c catalog.ColumnDef) catalog.ColumnDef { c.Nullable = true; return c }

func without(c catalog.ColumnDef) catalog.ColumnDef { c.Unsigned = true; return c }

func in(c catalog.ColumnDef, collation uint16) catalog.ColumnDef { c.Collation = collation; return c }

func infoOf(metadata event.RowMetadata, columns ...catalog.ColumnDef) *event.TableMapInfo {
	info := &event.TableMapInfo{Schema: "p", Table: "t", Metadata: metadata}
	for i := range columns {
		info.Columns = append(info.Columns, metaOf(&columns[i]))
	}
	return info
}

func encode(t testing.TB, tbl *catalog.Table, values ...any) []byte {
	t.Helper()
	b, err := row.Encode(nil, tbl.Columns, values)
	require.NoError(t, err)
	return b
}

// partial is the image of some columns, with its bitmap.
func partial(t testing.TB, tbl *catalog.Table, present []bool, values ...any) (image, bitmap []byte) {
	t.Helper()
	image, err := row.Project(nil, tbl.Columns, encode(t, tbl, values...), present)
	require.NoError(t, err)
	return image, row.Bitmap(present)
}

// identity reports whether images that have all columns, 8 at most, are those of this server's table as they are.
func identity(p *convert.Plan) bool { return p.Same([]byte{0xff}, nil) }

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to []catalog.ColumnDef
		identity bool
	}{
		{"same", []catalog.ColumnDef{whole, letter}, []catalog.ColumnDef{whole, letter}, true},
		{"wider", []catalog.ColumnDef{tiny, letter}, []catalog.ColumnDef{short, letter}, false},
		{"one more here", []catalog.ColumnDef{whole}, []catalog.ColumnDef{whole, letter}, false},
		{"one more there", []catalog.ColumnDef{whole, letter}, []catalog.ColumnDef{whole}, false},
		{"NULL for NOT NULL", []catalog.ColumnDef{nullable(whole)}, []catalog.ColumnDef{whole}, false},
		{"NOT NULL for NULL", []catalog.ColumnDef{whole}, []catalog.ColumnDef{nullable(whole)}, true},
		{"longer", []catalog.ColumnDef{letter}, []catalog.ColumnDef{word}, false},
	} {
		p, err := convert.Compile(infoOf(event.RowMetadataNoLog, c.from...), table(t, c.to...), convert.AllNonLossy)
		require.NoError(t, err, c.name)
		require.Equal(t, c.identity, identity(p), c.name)
	}
}

// TestSame has images that need no copy, and others: with fewer columns, or with bits that are of no column.
func TestSame(t *testing.T) {
	there := table(t, whole, nullable(letter))
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, whole, nullable(letter)), there, 0)
	require.NoError(t, err)
	image := encode(t, there, 7, nil)
	for _, present := range [][]byte{nil, {3}} {
		require.True(t, p.Full(present))
		require.True(t, p.Same(image, present))
		same, err := p.Insert(nil, image, present)
		require.NoError(t, err)
		require.Equal(t, image, same)
	}
	require.False(t, p.Full([]byte{1}))
	require.False(t, p.Same(image, []byte{1}))
	require.False(t, p.Same(nil, nil))
	odd := append([]byte{image[0] & 3}, image[1:]...)
	require.False(t, p.Same(odd, nil))
	even, err := p.Insert(nil, odd, nil)
	require.NoError(t, err)
	require.Equal(t, image, even)
	more, err := convert.Compile(infoOf(event.RowMetadataNoLog, whole), there, 0)
	require.NoError(t, err)
	require.False(t, more.Full(nil))
}

func TestImages(t *testing.T) {
	there := table(t, tiny, nullable(letter), whole, large)
	here := table(t, whole, nullable(letter), whole)
	p, err := convert.Compile(infoOf(event.RowMetadataMinimal, tiny, nullable(letter), whole, large), here, convert.AllNonLossy)
	require.NoError(t, err)
	got, err := p.Insert([]byte("kept"), encode(t, there, -3, nil, 7, 9), nil)
	require.NoError(t, err)
	require.Equal(t, append([]byte("kept"), encode(t, here, -3, nil, 7)...), got)

	image, present := partial(t, there, []bool{true, false, false, true}, -3, "x", 7, 9)
	got, known, err := p.Before(nil, image, present)
	require.NoError(t, err)
	want, wantKnown := partial(t, here, []bool{true, false, false}, -3, "x", 7)
	require.Equal(t, want, got)
	require.Equal(t, wantKnown, known)
	got, known, err = p.Before(nil, encode(t, there, -3, nil, 7, 9), nil)
	require.NoError(t, err)
	require.Equal(t, encode(t, here, -3, nil, 7), got)
	require.Equal(t, []byte{7}, known)

	got, err = p.After([]byte("kept"), image, present, encode(t, here, 1, "old", 2))
	require.NoError(t, err)
	require.Equal(t, append([]byte("kept"), encode(t, here, -3, "old", 2)...), got)
	image, present = partial(t, there, []bool{false, true, true, false}, -3, nil, 7, 9)
	got, err = p.After(nil, image, present, encode(t, here, 1, "old", 2))
	require.NoError(t, err)
	require.Equal(t, encode(t, here, 1, nil, 7), got)
	got, err = p.Insert(nil, image, present)
	require.NoError(t, err)
	require.Equal(t, encode(t, here, 0, nil, 7), got)
}

func TestErrorsLeaveWhatWasThere(t *testing.T) {
	there, here := table(t, whole, whole), table(t, whole, tiny)
	p, err := convert.Compile(infoOf(event.RowMetadataMinimal, whole, whole), table(t, whole, without(whole)), 0)
	require.NoError(t, err)
	image := encode(t, there, 1, -1)
	for name, f := range map[string]func(dst []byte) ([]byte, error){
		"Insert": func(dst []byte) ([]byte, error) { return p.Insert(dst, image, nil) },
		"Before": func(dst []byte) ([]byte, error) { out, _, err := p.Before(dst, image, nil); return out, err },
		"After":  func(dst []byte) ([]byte, error) { return p.After(dst, image, nil, encode(t, here, 1, 1)) },
	} {
		out, err := f([]byte("kept"))
		var e *convert.ValueError
		require.ErrorAs(t, err, &e, name)
		require.EqualValues(t, 1264, e.Number())
		require.Equal(t, "whole", e.Column)
		require.Equal(t, "kept", string(out), name)
		require.Contains(t, err.Error(), "out of range")
	}
	for _, image := range [][]byte{nil, {0xfc}, {0xfc, 1, 0, 0, 0}, {0xfc, 1, 0, 0, 0, 1, 0, 0}} {
		_, err := p.Insert(nil, image, nil)
		require.ErrorIs(t, err, convert.ErrImage)
	}
	_, err = p.Insert(nil, image, []byte{})
	require.ErrorIs(t, err, convert.ErrImage)
	_, err = p.After(nil, []byte{0xfc}, []byte{0}, []byte{})
	require.ErrorIs(t, err, convert.ErrImage)
}

func TestNullForNotNull(t *testing.T) {
	here := whole
	here.Default, here.HasDefault, here.DefaultLiteral = "5", true, true
	image := encode(t, table(t, nullable(whole)), nil)
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, nullable(whole)), table(t, here), convert.AllNonLossy)
	require.NoError(t, err)
	_, err = p.Insert(nil, image, nil)
	var e *convert.ValueError
	require.ErrorAs(t, err, &e)
	require.EqualValues(t, 1048, e.Number())
	p, err = convert.Compile(infoOf(event.RowMetadataNoLog, nullable(whole)), table(t, here), convert.AllLossy)
	require.NoError(t, err)
	got, err := p.Insert(nil, image, nil)
	require.NoError(t, err)
	require.Equal(t, encode(t, table(t, whole), 5), got)
}

func TestAutoIncrement(t *testing.T) {
	id := large
	id.AutoIncrement = true
	here := table(t, whole, id)
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, whole), here, 0)
	require.NoError(t, err)
	at, ok := p.AutoIncrement(nil)
	require.True(t, ok)
	require.Equal(t, 1, at)
	got, err := p.Insert(nil, encode(t, table(t, whole), 3), nil)
	require.NoError(t, err)
	require.Equal(t, encode(t, here, 3, 0), got)
	p, err = convert.Compile(infoOf(event.RowMetadataNoLog, whole, large), here, 0)
	require.NoError(t, err)
	_, ok = p.AutoIncrement(nil)
	require.False(t, ok)
	_, ok = p.AutoIncrement([]byte{1})
	require.True(t, ok)
	p, err = convert.Compile(infoOf(event.RowMetadataNoLog, whole), table(t, whole), 0)
	require.NoError(t, err)
	_, ok = p.AutoIncrement(nil)
	require.False(t, ok)
}

func TestSigns(t *testing.T) {
	const unknown, known = event.RowMetadataNoLog, event.RowMetadataMinimal
	for _, c := range []struct {
		metadata event.RowMetadata
		from, to catalog.ColumnDef
		modes    convert.Conversions
		value    any
		want     any // nil: an error
	}{
		{unknown, whole, without(whole), 0, -2, uint64(4294967294)},
		{known, whole, without(whole), 0, -2, nil},
		{known, whole, without(whole), convert.AllLossy, -2, uint64(4294967294)},
		{known, whole, without(whole), 0, math.MaxInt32, uint64(math.MaxInt32)},
		{known, without(whole), whole, 0, math.MaxInt32, int64(math.MaxInt32)},
		{known, without(whole), whole, 0, uint64(4294967294), nil},
		{known, without(whole), whole, convert.AllLossy, uint64(4294967294), int64(-2)},
		{unknown, whole, without(large), convert.AllNonLossy, -2, uint64(4294967294)},
		{known, whole, without(large), convert.AllNonLossy, -2, nil},
		{known, whole, without(large), convert.AllNonLossy, 2, uint64(2)},
		{unknown, without(whole), large, convert.AllNonLossy, uint64(4294967294), int64(-2)},
		{known, without(whole), large, convert.AllNonLossy, uint64(4294967294), int64(4294967294)},
		{known, whole, without(tiny), convert.AllLossy, -3, uint64(255)},
		{known, large, without(large), 0, int64(math.MinInt64), nil},
		{known, without(large), large, 0, uint64(math.MaxUint64), nil},
		{known, without(large), without(tiny), convert.AllLossy, uint64(math.MaxUint64), uint64(255)},
		{known, large, tiny, convert.AllLossy, int64(math.MinInt64), int64(-128)},
	} {
		p, err := convert.Compile(infoOf(c.metadata, c.from), table(t, c.to), c.modes)
		require.NoError(t, err)
		got, err := p.Insert(nil, encode(t, table(t, c.from), c.value), nil)
		if c.want == nil {
			var e *convert.ValueError
			require.ErrorAs(t, err, &e, "%v: %x", c, got)
			continue
		}
		require.NoError(t, err, "%v", c)
		require.Equal(t, encode(t, table(t, c.to), c.want), got, "%v", c)
	}
}

func TestSignsOfOtherNumbers(t *testing.T) {
	for _, c := range []catalog.ColumnDef{
		{Name: "f", Type: mysql.MYSQL_TYPE_FLOAT, Meta: 4}, {Name: "d", Type: mysql.MYSQL_TYPE_DOUBLE, Meta: 8}, {Name: "n", Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: mysql.DecimalMeta(5, 2)},
	} {
		value := func(n float64) any {
			if c.Name == "n" {
				return map[float64]string{-1: "-1", 0: "0", 1: "1"}[n]
			}
			return n
		}
		p, err := convert.Compile(infoOf(event.RowMetadataMinimal, c), table(t, without(c)), 0)
		require.NoError(t, err)
		for _, n := range []float64{0, 1} {
			image := encode(t, table(t, c), value(n))
			got, err := p.Insert(nil, image, nil)
			require.NoError(t, err)
			require.Equal(t, image, got)
		}
		_, err = p.Insert(nil, encode(t, table(t, c), value(-1)), nil)
		var e *convert.ValueError
		require.ErrorAs(t, err, &e)
		p, err = convert.Compile(infoOf(event.RowMetadataNoLog, c), table(t, without(c)), 0)
		require.NoError(t, err)
		require.True(t, identity(p))
	}
}

func TestCharacterSets(t *testing.T) {
	const latin1, utf8mb4, utf8mb3, ascii, cp1251, binary, ucs2 = 8, 45, 33, 11, 51, 63, 35
	long := catalog.ColumnDef{Name: "c", SQLType: "varchar(20)", Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 80}
	for _, c := range []struct {
		metadata event.RowMetadata
		from, to uint16
		modes    convert.Conversions
		text     string
		want     string
		number   uint16 // of the error
	}{
		{event.RowMetadataMinimal, latin1, utf8mb4, 0, "abc", "abc", 0},
		{event.RowMetadataMinimal, latin1, utf8mb4, 0, "\xe9", "", 1366},
		{event.RowMetadataMinimal, latin1, utf8mb4, 0, "\xc3\xa9", "", 1366},
		{event.RowMetadataMinimal, latin1, cp1251, 0, "\xe9", "", 1366},
		{event.RowMetadataMinimal, latin1, cp1251, convert.AllLossy, "\xe9", "\xe9", 0},
		{event.RowMetadataMinimal, utf8mb3, utf8mb4, 0, "é", "é", 0},
		{event.RowMetadataMinimal, utf8mb4, utf8mb3, 0, "é€", "é€", 0},
		{event.RowMetadataMinimal, utf8mb4, utf8mb3, 0, "😀", "", 1366},
		{event.RowMetadataMinimal, utf8mb4, utf8mb3, convert.AllLossy, "a😀", "a????", 0},
		{event.RowMetadataMinimal, ascii, cp1251, 0, "abc", "abc", 0},
		{event.RowMetadataMinimal, binary, utf8mb4, 0, "é", "é", 0},
		{event.RowMetadataMinimal, binary, utf8mb4, 0, "\xe9", "", 1366},
		{event.RowMetadataMinimal, utf8mb4, binary, 0, "é", "é", 0},
		{event.RowMetadataMinimal, ucs2, utf8mb4, 0, "", "", 1677},
		{event.RowMetadataMinimal, latin1, ucs2, convert.AllLossy, "", "", 1677},
		{event.RowMetadataMinimal, binary, ucs2, 0, "", "", 1677},
		{event.RowMetadataMinimal, ucs2, ucs2, 0, "\x00a", "\x00a", 0},
		{event.RowMetadataNoLog, latin1, utf8mb4, 0, "\xe9", "\xe9", 0},
		{event.RowMetadataNoLog, latin1, cp1251, 0, "\xe9", "\xe9", 0},
	} {
		p, err := convert.Compile(infoOf(c.metadata, in(long, c.from)), table(t, in(long, c.to)), c.modes)
		if c.number == 1677 {
			var e *convert.TypeError
			require.ErrorAs(t, err, &e, "%v", c)
			continue
		}
		require.NoError(t, err, "%v", c)
		got, err := p.Insert(nil, append([]byte{0xfe, byte(len(c.text))}, c.text...), nil)
		if c.number != 0 {
			var e *convert.ValueError
			require.ErrorAs(t, err, &e, "%v: %q", c, got)
			require.Equal(t, c.number, e.Number())
			continue
		}
		require.NoError(t, err, "%v", c)
		require.Equal(t, append([]byte{0xfe, byte(len(c.want))}, c.want...), got, "%v", c)
	}
}

func TestLengths(t *testing.T) {
	wideText := catalog.ColumnDef{Name: "c", Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 16, Collation: 8}
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, wideText), table(t, word), convert.AllNonLossy)
	require.NoError(t, err)
	for text, ok := range map[string]bool{"abcde": true, "äöüäö": true, "abcde     ": true, "abcdef": false, "äöüäöü": false} {
		_, err := p.Insert(nil, append([]byte{0xfe, byte(len(text))}, text...), nil)
		require.Equal(t, ok, err == nil, "%q: %v", text, err)
	}
	sjis := in(word, 13) // five characters of two octets
	sjis.Meta = 10
	p, err = convert.Compile(infoOf(event.RowMetadataNoLog, letter), table(t, sjis), convert.AllNonLossy)
	require.NoError(t, err)
	got, err := p.Insert(nil, []byte("\xfe\x05abcde"), nil)
	require.NoError(t, err)
	require.Equal(t, "\xfe\x05abcde", string(got))
	p, err = convert.Compile(infoOf(event.RowMetadataNoLog, wideText), table(t, sjis), convert.AllLossy)
	require.NoError(t, err)
	got, err = p.Insert(nil, []byte("\xfe\x09ab\x82\xa0\x82\xa0\x82\xa0z"), nil)
	require.NoError(t, err)
	require.Equal(t, "\xfe\x08ab\x82\xa0\x82\xa0\x82\xa0", string(got))
}

func TestCharBesideBinary(t *testing.T) {
	char := catalog.ColumnDef{Name: "c", SQLType: "char(5)", Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(5), Collation: mysql.Collation_latin1_swedish_ci}
	bytes := catalog.ColumnDef{Name: "c", SQLType: "varbinary(20)", Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 20, Collation: mysql.Collation_binary}
	for metadata, want := range map[event.RowMetadata]string{event.RowMetadataNoLog: "\xfe\x05a\x00\x00\x00\x00", event.RowMetadataMinimal: "\xfe\x01a"} {
		p, err := convert.Compile(infoOf(metadata, char), table(t, bytes), convert.AllNonLossy)
		require.NoError(t, err)
		got, err := p.Insert(nil, []byte("\xfe\x01a"), nil)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	// What is known to be no text loses its spaces in a CHAR, which has none at its end.
	p, err := convert.Compile(infoOf(event.RowMetadataMinimal, in(char, mysql.Collation_binary)), table(t, char), 0)
	require.NoError(t, err)
	got, err := p.Insert(nil, []byte("\xfe\x03a  "), nil)
	require.NoError(t, err)
	require.Equal(t, "\xfe\x01a", string(got))
}

func TestMembersByName(t *testing.T) {
	of := func(typ byte, names ...string) catalog.ColumnDef {
		return catalog.ColumnDef{Name: "c", SQLType: "...", Type: mysql.MYSQL_TYPE_STRING, Meta: uint16(typ)<<8 | 1, Collation: 45, EnumValues: names}
	}
	for _, c := range []struct {
		from, to catalog.ColumnDef
		metadata event.RowMetadata
		value    byte
		ok       bool
	}{
		{of(mysql.MYSQL_TYPE_ENUM, "a", "b"), of(mysql.MYSQL_TYPE_ENUM, "a", "b", "c"), event.RowMetadataFull, 2, true},
		{of(mysql.MYSQL_TYPE_ENUM, "a", "b"), of(mysql.MYSQL_TYPE_ENUM, "a", "c", "b"), event.RowMetadataFull, 1, true},
		{of(mysql.MYSQL_TYPE_ENUM, "a", "b"), of(mysql.MYSQL_TYPE_ENUM, "a", "c", "b"), event.RowMetadataFull, 2, false},
		{of(mysql.MYSQL_TYPE_ENUM, "a", "b"), of(mysql.MYSQL_TYPE_ENUM, "a", "c", "b"), event.RowMetadataMinimal, 2, true},
		{of(mysql.MYSQL_TYPE_ENUM, "a", "b"), of(mysql.MYSQL_TYPE_ENUM, "a"), event.RowMetadataFull, 2, false},
		{of(mysql.MYSQL_TYPE_ENUM, "a", "b"), of(mysql.MYSQL_TYPE_ENUM, "a"), event.RowMetadataFull, 0, true},
		{of(mysql.MYSQL_TYPE_SET, "a", "b"), of(mysql.MYSQL_TYPE_SET, "a", "x"), event.RowMetadataFull, 1, true},
		{of(mysql.MYSQL_TYPE_SET, "a", "b"), of(mysql.MYSQL_TYPE_SET, "a", "x"), event.RowMetadataFull, 3, false},
		{of(mysql.MYSQL_TYPE_SET, "a", "b"), of(mysql.MYSQL_TYPE_SET, "a"), event.RowMetadataFull, 2, false},
	} {
		info := infoOf(c.metadata, c.from)
		p, err := convert.Compile(info, table(t, c.to), 0)
		require.NoError(t, err)
		_, err = p.Insert(nil, []byte{0xfe, c.value}, nil)
		require.Equal(t, c.ok, err == nil, "%v: %v", c, err)
		p, err = convert.Compile(info, table(t, c.to), convert.AllLossy)
		require.NoError(t, err)
		got, err := p.Insert(nil, []byte{0xfe, c.value}, nil)
		require.NoError(t, err)
		require.Equal(t, []byte{0xfe, c.value}, got, "as MariaDB")
	}
}

// TestMoreDigits is of what MariaDB cannot do: it stops with 1030.
func TestMoreDigits(t *testing.T) {
	before := catalog.ColumnDef{Name: "c", SQLType: "datetime", Type: mysql.MYSQL_TYPE_DATETIME2}
	after := catalog.ColumnDef{Name: "c", SQLType: "datetime(6)", Type: mysql.MYSQL_TYPE_DATETIME2, Meta: 6}
	_, err := convert.Compile(infoOf(event.RowMetadataNoLog, before), table(t, after), 0)
	require.EqualError(t, err, "Column 0 of table 'd.t' cannot be converted from type 'datetime' to type 'datetime(6)'")
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, before), table(t, after), convert.AllNonLossy)
	require.NoError(t, err)
	at := time.Date(2020, 2, 29, 12, 34, 56, 0, time.UTC)
	got, err := p.Insert(nil, encode(t, table(t, before), at), nil)
	require.NoError(t, err)
	require.Equal(t, encode(t, table(t, after), at), got)
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		from event.ColumnMeta
		to   catalog.ColumnDef
		name string
	}{
		{event.ColumnMeta{Type: mysql.MYSQL_TYPE_JSON, Meta: 4}, catalog.ColumnDef{SQLType: "json", Type: mysql.MYSQL_TYPE_BLOB, Meta: 4}, "json"},
		{event.ColumnMeta{Type: mysql.MYSQL_TYPE_JSON, Meta: 4}, catalog.ColumnDef{SQLType: "json", Type: mysql.MYSQL_TYPE_JSON, Meta: 4}, "json"},
		{event.ColumnMeta{Type: mysql.MYSQL_TYPE_VARCHAR_COMPRESSED, Meta: 21}, word, "varchar(21 octets) compressed"},
		{event.ColumnMeta{Type: mysql.MYSQL_TYPE_BLOB_COMPRESSED, Meta: 3}, word, "mediumblob compressed"},
		{event.ColumnMeta{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: 200<<8 | 100}, catalog.ColumnDef{SQLType: "decimal(10,2)", Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: mysql.DecimalMeta(10, 2)}, "decimal(200,100)"},
		{event.ColumnMeta{Type: 242}, word, "type 242"},
		{event.ColumnMeta{Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(15)}, catalog.ColumnDef{SQLType: "uuid", Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(16), Collation: mysql.Collation_binary}, "binary(15)"},
	} {
		_, err := convert.Compile(&event.TableMapInfo{Columns: []event.ColumnMeta{c.from}}, table(t, c.to), convert.AllLossy|convert.AllNonLossy)
		var e *convert.TypeError
		require.ErrorAs(t, err, &e)
		require.Equal(t, c.name, e.From)
	}
}

// BenchmarkInsert is a row of which one column is widened.
func BenchmarkInsert(b *testing.B) {
	there := table(b, whole, letter, whole, large)
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, whole, letter, whole, large), table(b, whole, letter, large, large), convert.AllNonLossy)
	require.NoError(b, err)
	image := encode(b, there, 1, "abcde", -5, 7)
	var dst []byte
	for b.Loop() {
		if dst, err = p.Insert(dst[:0], image, nil); err != nil {
			b.Fatal(err)
		}
	}
}
