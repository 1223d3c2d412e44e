package schema

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
)

// column makes everything that belongs to one column of a type.
func column(t testing.TB, text string, coll uint16, digits int) (sql.Type, *Codec, row.Column) {
	t.Helper()
	typ, err := ParseType(text, coll)
	require.NoError(t, err)
	st, err := StorageOf(typ, digits)
	require.NoError(t, err)
	def := &catalog.TableDef{DB: "d", Name: "t", Columns: []catalog.ColumnDef{{
		Name: "c", SQLType: TypeText(typ, digits), Nullable: true,
		Type: st.Type, Meta: st.Meta, Unsigned: st.Unsigned, Collation: st.Collation, EnumValues: st.Values,
	}}}
	sch, err := Schema(def)
	require.NoError(t, err)
	require.True(t, typ.Equals(sch.Schema[0].Type), "%s became %s", typ, sch.Schema[0].Type)
	codec, err := NewCodec(def, sch.Schema)
	require.NoError(t, err)
	col := catalog.CompileColumn(&def.Columns[0], func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) })
	return typ, codec, col
}

const general = uint16(sql.Collation_utf8mb4_general_ci)

func decimal(s string) *apd.Decimal {
	d, _, err := apd.NewFromString(s)
	if err != nil {
		panic(err)
	}
	return d
}

func date(s string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05.999999", "2006-01-02"} {
		if d, err := time.Parse(layout, s); err == nil {
			return d
		}
	}
	panic(s)
}

func TestRoundTrip(t *testing.T) {
	latin1 := uint16(sql.Collation_latin1_swedish_ci)
	utf16 := uint16(sql.Collation_utf16_general_ci)
	long := strings.Repeat("ü", 300)
	for _, tc := range []struct {
		typ    string
		coll   uint16
		values []any
	}{
		{"tinyint", 63, []any{int8(-128), int8(0), int8(127)}},
		{"tinyint(1)", 63, []any{int8(0), int8(1)}},
		{"tinyint unsigned", 63, []any{uint8(0), uint8(255)}},
		{"smallint", 63, []any{int16(math.MinInt16), int16(math.MaxInt16)}},
		{"smallint unsigned", 63, []any{uint16(math.MaxUint16)}},
		{"mediumint", 63, []any{int32(-1 << 23), int32(1<<23 - 1)}},
		{"mediumint unsigned", 63, []any{uint32(1<<24 - 1)}},
		{"int", 63, []any{int32(math.MinInt32), int32(math.MaxInt32)}},
		{"int unsigned", 63, []any{uint32(math.MaxUint32)}},
		{"bigint", 63, []any{int64(math.MinInt64), int64(math.MaxInt64)}},
		{"bigint unsigned", 63, []any{uint64(math.MaxUint64)}},
		{"float", 63, []any{float32(-1.5), float32(0), float32(math.MaxFloat32)}},
		{"double", 63, []any{-1.5, 0.0, math.MaxFloat64, 5e-324}},
		{"decimal(10,2)", 63, []any{decimal("-12345678.90"), decimal("0.00"), decimal("99999999.99")}},
		{"decimal(65,30)", 63, []any{decimal("12345678901234567890123456789012345.123456789012345678901234567890")}},
		{"bit(1)", 63, []any{uint64(0), uint64(1)}},
		{"bit(64)", 63, []any{uint64(math.MaxUint64)}},
		{"bit(10)", 63, []any{uint64(0x3ff)}},
		{"year", 63, []any{int16(0), int16(1901), int16(2155)}},
		{"date", 63, []any{date("1000-01-01"), date("9999-12-31"), types.ZeroTime, time.Time{}}},
		{"datetime", 63, []any{date("2024-02-29 23:59:59"), types.ZeroTime}},
		{"datetime(6)", 63, []any{date("2024-02-29 23:59:59.123456")}},
		{"timestamp", 63, []any{date("1970-01-01 00:00:01"), date("2038-01-19 03:14:07")}},
		{"timestamp(3)", 63, []any{date("2024-02-29 23:59:59.123")}},
		{"time(6)", 63, []any{types.Timespan(-3020399999999), types.Timespan(0), types.Timespan(3020399000001)}},
		{"char(10)", general, []any{"", "a", "ten chars!"}},
		{"char(255)", general, []any{strings.Repeat("😀", 255)}},
		{"varchar(20)", general, []any{"", "trailing  ", "日本語"}},
		{"varchar(400)", general, []any{long}},
		{"varchar(20)", latin1, []any{"grün", "€"}},
		{"varchar(20)", utf16, []any{"aé😀"}},
		{"tinytext", general, []any{"tiny"}},
		{"text", general, []any{long}},
		{"mediumtext", general, []any{long}},
		{"longtext", general, []any{long}},
		{"binary(5)", 63, []any{[]byte("ab\x00\x00\x00"), []byte("abcde")}},
		{"varbinary(300)", 63, []any{[]byte{}, []byte("\x00\xff\x00")}},
		{"blob", 63, []any{[]byte{}, []byte("\x00\x01\xff")}},
		{"enum('a','b','c')", general, []any{uint16(0), uint16(1), uint16(3)}},
		{"set('a','b','c')", general, []any{uint64(0), uint64(5), uint64(7)}},
	} {
		_, codec, col := column(t, tc.typ, tc.coll, 6)
		for _, v := range append(tc.values, nil) {
			vals, err := codec.ToStore(context.Background(), nil, sql.Row{v})
			require.NoError(t, err, "%s: %v", tc.typ, v)
			image, err := row.Encode(nil, []row.Column{col}, vals)
			require.NoError(t, err, "%s: %v", tc.typ, v)
			back, err := rowtest.Decode([]row.Column{col}, image)
			require.NoError(t, err, "%s: %v", tc.typ, v)
			got, err := codec.FromStore(0, back[0])
			require.NoError(t, err, "%s: %v", tc.typ, v)
			if d, ok := v.(*apd.Decimal); ok {
				require.Zero(t, d.Cmp(got.(*apd.Decimal)), "%s: %v became %v", tc.typ, v, got)
				continue
			}
			require.Equal(t, v, got, tc.typ)
		}
	}
}

