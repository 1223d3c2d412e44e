package assign_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// column is one of a table of its own: its definition, and our type of it.
type column struct {
	def string
	t   types.Type
}

func collation(name string) *charset.Collation {
	c, ok := charset.ByName(name)
	if !ok {
		panic(name)
	}
	return c
}

func str(k types.Kind, length uint32, coll string) types.Type {
	return types.Type{Kind: k, Length: length, Decimals: types.NotFixedText, Collation: collation(coll), Derivation: charset.Implicit}
}

func member(k types.Kind, coll string, texts ...string) types.Type {
	t := str(k, 0, coll)
	t.Members = &types.Members{}
	ascii, _ := charset.SetByName("ascii")
	for _, s := range texts {
		out, _ := charset.Convert(nil, t.Collation.Set(), ascii, []byte(s))
		t.Members.Texts = append(t.Members.Texts, out)
	}
	return t
}

func columns() (all []column) {
	add := func(def string, t types.Type) { all = append(all, column{def, t}) }
	for k, name := range []string{"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT"} {
		t := types.Type{Kind: types.Tinyint + types.Kind(k), Length: 20}
		add(name, t)
		t.Unsigned = true
		add(name+" UNSIGNED", t)
	}
	add("INT(5) ZEROFILL", types.Type{Kind: types.Int, Length: 5, Unsigned: true, Zerofill: true})
	for _, d := range [][2]int{{5, 2}, {1, 0}, {65, 30}, {38, 38}, {20, 6}} {
		add(fmt.Sprintf("DECIMAL(%d,%d)", d[0], d[1]), types.DecimalType(decimal.Type{Precision: d[0], Scale: d[1]}))
		add(fmt.Sprintf("DECIMAL(%d,%d) UNSIGNED", d[0], d[1]), types.DecimalType(decimal.Type{Precision: d[0], Scale: d[1], Unsigned: true}))
	}
	add("FLOAT", types.Type{Kind: types.Float, Length: 12, Decimals: types.NotFixed})
	add("DOUBLE", types.Type{Kind: types.Double, Length: 22, Decimals: types.NotFixed})
	add("DOUBLE UNSIGNED", types.Type{Kind: types.Double, Length: 22, Decimals: types.NotFixed, Unsigned: true})
	add("FLOAT(5,2)", types.Type{Kind: types.Float, Length: 5, Decimals: 2})
	add("DOUBLE(7,3)", types.Type{Kind: types.Double, Length: 7, Decimals: 3})
	add("DOUBLE(15,0) UNSIGNED", types.Type{Kind: types.Double, Length: 15, Decimals: 0, Unsigned: true})
	for _, n := range []uint32{1, 5, 8, 9, 63, 64} {
		add(fmt.Sprintf("BIT(%d)", n), types.Type{Kind: types.Bit, Length: n, Unsigned: true})
	}
	add("YEAR", types.Type{Kind: types.Year, Length: 4, Unsigned: true})
	add("DATE", types.TemporalType(types.Date, 0))
	for _, f := range []int{0, 3, 6} {
		add(fmt.Sprintf("TIME(%d)", f), types.TemporalType(types.Time, f))
		add(fmt.Sprintf("DATETIME(%d)", f), types.TemporalType(types.Datetime, f))
		add(fmt.Sprintf("TIMESTAMP(%d)", f), types.TemporalType(types.Timestamp, f))
	}
	for _, c := range []string{
		"latin1_swedish_ci", "utf8mb4_general_ci", "utf8mb3_general_ci", "utf16_general_ci", "ascii_general_ci", "cp932_japanese_ci",
		"utf32_general_ci",
	} {
		set := collation(c).Set().Name()
		add("CHAR(5) CHARACTER SET "+set, str(types.Char, 5, c))
		add("VARCHAR(5) CHARACTER SET "+set, str(types.Varchar, 5, c))
		add("VARCHAR(40) CHARACTER SET "+set, str(types.Varchar, 40, c))
		add("TINYTEXT CHARACTER SET "+set, str(types.Tinytext, 255, c))
	}
	for n := range uint32(14) {
		add(fmt.Sprintf("VARCHAR(%d) CHARACTER SET latin1", n), str(types.Varchar, n, "latin1_swedish_ci"))
	}
	add("CHAR(0)", str(types.Char, 0, "latin1_swedish_ci"))
	add("TEXT CHARACTER SET utf8mb4", str(types.Text, 65535, "utf8mb4_general_ci"))
	add("LONGTEXT CHARACTER SET utf8mb4", str(types.Longtext, math.MaxUint32, "utf8mb4_bin"))
	add("BINARY(5)", str(types.Char, 5, "binary"))
	add("VARBINARY(5)", str(types.Varchar, 5, "binary"))
	add("VARBINARY(20)", str(types.Varchar, 20, "binary"))
	add("TINYBLOB", str(types.Tinytext, 255, "binary"))
	add("BLOB", str(types.Text, 65535, "binary"))
	for _, c := range []string{"latin1_swedish_ci", "utf8mb4_bin", "utf16_general_ci"} {
		add("ENUM('a','b','1','x y','2020','9') COLLATE "+c, member(types.Enum, c, "a", "b", "1", "x y", "2020", "9"))
		add("SET('a','b','c','12') COLLATE "+c, member(types.Set, c, "a", "b", "c", "12"))
	}
	add("UUID", types.Type{Kind: types.UUID, Length: 36})
	add("INET4", types.Type{Kind: types.Inet4, Length: 15})
	add("INET6", types.Type{Kind: types.Inet6, Length: 39})
	for i := range all {
		all[i].t.Nullable = true
	}
	return all
}

