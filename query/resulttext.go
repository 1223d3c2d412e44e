package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/mysql"
)

// printer turns go-mysql-server's text of a value into MariaDB's.
type printer func(sqltypes.Value) sqltypes.Value

// printersOf makes the printers that a result needs: for TIME and NOW(n), of which go-mysql-server prints six
// digits always, and for ZEROFILL and YEAR.
func printersOf(schema sql.Schema, from []origin) map[int]printer {
	var out map[int]printer
	for i, col := range schema {
		var o origin
		if len(from) == len(schema) {
			o = from[i]
		}
		p := printerOf(col.Type, o)
		if p == nil {
			continue
		}
		if out == nil {
			out = map[int]printer{}
		}
		out[i] = p
	}
	return out
}

func printerOf(t sql.Type, o origin) printer {
	if types.IsTimespan(t) {
		digits := o.timeDigits()
		return func(v sqltypes.Value) sqltypes.Value { return cutTime(v, digits) }
	}
	if _, is := currentDigits(o.expr); is && types.IsDatetimeType(t) {
		return func(v sqltypes.Value) sqltypes.Value { return cutTime(v, o.timeDigits()) }
	}
	if f := o.facts; f != nil && f.Flags&mysql.ZEROFILL_FLAG != 0 {
		return func(v sqltypes.Value) sqltypes.Value { return padZeros(v, int(f.Length)) }
	}
	return nil
}

// padZeros fills a number up to the display width of its ZEROFILL column.
func padZeros(v sqltypes.Value, width int) sqltypes.Value {
	if n := width - v.Len(); n > 0 && !v.IsNull() {
		return sqltypes.MakeTrusted(v.Type(), []byte(strings.Repeat("0", n)+v.ToString()))
	}
	return v
}

// cutTime leaves so many fractional digits of a TIME. With -1, an expression of no column, they go if they are zeros.
func cutTime(v sqltypes.Value, digits int) sqltypes.Value {
	text := v.ToString()
	whole, frac, ok := strings.Cut(text, ".")
	switch {
	case !ok:
		return v
	case digits == 0, digits < 0 && strings.Trim(frac, "0") == "":
		text = whole
	case digits > 0 && digits < len(frac):
		text = whole + "." + frac[:digits]
	}
	return sqltypes.MakeTrusted(v.Type(), []byte(text))
}
