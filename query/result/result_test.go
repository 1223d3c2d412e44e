package result

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

func text(s string) Value { return Text([]byte(s)) }

// TestValues has values of every kind as both protocols send them. The bytes are MariaDB's: test/dialect compares
// those of columns with a server's.
func TestValues(t *testing.T) {
	day := Moment{Year: 2024, Month: 2, Day: 29}
	second := Moment{Year: 2024, Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 58}
	micro := second
	micro.Micro = 12
	for name, tc := range map[string]struct {
		col    Column
		v      Value
		text   string
		binary string // hexadecimal
	}{
		"TINYINT":             {Column{Type: mysql.MYSQL_TYPE_TINY}, Signed(-128), "-128", "80"},
		"TINYINT UNSIGNED":    {Column{Type: mysql.MYSQL_TYPE_TINY}, Unsigned(255), "255", "ff"},
		"SMALLINT":            {Column{Type: mysql.MYSQL_TYPE_SHORT}, Signed(-32768), "-32768", "0080"},
		"MEDIUMINT":           {Column{Type: mysql.MYSQL_TYPE_INT24}, Signed(-8388608), "-8388608", "000080ff"},
		"INT UNSIGNED":        {Column{Type: mysql.MYSQL_TYPE_LONG}, Unsigned(math.MaxUint32), "4294967295", "ffffffff"},
		"BIGINT":              {Column{Type: mysql.MYSQL_TYPE_LONGLONG}, Signed(math.MinInt64), "-9223372036854775808", "0000000000000080"},
		"BIGINT UNSIGNED":     {Column{Type: mysql.MYSQL_TYPE_LONGLONG}, Unsigned(math.MaxUint64), "18446744073709551615", "ffffffffffffffff"},
		"ZEROFILL":            {Column{Type: mysql.MYSQL_TYPE_LONG, Flags: mysql.ZEROFILL_FLAG, Length: 5}, Unsigned(42), "00042", "2a000000"},
		"ZEROFILL, longer":    {Column{Type: mysql.MYSQL_TYPE_LONG, Flags: mysql.ZEROFILL_FLAG, Length: 2}, Unsigned(123), "123", "7b000000"},
		"DECIMAL ZEROFILL":    {Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Flags: mysql.ZEROFILL_FLAG, Length: 6}, Decimal([]byte("1.50")), "001.50", "06" + hex.EncodeToString([]byte("001.50"))},
		"YEAR":                {Column{Type: mysql.MYSQL_TYPE_YEAR}, Year(2155), "2155", "6b08"},
		"YEAR 0":              {Column{Type: mysql.MYSQL_TYPE_YEAR}, Year(0), "0000", "0000"},
		"FLOAT":               {Column{Type: mysql.MYSQL_TYPE_FLOAT, Decimals: mysql.NOT_FIXED_DEC}, Float(16777216), "16777200", "0000804b"},
		"FLOAT(7,2)":          {Column{Type: mysql.MYSQL_TYPE_FLOAT, Decimals: 2}, Float(1.5), "1.50", "0000c03f"},
		"DOUBLE":              {Column{Type: mysql.MYSQL_TYPE_DOUBLE, Decimals: mysql.NOT_FIXED_DEC}, Double(1e100), "1e100", "7dc39425ad49b254"},
		"DOUBLE(10,3)":        {Column{Type: mysql.MYSQL_TYPE_DOUBLE, Decimals: 3}, Double(-0.0005), "-0.001", "fca9f1d24d6240bf"},
		"FLOAT in a DOUBLE":   {Column{Type: mysql.MYSQL_TYPE_DOUBLE, Decimals: mysql.NOT_FIXED_DEC}, Float(0.5), "0.5", "000000000000e03f"},
		"DECIMAL":             {Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL}, Decimal([]byte("-0.50")), "-0.50", "052d302e3530"},
		"number in a DECIMAL": {Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL}, Signed(12), "12", "023132"},
		"DATE":                {Column{Type: mysql.MYSQL_TYPE_DATE}, Date(day), "2024-02-29", "04e807021d"},
		"DATE, zero":          {Column{Type: mysql.MYSQL_TYPE_DATE}, Date(Moment{}), "0000-00-00", "00"},
		"DATE, no month":      {Column{Type: mysql.MYSQL_TYPE_DATE}, Date(Moment{Year: 999}), "0999-00-00", "04e7030000"},
		"DATETIME":            {Column{Type: mysql.MYSQL_TYPE_DATETIME}, Datetime(second, 0), "2024-02-29 23:59:58", "07e807021d173b3a"},
		"DATETIME(6)":         {Column{Type: mysql.MYSQL_TYPE_DATETIME}, Datetime(micro, 6), "2024-02-29 23:59:58.000012", "0be807021d173b3a0c000000"},
		"DATETIME(5), cut":    {Column{Type: mysql.MYSQL_TYPE_DATETIME}, Datetime(micro, 5), "2024-02-29 23:59:58.00001", "0be807021d173b3a0a000000"},
		"DATETIME(4), cut":    {Column{Type: mysql.MYSQL_TYPE_DATETIME}, Datetime(micro, 4), "2024-02-29 23:59:58.0000", "07e807021d173b3a"},
		"DATETIME, midnight":  {Column{Type: mysql.MYSQL_TYPE_DATETIME}, Datetime(day, 0), "2024-02-29 00:00:00", "04e807021d"},
		"DATETIME, zero":      {Column{Type: mysql.MYSQL_TYPE_DATETIME}, Datetime(Moment{}, 3), "0000-00-00 00:00:00.000", "00"},
		"TIMESTAMP":           {Column{Type: mysql.MYSQL_TYPE_TIMESTAMP}, Datetime(second, 0), "2024-02-29 23:59:58", "07e807021d173b3a"},
		"TIME":                {Column{Type: mysql.MYSQL_TYPE_TIME}, Time(Span{Negative: true, Hours: 838, Minute: 59, Second: 59}, 0), "-838:59:59", "080122000000163b3b"},
		"TIME(6)":             {Column{Type: mysql.MYSQL_TYPE_TIME}, Time(Span{Micro: 1}, 6), "00:00:00.000001", "0c000000000000000001000000"},
		"TIME(2), cut":        {Column{Type: mysql.MYSQL_TYPE_TIME}, Time(Span{Hours: 7, Micro: 129_999}, 2), "07:00:00.12", "0c000000000007000" + "0c0d40100"},
		"TIME, zero":          {Column{Type: mysql.MYSQL_TYPE_TIME}, Time(Span{}, 1), "00:00:00.0", "00"},
		"BIT(1)":              {Column{Type: mysql.MYSQL_TYPE_BIT}, Bit(1, 1), "\x01", "0101"},
		"BIT(9)":              {Column{Type: mysql.MYSQL_TYPE_BIT}, Bit(0x101, 9), "\x01\x01", "020101"},
		"BIT(64)":             {Column{Type: mysql.MYSQL_TYPE_BIT}, Bit(math.MaxUint64, 64), strings.Repeat("\xff", 8), "08ffffffffffffffff"},
		"VARCHAR":             {Column{Type: mysql.MYSQL_TYPE_VAR_STRING}, text("ä"), "ä", "02c3a4"},
		"VARCHAR, empty":      {Column{Type: mysql.MYSQL_TYPE_VAR_STRING}, text(""), "", "00"},
		"BLOB":                {Column{Type: mysql.MYSQL_TYPE_BLOB}, Bytes([]byte{0, 255}), "\x00\xff", "0200ff"},
		"JSON":                {Column{Type: mysql.MYSQL_TYPE_LONG_BLOB}, JSON([]byte(`{}`)), "{}", "027b7d"},
		"number as text":      {Column{Type: mysql.MYSQL_TYPE_VAR_STRING}, Double(1.5), "1.5", "03312e35"},
		"text as number":      {Column{Type: mysql.MYSQL_TYPE_LONGLONG}, text("3.0"), "3.0", "0300000000000000"},
		"double as number":    {Column{Type: mysql.MYSQL_TYPE_LONGLONG}, Double(2.5), "2.5", "0200000000000000"},
	} {
		row := NewValues([]Column{tc.col})
		row.Set(0, tc.v)
		require.Equal(t, string(AppendLength(nil, uint64(len(tc.text))))+tc.text, string(row.AppendText(nil)), name)
		require.Equal(t, tc.v, row.Value(0), name)
		packet, err := row.AppendBinary(nil)
		require.NoError(t, err, name)
		require.Equal(t, "0000"+tc.binary, hex.EncodeToString(packet), name)
	}
}