// shownBy is the expression that a server shows the column with.
func (c *column) shownBy() string {
	switch {
	case c.t.Kind.IsString(), c.t.Kind == types.Bit, c.t.Kind.Address():
		return "HEX(c)"
	case c.t.Kind == types.Enum, c.t.Kind == types.Set:
		return "c+0"
	}
	return "c"
}

// show is what that expression gives.
func (c *column) show(v types.Value, z *temporal.Zone) string {
	fraction := int(c.t.Decimals)
	switch k := c.t.Kind; {
	case v.Null:
		return "NULL"
	case k.IsString(), k.Address():
		return fmt.Sprintf("%X", v.Text)
	case k == types.Bit:
		return fmt.Sprintf("%X", uint64(v.Int))
	case k == types.Year:
		return fmt.Sprintf("%04d", v.Int)
	case k.Integer() && c.t.Zerofill:
		return fmt.Sprintf("%0*d", c.t.Length, uint64(v.Int))
	case k.Integer() && !c.t.Unsigned:
		return strconv.FormatInt(v.Int, 10)
	case k == types.Enum, k == types.Set, k.Integer():
		return strconv.FormatUint(uint64(v.Int), 10)
	case k == types.Decimal:
		return v.Dec.String()
	case k == types.Date:
		return string(temporal.AppendDate(nil, v.Time))
	case k == types.Time:
		return string(temporal.AppendTime(nil, v.Time, fraction))
	case k == types.Datetime:
		return string(temporal.AppendDateTime(nil, v.Time, fraction))
	case k == types.Timestamp:
		if z.DateTime(temporal.Stamp(v.Int)) != v.Time {
			return fmt.Sprintf("%d is not %d", v.Int, v.Time)
		}
		return string(temporal.AppendDateTime(nil, v.Time, fraction))
	case fraction < types.NotFixed:
		return strconv.FormatFloat(v.Float, 'f', fraction, 64)
	}
	return string(floattext.Append(nil, v.Float, c.t.Kind == types.Float))
}

// named is the column of a table, for messages.
func (c *column) named(table string, notNull bool) *assign.Column {
	t := c.t
	t.Nullable = !notNull
	return &assign.Column{Type: t, Database: "d", Table: table, Name: "c"}
}

// quoted is a text as a literal.
func quoted(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return fmt.Sprintf("_utf8mb4 x'%X'", s)
		}
	}
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}