func TestRoundTripOfStructures(t *testing.T) {
	ctx := sql.NewEmptyContext()
	_, codec, col := column(t, "json", jsonCollation, 0)
	vals, err := codec.ToStore(ctx, nil, sql.Row{`{"b":[1,2.5,"x",null],  "a":{}}`})
	require.NoError(t, err)
	image, err := row.Encode(nil, []row.Column{col}, vals)
	require.NoError(t, err)
	back, err := rowtest.Decode([]row.Column{col}, image)
	require.NoError(t, err)
	got, err := codec.FromStore(0, back[0])
	require.NoError(t, err)
	require.Equal(t, `{"b":[1,2.5,"x",null],  "a":{}}`, got)

	point := types.Point{SRID: 4326, X: 1, Y: -2}
	for _, g := range []types.GeometryValue{
		point, types.LineString{SRID: 4326, Points: []types.Point{point, {SRID: 4326, X: 3, Y: 4}}},
	} {
		_, codec, col := column(t, "geometry", 63, 0)
		vals, err := codec.ToStore(ctx, nil, sql.Row{g})
		require.NoError(t, err)
		image, err := row.Encode(nil, []row.Column{col}, vals)
		require.NoError(t, err)
		back, err := rowtest.Decode([]row.Column{col}, image)
		require.NoError(t, err)
		got, err := codec.FromStore(0, back[0])
		require.NoError(t, err)
		require.Equal(t, g, got)
	}
}

func TestTruncation(t *testing.T) {
	_, codec, col := column(t, "time(2)", 63, 2)
	vals, err := codec.ToStore(context.Background(), nil, sql.Row{types.Timespan(1_239_999)})
	require.NoError(t, err)
	image, err := row.Encode(nil, []row.Column{col}, vals)
	require.NoError(t, err)
	back, err := rowtest.Decode([]row.Column{col}, image)
	require.NoError(t, err)
	got, err := codec.FromStore(0, back[0])
	require.NoError(t, err)
	require.Equal(t, types.Timespan(1_230_000), got)
}

func TestUnencodable(t *testing.T) {
	latin1 := uint16(sql.Collation_latin1_swedish_ci)
	_, codec, _ := column(t, "varchar(20)", latin1, 0)
	_, err := codec.ToStore(context.Background(), nil, sql.Row{"日本"})
	require.True(t, sql.ErrCharSetFailedToEncode.Is(err) || err != nil)
	_, err = codec.ToStore(context.Background(), nil, sql.Row{1, 2})
	require.ErrorContains(t, err, "2 values")
	_, err = codec.ToStore(context.Background(), nil, sql.Row{struct{}{}})
	require.ErrorIs(t, err, errType)
}

func TestTypeText(t *testing.T) {
	for _, tc := range []struct {
		text   string
		coll   uint16
		digits int
		want   string
	}{
		{"int unsigned", 63, 0, "int unsigned"},
		{"varchar(7)", general, 0, "varchar(7)"},
		{"enum('it''s','b')", general, 0, "enum('it''s','b')"},
		{"time(6)", 63, 3, "time(3)"},
		{"time(6)", 63, 0, "time"},
		{"point SRID 4326", 63, 0, "point SRID 4326"},
		{"datetime(3)", 63, 0, "datetime(3)"},
		{"json", jsonCollation, 0, "json"},
		{"longblob", 63, 0, "longblob"},
	} {
		typ, err := ParseType(tc.text, tc.coll)
		require.NoError(t, err, tc.text)
		text := TypeText(typ, tc.digits)
		require.Equal(t, tc.want, text)
		again, err := ParseType(text, tc.coll)
		require.NoError(t, err, text)
		require.True(t, typ.Equals(again), text)
	}
	_, err := ParseType("no such type", 63)
	require.Error(t, err)
}

// Addresses are texts to the engine, and bytes in images.
func TestRoundTripOfAddresses(t *testing.T) {
	for typ, values := range map[string][]any{
		"uuid":  {"00000000-0000-0000-0000-000000000000", "6ccd780c-baba-1026-9564-0040f4311e00"},
		"inet4": {"0.0.0.0", "1.2.0.0"},
		"inet6": {"::", "2001:db8::", "::ffff:1.2.3.4"},
	} {
		_, codec, col := column(t, typ, 63, 0)
		for _, v := range append(values, nil) {
			vals, err := codec.ToStore(context.Background(), nil, sql.Row{v})
			require.NoError(t, err)
			image, err := row.Encode(nil, []row.Column{col}, vals)
			require.NoError(t, err)
			back, err := rowtest.Decode([]row.Column{col}, image)
			require.NoError(t, err)
			got, err := codec.FromStore(0, back[0])
			require.NoError(t, err)
			require.Equal(t, v, got, typ)
		}
		_, err := codec.ToStore(context.Background(), nil, sql.Row{"x"})
		require.ErrorContains(t, err, "incorrect "+typ)
	}
}
