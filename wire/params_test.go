package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/result"
)

// TestParamsAsSent encodes a value as a column and reads it back as a parameter
// of the same type: the two encodings are the same.
func TestParamsAsSent(t *testing.T) {
	text := func(s string) result.Value { return result.Text([]byte(s)) }
	moment := result.Moment{Year: 2024, Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 58}
	exact, midnight := moment, result.Moment{Year: 2024, Month: 2, Day: 29}
	exact.Micro = 12
	for _, tc := range []struct {
		kind byte
		v    result.Value
	}{
		{mysql.MYSQL_TYPE_TINY, result.Signed(-128).Narrow(1)}, {mysql.MYSQL_TYPE_TINY, result.Unsigned(255).Narrow(1)},
		{mysql.MYSQL_TYPE_SHORT, result.Signed(-32768).Narrow(2)}, {mysql.MYSQL_TYPE_LONG, result.Signed(-8388608).Narrow(4)},
		{mysql.MYSQL_TYPE_LONG, result.Unsigned(math.MaxUint32).Narrow(4)},
		{mysql.MYSQL_TYPE_LONGLONG, result.Signed(math.MinInt64)}, {mysql.MYSQL_TYPE_LONGLONG, result.Unsigned(math.MaxUint64)},
		{mysql.MYSQL_TYPE_FLOAT, result.Float(0.1)}, {mysql.MYSQL_TYPE_DOUBLE, result.Double(-2.25e100)},
		{mysql.MYSQL_TYPE_DATE, result.Date(midnight)}, {mysql.MYSQL_TYPE_DATE, result.Date(result.Moment{})},
		{mysql.MYSQL_TYPE_DATETIME, result.Datetime(moment, 0)}, {mysql.MYSQL_TYPE_DATETIME, result.Datetime(exact, 6)},
		{mysql.MYSQL_TYPE_DATETIME, result.Datetime(midnight, 0)}, {mysql.MYSQL_TYPE_DATETIME, result.Datetime(result.Moment{}, 0)},
		{mysql.MYSQL_TYPE_TIMESTAMP, result.Datetime(moment, 0)},
		{mysql.MYSQL_TYPE_TIME, result.Time(result.Span{Negative: true, Hours: 838, Minute: 59, Second: 59}, 0)},
		{mysql.MYSQL_TYPE_TIME, result.Time(result.Span{}, 0)}, {mysql.MYSQL_TYPE_TIME, result.Time(result.Span{Micro: 1}, 6)},
		{mysql.MYSQL_TYPE_TIME, result.Time(result.Span{Hours: 24, Second: 1, Micro: 100_000}, 6)},
		{mysql.MYSQL_TYPE_NEWDECIMAL, result.Decimal([]byte("-123.4500"))},
		{mysql.MYSQL_TYPE_VAR_STRING, text("text")}, {mysql.MYSQL_TYPE_VAR_STRING, text("")}, {mysql.MYSQL_TYPE_BLOB, result.Bytes([]byte("\x00\xff"))},
		{mysql.MYSQL_TYPE_ENUM, text("red")}, {mysql.MYSQL_TYPE_SET, text("red,blue")},
	} {
		col := result.Column{Type: tc.kind}
		packet, err := col.AppendBinary(nil, tc.v)
		require.NoError(t, err)
		c := payloadReader{b: packet}
		got, err := c.param(paramType{kind: tc.kind, unsigned: tc.v.Kind() == result.KindUnsigned})
		require.NoError(t, err)
		require.Empty(t, c.b)
		require.Equal(t, tc.v, got, "%s", tc.v.AppendText(nil))
	}
}

// TestParamsOfOtherTypes has what MariaDB takes of the types that it has no conversion for, and of a fraction of zero.
func TestParamsOfOtherTypes(t *testing.T) {
	for _, kind := range []byte{mysql.MYSQL_TYPE_YEAR, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_BIT} {
		c := payloadReader{b: []byte{1, 5}}
		v, err := c.param(paramType{kind: kind})
		require.NoError(t, err)
		require.True(t, v.IsNull())
		require.Len(t, c.b, 2, "nothing is read")
	}
	c := payloadReader{b: []byte("\x02{}")}
	_, err := c.param(paramType{kind: mysql.MYSQL_TYPE_JSON})
	require.ErrorIs(t, err, errMalformed)
	c = payloadReader{b: []byte{11, 232, 7, 1, 2, 0, 0, 0, 0, 0, 0, 0}}
	v, err := c.param(paramType{kind: mysql.MYSQL_TYPE_DATETIME})
	require.NoError(t, err)
	require.Equal(t, "2024-01-02 00:00:00", string(v.AppendText(nil)))
	c = payloadReader{b: []byte{12, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0}}
	v, err = c.param(paramType{kind: mysql.MYSQL_TYPE_TIME})
	require.NoError(t, err)
	require.Equal(t, "01:02:03", string(v.AppendText(nil)))
}

func TestParamsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		kind   byte
		packet []byte
	}{
		"a million microseconds":         {mysql.MYSQL_TYPE_DATETIME, []byte{11, 232, 7, 1, 1, 0, 0, 0, 0x40, 0x42, 0x0f, 0}},
		"a million microseconds of TIME": {mysql.MYSQL_TYPE_TIME, []byte{12, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x42, 0x0f, 0}},
		"too many days":                  {mysql.MYSQL_TYPE_TIME, []byte{8, 0, 255, 255, 255, 255, 0, 0, 0}},
		"a date of five bytes":           {mysql.MYSQL_TYPE_DATE, []byte{5, 232, 7, 1, 1, 0}},
		"a time of nine bytes":           {mysql.MYSQL_TYPE_TIME, []byte{9, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		"an unknown type":                {200, []byte{1, 1}},
		"half a number":                  {mysql.MYSQL_TYPE_LONG, []byte{1, 2}},
		"half a text":                    {mysql.MYSQL_TYPE_STRING, []byte{3, 'a'}},
	} {
		c := payloadReader{b: tc.packet}
		_, err := c.param(paramType{kind: tc.kind})
		require.ErrorIs(t, err, errMalformed, name)
	}
}

func TestParseParamsKeepsTypes(t *testing.T) {
	first := []byte{0, 1, mysql.MYSQL_TYPE_LONGLONG, 0x80, mysql.MYSQL_TYPE_VAR_STRING, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 'h', 'i'}
	vals, types, err := decodeParams(&payloadReader{b: first}, 2, nil, nil, false)
	require.NoError(t, err)
	require.Equal(t, []result.Value{result.Unsigned(1), result.Text([]byte("hi"))}, vals)
	// The second execution sends no types; its second value came as long data.
	again := []byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255}
	vals, _, err = decodeParams(&payloadReader{b: again}, 2, types, [][]byte{nil, []byte("long")}, false)
	require.NoError(t, err)
	require.Equal(t, []result.Value{result.Unsigned(math.MaxUint64), result.Text([]byte("long"))}, vals)
	// No types at all.
	_, _, err = decodeParams(&payloadReader{b: again}, 2, nil, nil, false)
	require.ErrorIs(t, err, errMalformed)
	// None are needed where all values are NULL.
	vals, _, err = decodeParams(&payloadReader{b: []byte{3, 0}}, 2, nil, nil, false)
	require.NoError(t, err)
	require.Equal(t, make([]result.Value, 2), vals)
}

// TestParamsInPieces: only texts and bytes may come in pieces, also without a byte.
func TestParamsInPieces(t *testing.T) {
	long := [][]byte{{}}
	for kind := range byte(255) {
		declared := []byte{0, 1, kind, 0}
		vals, _, err := decodeParams(&payloadReader{b: declared}, 1, nil, long, true)
		if (paramType{kind: kind}).text() {
			require.NoError(t, err)
			require.False(t, vals[0].IsNull(), "it has come, so it is not NULL")
		} else {
			require.Error(t, err, kind)
		}
	}
}

// TestEmptyParams has texts without characters, which a sql_mode takes for NULL.
func TestEmptyParams(t *testing.T) {
	for _, kind := range []byte{mysql.MYSQL_TYPE_VAR_STRING, mysql.MYSQL_TYPE_BLOB} {
		for _, text := range []string{"", " "} {
			packet := append([]byte{0, 1, kind, 0, byte(len(text))}, text...)
			for _, emptyIsNull := range []bool{false, true} {
				vals, _, err := decodeParams(&payloadReader{b: packet}, 1, nil, nil, emptyIsNull)
				require.NoError(t, err)
				require.Equal(t, emptyIsNull && text == "", vals[0].IsNull())
			}
		}
	}
}

// TestLongTimes: a TIME beyond the longest one is that one.
func TestLongTimes(t *testing.T) {
	c := payloadReader{b: []byte{12, 1, 144, 1, 0, 0, 0, 1, 2, 64, 66, 4, 0}}
	v, err := c.param(paramType{kind: mysql.MYSQL_TYPE_TIME})
	require.NoError(t, err)
	require.Equal(t, "-838:59:59.279104", string(v.AppendText(nil)))
}

func TestLenenc(t *testing.T) {
	for _, n := range []uint64{0, 250, 251, 1 << 16, 1<<16 - 1, 1<<24 - 1, 1 << 24, math.MaxUint64} {
		c := payloadReader{b: result.AppendLength(nil, n)}
		require.Equal(t, n, c.lenenc())
		require.NoError(t, c.err())
		require.Empty(t, c.b)
	}
	for _, bad := range [][]byte{{}, {0xfb}, {0xff}, {0xfc, 1}, {0xfd, 1, 2}, {0xfe, 1}} {
		c := payloadReader{b: bad}
		c.lenenc()
		require.Error(t, c.err())
	}
}

// decodeParams is parseParams with values of its own.
func decodeParams(c *payloadReader, count int, types []paramType, long [][]byte, emptyIsNull bool) ([]result.Value, []paramType, error) {
	vals := make([]result.Value, count)
	types, err := parseParams(c, vals, types, long, emptyIsNull)
	if err != nil || count == 0 {
		return nil, types, err
	}
	return vals, types, nil
}
