package relation

import (
	"math"
	"strings"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/row"
)

// Table is one version of a table. It is immutable.
type Table struct {
	*catalog.Table
	Layout  *row.Layout
	Columns []Column
	// Virtual says that some columns are computed when a row is read. Images have what they were when the row was written, as MariaDB logs them.
	Virtual bool

	kept atomic.Pointer[any]
}

// Kept is what is made of the version once, for all who ask: the rule of its partitions.
func (t *Table) Kept(make func() any) any {
	if v := t.kept.Load(); v != nil {
		return *v
	}
	v := make()
	t.kept.Store(&v)
	return v
}

// Column is a column of a table.
type Column struct {
	Def   *catalog.ColumnDef
	Type  types.Type
	Facts *Facts
	// Unknown is why the column cannot be read here; "" if it can.
	Unknown string

	encode   encoder // nil for what is Unknown
	standard atomic.Pointer[Default]
}

// Virtual reports whether the column is computed when a row is read.
func (c *Column) Virtual() bool { return c.Def.Generated != "" && c.Def.Virtual }

// Default is what a column gets that is given nothing.
type Default struct {
	Value types.Value
	// Present says that it is the time of the statement, Computed that it is an expression. Value is then what the column has before.
	Present, Computed bool
	// None says that there is no default: who gives the column nothing is told so.
	None bool
	// Refused is why the default is not known here; "" if it is.
	Refused string
}

// Default is the default of a column, which is made once.
func (t *Table) Default(column int, make func() *Default) *Default {
	c := &t.Columns[column]
	if d := c.standard.Load(); d != nil {
		return d
	}
	d := make()
	c.standard.Store(d)
	return d
}

// Of is a table's version.
func Of(t *catalog.Table) *Table {
	out := &Table{Table: t, Layout: row.NewLayout(t.Columns), Columns: make([]Column, len(t.Def.Columns))}
	facts := FactsOf(t.Def)
	for i := range out.Columns {
		c := &out.Columns[i]
		c.Def, c.Facts = &t.Def.Columns[i], &facts[i]
		c.Type, c.Unknown = typeOf(c.Def, c.Facts)
		out.Virtual = out.Virtual || c.Virtual()
		if c.Unknown == "" {
			c.encode = encoderOf(c, &t.Columns[i])
		}
	}
	return out
}

// Find is the ordinal of a column of a name, -1 for none. Hidden columns are none.
func (t *Table) Find(name string) int {
	at := t.ColumnByName(name)
	if at >= 0 && t.Columns[at].Def.Hidden {
		return -1
	}
	return at
}

var kinds = map[byte]types.Kind{
	mysql.MYSQL_TYPE_TINY: types.Tinyint, mysql.MYSQL_TYPE_SHORT: types.Smallint, mysql.MYSQL_TYPE_INT24: types.Mediumint,
	mysql.MYSQL_TYPE_LONG: types.Int, mysql.MYSQL_TYPE_LONGLONG: types.Bigint, mysql.MYSQL_TYPE_BIT: types.Bit, mysql.MYSQL_TYPE_YEAR: types.Year,
	mysql.MYSQL_TYPE_NEWDECIMAL: types.Decimal, mysql.MYSQL_TYPE_FLOAT: types.Float, mysql.MYSQL_TYPE_DOUBLE: types.Double,
	mysql.MYSQL_TYPE_DATE: types.Date, mysql.MYSQL_TYPE_TIME2: types.Time, mysql.MYSQL_TYPE_DATETIME2: types.Datetime,
	mysql.MYSQL_TYPE_TIMESTAMP2: types.Timestamp, mysql.MYSQL_TYPE_VARCHAR: types.Varchar, mysql.MYSQL_TYPE_STRING: types.Char,
	mysql.MYSQL_TYPE_ENUM: types.Enum, mysql.MYSQL_TYPE_SET: types.Set,
}

// blobs are the kinds of TEXT and BLOB by the size of the length before a value.
var blobs = [...]types.Kind{1: types.Tinytext, 2: types.Text, 3: types.Mediumtext, 4: types.Longtext}

// TypeOf is the type of a column's values, or why there is none.
func TypeOf(c *catalog.ColumnDef) (t types.Type, unknown string) {
	f := factsOfColumn(c)
	return typeOf(c, &f)
}