func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		kind byte
		v    Value
	}{
		"empty": {mysql.MYSQL_TYPE_LONG, text("")}, "sign": {mysql.MYSQL_TYPE_LONG, text("-")}, "letter": {mysql.MYSQL_TYPE_LONG, text("x")},
		"21 digits": {mysql.MYSQL_TYPE_LONGLONG, text("111111111111111111111")}, "no number": {mysql.MYSQL_TYPE_LONGLONG, Double(math.NaN())},
		"too large": {mysql.MYSQL_TYPE_LONGLONG, Double(1 << 64)}, "too small": {mysql.MYSQL_TYPE_LONGLONG, Double(-1 << 65)},
		"double": {mysql.MYSQL_TYPE_DOUBLE, text("x")}, "date as double": {mysql.MYSQL_TYPE_DOUBLE, Date(Moment{})},
		"text as date": {mysql.MYSQL_TYPE_DATE, text("2024-01-01")}, "date as time": {mysql.MYSQL_TYPE_TIME, Date(Moment{})},
		"time as date": {mysql.MYSQL_TYPE_DATETIME, Time(Span{}, 0)}, "date as number": {mysql.MYSQL_TYPE_LONG, Date(Moment{})},
		"NULL column": {mysql.MYSQL_TYPE_NULL, Signed(1)},
	} {
		col := Column{Type: tc.kind}
		_, err := col.AppendBinary(nil, tc.v)
		require.Error(t, err, name)
	}
}

