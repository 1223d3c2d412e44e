package value

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

func decimalOf(t testing.TB, text string) *apd.Decimal {
	d, _, err := apd.NewFromString(text)
	require.NoError(t, err)
	return d
}

// TestTextAsPrinted compares the text of typed values with what go-mysql-server's types print, for all pairs of a type
// and a Go value; where it fails for one, so does the conversion.
func TestTextAsPrinted(t *testing.T) {
	variables.InitSystemVariables()
	c := sql.NewEmptyContext()
	list := []sql.Type{
		types.Int8, types.Int16, types.Int24, types.Int32, types.Int64, types.Uint8, types.Uint16, types.Uint32, types.Uint64,
		types.Boolean, types.MustCreateColumnDecimalType(20, 3), types.InternalDecimalType,
		types.Date, types.MustCreateDatetimeType(sqltypes.Datetime, 0), types.DatetimeMaxPrecision, types.MustCreateDatetimeType(sqltypes.Datetime, 3),
		types.MustCreateDatetimeType(sqltypes.Timestamp, 0), types.TimestampMaxPrecision,
		types.Year, types.MustCreateBitType(1), types.MustCreateBitType(13), types.MustCreateBitType(64),
		types.MustCreateEnumType([]string{"a", "ü", "7"}, sql.Collation_utf8mb4_general_ci), types.MustCreateSetType([]string{"a", "ü", "7"}, sql.Collation_utf8mb4_general_ci),
		types.JSON, types.LongText, types.Text, types.MustCreateString(sqltypes.VarChar, 60, sql.Collation_utf8mb4_general_ci),
		types.MustCreateString(sqltypes.VarChar, 60, sql.Collation_latin1_swedish_ci), types.MustCreateString(sqltypes.Char, 60, sql.Collation_ascii_bin),
		types.LongBlob, types.MustCreateBinary(sqltypes.VarBinary, 60), types.MustCreateBinary(sqltypes.Binary, 60),
		types.NewSystemBoolType("autocommit"), types.NewSystemIntType("wait_timeout", math.MinInt64, math.MaxInt64, false),
		types.NewSystemUintType("x", 0, math.MaxUint64), types.NewSystemStringType("version"), types.NewSystemDoubleType("long_query_time", 0, 1e9),
		types.Null, types.PointType{}, types.GeometryType{},
	}
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	values := []any{
		int8(-128), int8(127), int16(math.MinInt16), int16(2155), int16(0), int16(70), int32(math.MaxInt32), int32(-1), int64(math.MinInt64), int64(math.MaxInt64), int64(0), int64(1), int64(-70000), int(5),
		uint8(255), uint8(1), uint16(3), uint16(0), uint32(math.MaxUint32), uint64(math.MaxUint64), uint64(5), uint64(0), uint(7), true, false,
		decimalOf(t, "0"), decimalOf(t, "-0.5"), decimalOf(t, "12345678901234567.8915"), decimalOf(t, "1E+3"), decimalOf(t, "2.5"), decimalOf(t, "99999999999999999999999"),
		day, day.Add(86399999999 * time.Microsecond), day.Add(1500 * time.Microsecond), day.Add(123456 * time.Microsecond), day.Add(999999999), types.ZeroTime, time.Unix(1, 0).UTC(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), day.In(time.FixedZone("x", 3600)),
		"", "a", "ü", "a,ü", "7", "-5", "+5", " 12 ", "12x", "3.7", "1e3", "2024-02-29", "2024-02-29 01:02:03.5", "0000-00-00", "2000", "99999999999999999999", "€", `{"a":1}`, "\xff",
		[]byte{}, []byte("a"), []byte{0, 255}, []byte("12345678"), []byte("2024-02-29"),
		types.JSONDocument{Val: map[string]any{"b": 1.5, "a": "x"}}, types.JSONDocument{Val: 7.0}, types.JSONDocument{Val: "12"}, types.JSONDocument{Val: nil}, types.NewLazyJSONDocument([]byte(`{"a":  1}`)),
		types.Point{X: 1, Y: 2},
	}
	for _, charset := range []sql.CharacterSetID{sql.CharacterSet_utf8mb4, sql.CharacterSet_latin1, sql.CharacterSet_binary, sql.CharacterSet_Unspecified} {
		require.NoError(t, setResults(c, charset))
		require.Equal(t, charset, c.GetCharacterSetResults())
		for _, typ := range list {
			col := &result.Column{Type: mysql.MYSQL_TYPE_VAR_STRING}
			row := NewRow([]Source{{Type: typ, Digits: -1}}, c.GetCharacterSetResults())
			for _, v := range values {
				if _, text := v.(string); text && typ == types.JSON {
					continue // of JSON_TABLE: it is sent as it is
				}
				name := fmt.Sprintf("%s of %T %v, %s", typ, v, v, charset.Name())
				row.buf = row.buf[:0]
				got, err := row.Value(c, 0, v)
				want, wantErr, panicked := printed(c, typ, v)
				if text := string(col.AppendText(nil, got)); (panicked || sql.ErrCharSetFailedToEncode.Is(wantErr)) && strings.Contains(text, "?") {
					continue // a question mark for what the character set lacks, as in MariaDB
				}
				if panicked {
					assert.True(t, err != nil || got.IsNull(), name)
					continue
				}
				if typ == types.Year && want.ToString() == "0" {
					want = sqltypes.MakeTrusted(sqltypes.Year, []byte("0000")) // as MariaDB
				}
				if _, geometry := typ.(sql.SpatialColumnType); geometry && want.IsNull() {
					assert.Error(t, err, name) // it yields NULL for what is no geometry
					continue
				}
				if wantErr != nil {
					assert.Error(t, err, name)
					continue
				}
				assert.NoError(t, err, name)
				assert.Equal(t, want.IsNull(), got.IsNull(), name)
				assert.Equal(t, string(want.Raw()), string(col.AppendText(nil, got)), name)
			}
		}
	}
}