// typeOf is the type of a column's values, or why there is none.
func typeOf(c *catalog.ColumnDef, f *Facts) (t types.Type, unknown string) {
	const strange = "a column of this type"
	if kind, ok := addresses[c.SQLType]; ok {
		t = eval.AddressType(kind)
		t.Nullable = c.Nullable
		return t, ""
	}
	kind, ok := kinds[c.Type]
	if c.Type == mysql.MYSQL_TYPE_BLOB && c.Meta >= 1 && int(c.Meta) < len(blobs) {
		kind, ok = blobs[c.Meta], true
	}
	if c.Type == mysql.MYSQL_TYPE_STRING {
		switch real, _ := mysql.ResolveString(c.Meta); real {
		case mysql.MYSQL_TYPE_ENUM:
			kind = types.Enum
		case mysql.MYSQL_TYPE_SET:
			kind = types.Set
		}
	}
	if !ok || strings.HasPrefix(c.SQLType, "vector") {
		return t, strange
	}
	d := parseDeclared(c.SQLType)
	t = types.Type{Kind: kind, Length: f.Length, Derivation: charset.Numeric, ASCII: true, Unsigned: d.unsigned || c.Unsigned, Zerofill: d.zerofill}
	switch {
	case kind == types.Bit || kind == types.Year:
		t.Unsigned, t.Zerofill = true, kind == types.Year
	case kind.Integer() && !t.Zerofill:
		t.Length = t.FullWidth() // whatever is shown of it
	case kind == types.Decimal:
		t = types.DecimalType(decimal.Type{Precision: int(c.Meta >> 8), Scale: int(c.Meta & 0xff), Unsigned: t.Unsigned})
		t.Zerofill = d.zerofill
	case kind == types.Float || kind == types.Double:
		t.Decimals = f.Decimals
	case kind.Temporal():
		t = types.TemporalType(kind, int(f.Decimals))
	case kind.IsString() || kind == types.Enum || kind == types.Set:
		if t, ok = textType(t, c); !ok {
			return t, "a collation that only MySQL has"
		}
	}
	t.Nullable = c.Nullable
	return t, ""
}

// textType completes the type of text, ENUM and SET.
func textType(t types.Type, c *catalog.ColumnDef) (types.Type, bool) {
	coll, ok := charset.ByID(c.Collation)
	if !ok {
		return t, false
	}
	if _, err := coll.Order(); err != nil {
		return t, false
	}
	set := coll.Set()
	t.Collation, t.Derivation, t.ASCII, t.Decimals = coll, charset.Implicit, set.Name() == "ascii", types.NotFixedText
	t.Unsigned, t.Zerofill = false, false
	t.JSON = c.SQLType == "json"
	switch {
	case t.Kind.Blob():
		// Of all the facts' lengths, these count bytes; functions reckon as if each of them were a character.
		t.Octets = uint32(min(uint64(t.Length)*uint64(set.MaxLen()), math.MaxUint32))
		t.Length = t.Octets / uint32(set.MaxLen())
	case t.Kind == types.Enum || t.Kind == types.Set:
		utf8, _ := charset.SetByName("utf8mb4")
		m := &types.Members{Texts: make([][]byte, len(c.EnumValues))}
		for i, text := range c.EnumValues {
			m.Texts[i], _ = charset.Convert(nil, set, utf8, []byte(text))
		}
		t.Members = m
	}
	return t, true
}

// Expr is the node of a column; source is the table's place in the frame's rows, name what messages call the column. Of one that is Unknown
// there is none.
func (t *Table) Expr(source, ordinal int, name string) *eval.Expr {
	c := &t.Columns[ordinal]
	switch c.Type.Class() {
	case types.ClassInt:
		return eval.NewColumn(c.Type, source, ordinal, name, integerOf(c))
	case types.ClassFloat:
		return eval.NewColumn(c.Type, source, ordinal, name, floatOf(c))
	case types.ClassDec:
		return eval.NewColumn(c.Type, source, ordinal, name, decimalOf(c))
	case types.ClassTime:
		x := eval.NewColumn(c.Type, source, ordinal, name, timeOf(c))
		if c.Type.Kind == types.Timestamp {
			x.At(t.Key(source, ordinal, name))
		}
		return x
	}
	return eval.NewColumn(c.Type, source, ordinal, name, textOf(c))
}

// Key is the node by which rows are ordered and told apart for a column: Expr's, but of a TIMESTAMP the moment in microseconds, as two moments
// have the same local time where clocks go back.
func (t *Table) Key(source, ordinal int, name string) *eval.Expr {
	c := &t.Columns[ordinal]
	if c.Type.Kind != types.Timestamp {
		return t.Expr(source, ordinal, name)
	}
	moment := types.BigintType(20, false)
	moment.Nullable = c.Type.Nullable
	return eval.NewColumn(moment, source, ordinal, name, momentOf(c))
}
