package wire

import (
	"math"
	"testing"

	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// TestBinaryValues encodes a text value as a column and reads it back as a
// parameter of the same type: the two encodings are the same.
func TestBinaryValues(t *testing.T) {
	for _, tc := range []struct {
		kind     byte
		unsigned bool
		text     string
		want     string // "" means text
		size     int
	}{
		{kind: mysql.MYSQL_TYPE_TINY, text: "-128", size: 1},
		{kind: mysql.MYSQL_TYPE_TINY, unsigned: true, text: "255", size: 1},
		{kind: mysql.MYSQL_TYPE_SHORT, text: "-32768", size: 2},
		{kind: mysql.MYSQL_TYPE_YEAR, text: "2155", size: 2},
		{kind: mysql.MYSQL_TYPE_INT24, text: "-8388608", size: 4},
		{kind: mysql.MYSQL_TYPE_LONG, unsigned: true, text: "4294967295", size: 4},
		{kind: mysql.MYSQL_TYPE_LONGLONG, text: "-9223372036854775808", size: 8},
		{kind: mysql.MYSQL_TYPE_LONGLONG, unsigned: true, text: "18446744073709551615", size: 8},
		{kind: mysql.MYSQL_TYPE_LONGLONG, text: "3.0", want: "3", size: 8},
		{kind: mysql.MYSQL_TYPE_FLOAT, text: "1.5", size: 4},
		{kind: mysql.MYSQL_TYPE_DOUBLE, text: "-2.25e+100", want: "-2.25e+100", size: 8},
		{kind: mysql.MYSQL_TYPE_DATE, text: "2024-02-29", size: 5},
		{kind: mysql.MYSQL_TYPE_DATE, text: "0000-00-00", size: 1},
		{kind: mysql.MYSQL_TYPE_DATETIME, text: "2024-02-29 23:59:58", size: 8},
		{kind: mysql.MYSQL_TYPE_DATETIME, text: "2024-02-29 23:59:58.000012", size: 12},
		{kind: mysql.MYSQL_TYPE_DATETIME, text: "2024-02-29 23:59:58.5", want: "2024-02-29 23:59:58.500000", size: 12},
		{kind: mysql.MYSQL_TYPE_DATETIME, text: "2024-02-29 00:00:00", size: 5},
		{kind: mysql.MYSQL_TYPE_DATETIME, text: "0000-00-00 00:00:00", size: 1},
		{kind: mysql.MYSQL_TYPE_TIMESTAMP, text: "1970-01-01 00:00:01", size: 8},
		{kind: mysql.MYSQL_TYPE_TIME, text: "-838:59:59", size: 9},
		{kind: mysql.MYSQL_TYPE_TIME, text: "00:00:00", size: 1},
		{kind: mysql.MYSQL_TYPE_TIME, text: "00:00:00.000001", size: 13},
		{kind: mysql.MYSQL_TYPE_TIME, text: "24:00:01.100000", size: 13},
		{kind: mysql.MYSQL_TYPE_NEWDECIMAL, text: "-123.4500", size: 10},
		{kind: mysql.MYSQL_TYPE_VAR_STRING, text: "text", size: 5},
		{kind: mysql.MYSQL_TYPE_BLOB, text: "\x00\xff", size: 3},
		{kind: mysql.MYSQL_TYPE_JSON, text: `{"a":1}`, size: 8},
		{kind: mysql.MYSQL_TYPE_ENUM, text: "red", size: 4},
	} {
		got, err := appendBinaryValue(nil, binaryColumn{kind: tc.kind, unsigned: tc.unsigned}, []byte(tc.text))
		require.NoError(t, err, tc.text)
		require.Len(t, got, tc.size, tc.text)
		c := cursor{b: got}
		v, err := c.param(paramType{kind: tc.kind, unsigned: tc.unsigned})
		require.NoError(t, err, tc.text)
		require.Empty(t, c.b)
		want := tc.want
		if want == "" {
			want = tc.text
		}
		switch {
		case tc.kind == mysql.MYSQL_TYPE_DATETIME && tc.size == 1, tc.kind == mysql.MYSQL_TYPE_DATE, tc.kind == mysql.MYSQL_TYPE_TIMESTAMP:
		case tc.kind == mysql.MYSQL_TYPE_DATETIME && tc.size == 5:
		default:
			require.Equal(t, want, v.ToString())
			continue
		}
		require.Contains(t, v.ToString(), want[:10])
	}
}

func TestBinaryValuesRefused(t *testing.T) {
	for _, tc := range []struct {
		kind byte
		text string
	}{
		{mysql.MYSQL_TYPE_LONG, ""}, {mysql.MYSQL_TYPE_LONG, "-"}, {mysql.MYSQL_TYPE_LONG, "x"}, {mysql.MYSQL_TYPE_LONGLONG, "111111111111111111111"},
		{mysql.MYSQL_TYPE_DOUBLE, "x"}, {mysql.MYSQL_TYPE_DATE, ""}, {mysql.MYSQL_TYPE_DATE, "2024"}, {mysql.MYSQL_TYPE_DATE, "a-b-c"},
		{mysql.MYSQL_TYPE_TIME, "1"}, {mysql.MYSQL_TYPE_TIME, "1:2:3:4:5:6:7:8:9"},
	} {
		_, err := appendBinaryValue(nil, binaryColumn{kind: tc.kind}, []byte(tc.text))
		require.Error(t, err, "%d %q", tc.kind, tc.text)
	}
}

func TestBinaryRowNulls(t *testing.T) {
	cols := make([]binaryColumn, 9)
	vals := make([]sqltypes.Value, 9)
	for i := range cols {
		cols[i].kind = mysql.MYSQL_TYPE_TINY
		vals[i] = sqltypes.NULL
	}
	vals[6] = sqltypes.NewInt64(7)
	row, err := appendBinaryRow(nil, cols, vals)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0b11111100, 0b00000110, 7}, row)
	_, err = appendBinaryRow(nil, cols[:8], vals)
	require.Error(t, err)
}

func TestParseParamsKeepsTypes(t *testing.T) {
	first := []byte{0, 1, mysql.MYSQL_TYPE_LONGLONG, 0x80, mysql.MYSQL_TYPE_VAR_STRING, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 'h', 'i'}
	vals, types, err := parseParams(&cursor{b: first}, 2, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "1", vals[0].ToString())
	require.True(t, vals[0].IsUnsigned())
	require.Equal(t, "hi", vals[1].ToString())
	// The second execution sends no types; its second value came as long data.
	again := []byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255}
	vals, _, err = parseParams(&cursor{b: again}, 2, types, [][]byte{nil, []byte("long")})
	require.NoError(t, err)
	require.Equal(t, "18446744073709551615", vals[0].ToString())
	require.Equal(t, "long", vals[1].ToString())
	// No types at all.
	_, _, err = parseParams(&cursor{b: again}, 2, nil, nil)
	require.ErrorIs(t, err, errMalformed)
}

func TestLenenc(t *testing.T) {
	for _, n := range []uint64{0, 250, 251, 1 << 16, 1<<16 - 1, 1<<24 - 1, 1 << 24, math.MaxUint64} {
		c := cursor{b: appendLenenc(nil, n)}
		require.Equal(t, n, c.lenenc())
		require.NoError(t, c.err())
		require.Empty(t, c.b)
	}
	for _, bad := range [][]byte{{}, {0xfb}, {0xff}, {0xfc, 1}, {0xfd, 1, 2}, {0xfe, 1}} {
		c := cursor{b: bad}
		c.lenenc()
		require.Error(t, c.err())
	}
}