// printed is what go-mysql-server prints, which panics for some values.
func printed(c *sql.Context, typ sql.Type, v any) (out sqltypes.Value, err error, panicked bool) {
	defer func() { panicked = recover() != nil }()
	out, err = typ.SQL(c, nil, v)
	return out, err, false
}

func setResults(c *sql.Context, cs sql.CharacterSetID) error {
	if cs == sql.CharacterSet_Unspecified {
		return c.SetSessionVariable(c, "character_set_results", nil)
	}
	return c.SetSessionVariable(c, "character_set_results", cs.Name())
}

// TestOwnTexts has what go-mysql-server prints otherwise than MariaDB.
func TestOwnTexts(t *testing.T) {
	c := sql.NewEmptyContext()
	for _, tc := range []struct {
		typ  sql.Type
		v    any
		want string
	}{
		{types.Float64, 1e6, "1000000"}, {types.Float64, int64(1000000), "1000000"}, {types.Float64, float32(0.1), "0.1"}, {types.Float64, "1.5x", "1.5"}, {types.Float64, decimalOf(t, "2.50"), "2.5"},
		{types.Float32, float32(16777216), "16777200"}, {types.Float32, 0.1, "0.1"}, {types.Float32, 1e300, "3.40282e38"}, {types.Float32, int8(-3), "-3"},
		{types.LongText, -1.5, "-1.5"}, {types.LongText, float32(-0.25), "-0.25"}, {types.Float64, true, "1"}, {types.Uint24, int64(-1), "16777215"},
		{types.LongText, types.Timespan(-1500000), "-00:00:01.500000"}, {types.MustCreateString(sqltypes.VarChar, 2, sql.Collation_utf8mb4_general_ci), decimalOf(t, "123.45"), "123.45"},
		{types.Date, time.Date(999, 1, 2, 0, 0, 0, 0, time.UTC), "0999-01-02"},
	} {
		got, err := NewRow([]Source{{Type: tc.typ, Digits: -1}}, sql.CharacterSet_utf8mb4).Value(c, 0, tc.v)
		require.NoError(t, err, tc.want)
		require.Equal(t, tc.want, string(got.AppendText(nil)))
	}
}

// TestTimes has TIME with known digits and without; go-mysql-server prints six always.
func TestTimes(t *testing.T) {
	c := sql.NewEmptyContext()
	micros := func(n int64) types.Timespan { return types.Timespan(n) }
	for _, tc := range []struct {
		v      types.Timespan
		digits int
		want   string
	}{
		{micros(0), -1, "00:00:00"}, {micros(1), -1, "00:00:00.000001"}, {micros(-3020399000000), -1, "-838:59:59"},
		{micros(-1), 6, "-00:00:00.000001"}, {micros(1999999), 3, "00:00:01.999"}, {micros(1999999), 0, "00:00:01"}, {micros(90061000000), 2, "25:01:01.00"},
	} {
		got, err := NewRow([]Source{{Type: types.Time, Digits: tc.digits}}, sql.CharacterSet_utf8mb4).Value(c, 0, tc.v)
		require.NoError(t, err)
		require.Equal(t, tc.want, string(got.AppendText(nil)))
	}
}

// TestBytesOfARow: values of one row have their bytes in a buffer that grows while the row is made.
func TestBytesOfARow(t *testing.T) {
	c := sql.NewEmptyContext()
	var from []Source
	var row sql.Row
	var want []string
	for i := range 50 {
		from = append(from, Source{Type: types.MustCreateColumnDecimalType(20, 3)}, Source{Type: types.LongBlob})
		row = append(row, decimalOf(t, fmt.Sprintf("%d.5", 1000000+i)), fmt.Sprintf("text %d", i))
		want = append(want, fmt.Sprintf("%d.500", 1000000+i), fmt.Sprintf("text %d", i))
	}
	all, typed := NewRow(from, sql.CharacterSet_utf8mb4), result.NewValues(make([]result.Column, len(from)))
	for range 3 {
		require.NoError(t, all.Set(c, typed, row))
		for i := range want {
			require.Equal(t, want[i], string(typed.Value(i).AppendText(nil)))
		}
	}
}

func TestBindings(t *testing.T) {
	text := func(v result.Value) string {
		return sqlparser.String(Bindings([]result.Value{{}, v})["v2"])
	}
	for _, tc := range []struct {
		v    result.Value
		want string
	}{
		{result.Value{}, "null"}, {result.Signed(math.MinInt64), "-9223372036854775808"}, {result.Unsigned(math.MaxUint64), "18446744073709551615"}, {result.Year(2024), "2024"},
		{result.Double(1.5), "1.5e+00"}, {result.Float(0.5), "5e-01"}, {result.Float(0.1), "1.0000000149011612e-01"}, {result.Decimal([]byte("-1.50")), "-1.50"},
		{result.Text([]byte("it's")), `'it\'s'`}, {result.Bytes([]byte("a\xff")), "X'61ff'"}, {result.Bytes([]byte("a")), "'a'"},
		{result.Date(result.Moment{Year: 2024, Month: 2, Day: 29}), "'2024-02-29'"}, {result.Time(result.Span{Negative: true, Hours: 838, Minute: 59, Second: 59}, 0), "'-838:59:59'"},
	} {
		require.Equal(t, tc.want, text(tc.v))
	}
}