// A number that does not fit into its column must not become another one.
func TestIntegersThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		kind byte
		v    Value
		fits bool
	}{
		{mysql.MYSQL_TYPE_TINY, Unsigned(255), true}, {mysql.MYSQL_TYPE_TINY, Signed(-128), true}, {mysql.MYSQL_TYPE_TINY, Unsigned(256), false}, {mysql.MYSQL_TYPE_TINY, Signed(-129), false},
		{mysql.MYSQL_TYPE_SHORT, Unsigned(65535), true}, {mysql.MYSQL_TYPE_SHORT, Signed(-32769), false},
		{mysql.MYSQL_TYPE_LONG, Unsigned(4294967295), true}, {mysql.MYSQL_TYPE_LONG, Signed(-2147483648), true}, {mysql.MYSQL_TYPE_LONG, Unsigned(4294967296), false}, {mysql.MYSQL_TYPE_LONG, Signed(math.MaxInt64), false},
		{mysql.MYSQL_TYPE_LONG, Unsigned(math.MaxUint64), false}, {mysql.MYSQL_TYPE_LONG, text("4294967296"), false},
		{mysql.MYSQL_TYPE_LONGLONG, Unsigned(math.MaxUint64), true}, {mysql.MYSQL_TYPE_LONGLONG, Signed(math.MinInt64), true},
	} {
		col := Column{Type: c.kind}
		_, err := col.AppendBinary(nil, c.v)
		require.Equal(t, c.fits, err == nil, "%s as type %d: %v", c.v.AppendText(nil), c.kind, err)
	}
}

func TestNulls(t *testing.T) {
	cols := make([]Column, 9)
	for i := range cols {
		cols[i].Type = mysql.MYSQL_TYPE_TINY
	}
	row := NewValues(cols)
	row.Set(6, Signed(7))
	packet, err := row.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0b11111100, 0b00000110, 7}, packet)
	require.Equal(t, "\xfb\xfb\xfb\xfb\xfb\xfb\x017\xfb\xfb", string(row.AppendText(nil)))
}

// A text whose length takes more than a byte, and one of which that is known only when it was written.
func TestLongTexts(t *testing.T) {
	for _, n := range []int{250, 251, 1 << 16, 1<<24 + 5} {
		row := NewValues(make([]Column, 1))
		row.Set(0, text(strings.Repeat("x", n)))
		require.Equal(t, string(AppendLength(nil, uint64(n)))+strings.Repeat("x", n), string(row.AppendText(nil)))
	}
	row := NewValues([]Column{{Type: mysql.MYSQL_TYPE_LONG, Flags: mysql.ZEROFILL_FLAG, Length: 255}, {Type: mysql.MYSQL_TYPE_DOUBLE, Decimals: 30}, {Type: mysql.MYSQL_TYPE_TINY}})
	row.Set(0, Unsigned(1))
	row.Set(1, Double(1e300))
	row.Set(2, Signed(5))
	got := string(row.AppendText([]byte("before")))
	want := "before\xfc\xff\x00" + strings.Repeat("0", 254) + "1" + "\xfc\x4c\x01" + "1" + strings.Repeat("0", 300) + "." + strings.Repeat("0", 30) + "\x015"
	require.Equal(t, want, got)
}

func TestDefinition(t *testing.T) {
	col := Column{Schema: "d", Table: "t", OrgTable: "o", Name: "n", OrgName: "m", Charset: 45, Length: 11, Type: mysql.MYSQL_TYPE_LONG, Flags: mysql.NOT_NULL_FLAG, Decimals: 2}
	require.Equal(t, "\x03def\x01d\x01t\x01o\x01n\x01m\x0c\x2d\x00\x0b\x00\x00\x00\x03\x01\x00\x02\x00\x00", string(col.AppendDefinition(nil)))
}
