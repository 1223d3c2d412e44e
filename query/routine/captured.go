package routine

import (
	"bytes"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// captured is a result that no client gets: it is a result.Sink. At most rowsMost rows are kept, 0: all.
type captured struct {
	hold     func(bytes int64) error // counts memory
	rowsMost int
	columns  []result.Column
	rows     [][]types.Value
	kinds    []types.Type // of the last row's values
	count    int          // of all rows
	held     int64        // bytes that are counted
}

// valueBytes is what a row takes for each value, besides its texts.
const valueBytes = 96

// Columns implements result.Sink.
func (c *captured) Columns(cols []result.Column) error {
	c.columns = append(c.columns[:0], cols...)
	c.kinds = make([]types.Type, len(cols))
	return nil
}

// Row implements result.Sink.
func (c *captured) Row(r result.Row) error {
	c.count++
	if c.rowsMost > 0 && c.count > c.rowsMost {
		return nil
	}
	row := make([]types.Value, len(c.columns))
	size := int64(valueBytes * len(row))
	for i := range row {
		v, t, err := valueOf(r.Value(i), &c.columns[i])
		if err != nil {
			return err
		}
		row[i] = v
		size += int64(len(v.Text))
		if t.Kind != types.Null {
			c.kinds[i] = t
		}
	}
	if err := c.hold(size); err != nil {
		return err
	}
	c.held += size
	c.rows = append(c.rows, row)
	return nil
}

// EndRows implements result.Sink.
func (*captured) EndRows(result.Status) error { return nil }

// OK implements result.Sink.
func (*captured) OK(result.OK) error { return nil }

// valueOf is a value of a result, whose text is in the character set of its column. It is copied.
func valueOf(v result.Value, col *result.Column) (types.Value, types.Type, error) {
	switch v.Kind() {
	case result.Null:
		return types.Value{Null: true}, types.NullType(), nil
	case result.KindSigned:
		return types.Value{Int: v.Int()}, types.BigintType(20, false), nil
	case result.KindUnsigned:
		return types.Value{Int: int64(v.Uint())}, types.BigintType(20, true), nil
	case result.KindYear:
		return types.Value{Int: int64(v.Uint())}, types.Type{Kind: types.Year, Unsigned: true, Zerofill: true, Length: 4, Derivation: charset.Numeric, ASCII: true}, nil
	case result.KindBit:
		return types.Value{Int: int64(v.Uint())}, types.Type{Kind: types.Bit, Unsigned: true, Length: col.Length, Derivation: charset.Numeric, ASCII: true}, nil
	case result.KindFloat, result.KindDouble:
		t := types.DoubleType()
		if col.Type == mysql.MYSQL_TYPE_FLOAT {
			t.Kind = types.Float
		}
		if col.Decimals < types.NotFixed {
			t.Decimals = col.Decimals
		}
		return types.Value{Float: v.Float()}, t, nil
	case result.KindDecimal:
		d, _, _ := decimal.Parse(v.Raw())
		return types.Value{Dec: d}, types.DecimalType(decimal.LiteralType(d)), nil
	case result.KindDate, result.KindDatetime, result.KindTime:
		return momentOf(v, col)
	}
	if col.Flags&(mysql.ENUM_FLAG|mysql.SET_FLAG) != 0 {
		return types.Value{}, types.Type{}, mysqlerr.NotYet("a variable that gets a member of an ENUM or SET; CAST(... AS CHAR)")
	}
	coll, ok := charset.ByID(col.Charset)
	if !ok {
		return types.Value{}, types.Type{}, mysqlerr.NotYet("a variable that gets a text of this collation")
	}
	text := bytes.Clone(v.Raw())
	t := types.StringType(uint64(len(text)), coll, charset.Implicit, coll.Set().IsASCII(text))
	return types.Value{Text: text}, t, nil
}

func momentOf(v result.Value, col *result.Column) (types.Value, types.Type, error) {
	kind, context := types.Datetime, temporal.InDate
	switch v.Kind() {
	case result.KindDate:
		kind = types.Date
	case result.KindTime:
		kind, context = types.Time, temporal.InTime
	}
	m := temporal.Mode{InvalidDates: true} // as it is there
	r := m.Parse(v.AppendText(nil), context)
	fraction := 0
	if kind != types.Date {
		fraction = int(min(col.Decimals, temporal.FractionMax))
	}
	return types.Value{Time: r.Value.Packed}, types.TemporalType(kind, fraction), nil
}

// release gives back the memory of the rows.
func (c *captured) release() {
	_ = c.hold(-c.held)
	c.held, c.rows = 0, nil
}
