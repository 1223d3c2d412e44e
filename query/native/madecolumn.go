package native

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// made is the column that CREATE TABLE ... SELECT makes of an item: that of a table is taken over, with its default and its comment.
func (st *Statement) made(item *plan.Item) (catalog.ColumnDef, error) {
	if item.Name == "" || strings.HasSuffix(item.Name, " ") {
		return catalog.ColumnDef{}, mysqlerr.New(mysqlerr.WrongColumnName, item.Name)
	}
	from := item.Described
	of := extremeOf(item.X)
	if of != nil {
		_, at, _ := of.Column()
		from = &st.plan.Source.Table.Columns[at]
	}
	if from == nil {
		return madeOf(item.Name, item.X)
	}
	old := from.Def
	c := catalog.ColumnDef{
		Name: item.Name, SQLType: old.SQLType, Nullable: old.Nullable || item.OrNone || of != nil, Comment: old.Comment,
		Type: old.Type, Meta: old.Meta, Unsigned: old.Unsigned, Collation: old.Collation, EnumValues: old.EnumValues,
	}
	if from.Type.JSON { // what makes it JSON is a constraint, which is not taken over
		c.SQLType, c.Collation = "longtext", from.Type.Collation.ID()
	}
	switch {
	case of != nil || item.Column == nil: // MIN, MAX and DEFAULT have the column's type only
	case old.AutoIncrement:
		c.Default, c.HasDefault, c.DefaultLiteral = "0", true, true
	case old.Generated == "":
		c.OnUpdate = old.OnUpdate
		if old.HasDefault && (old.DefaultLiteral || takenOver(old.Default)) {
			c.Default, c.HasDefault, c.DefaultLiteral, c.DefaultText = old.Default, true, old.DefaultLiteral, old.DefaultText
			c.DefaultMoment = old.DefaultMoment
		}
	}
	return c, nil
}

// notTakenOver are functions whose values cannot be told before: a default that has one stays with its table.
var notTakenOver = map[string]bool{"UUID": true, "UUID_SHORT": true, "SYS_GUID": true, "RAND": true, "SYSDATE": true, "VERSION": true}

// takenOver reports whether a default that is an expression goes with the column, as one does that names no other column.
func takenOver(text string) bool {
	n, _, err := grammar.Parse("SELECT "+text, grammar.Options{})
	if err != nil {
		return false
	}
	taken := true
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.ColumnRef, *tree.DefaultOf:
			taken = false
		case *tree.Call:
			taken = taken && !notTakenOver[strings.ToUpper(n.Name.Text)]
		}
		return taken
	})
	return taken
}

// madeOf is the column for the values of an expression.
func madeOf(name string, x *eval.Expr) (catalog.ColumnDef, error) {
	t := x.Type
	switch {
	case x.Name == "uuid":
		return catalog.ColumnDef{}, bind.Refusal("a column of this type")
	case neverNegative[x.Name] || x.Name == "extract" && wholeUnit[t.Length]:
		t.Length++ // of a sign
	case x.Name == "nullif":
		t.Zerofill = false
	case x.Name == "?":
		t = parameterType(t)
	}
	if t.Kind == types.Decimal && t.Decimals > scaleMost { // the fallback would take a smaller one
		return catalog.ColumnDef{}, mysqlerr.New(mysqlerr.TooBigScale, name, scaleMost)
	}
	c := catalog.ColumnDef{Name: name, Nullable: t.Nullable, Unsigned: t.Unsigned}
	text, err := columnType(t)
	if err != nil {
		return c, err
	}
	c.SQLType = text
	binary, _ := charset.SetByName("binary")
	c.Collation = binary.Default().ID()
	if t.Collation != nil {
		c.Collation = t.Collation.ID()
	}
	return c, nil
}

// neverNegative are functions whose type has no place for a sign; their columns have one.
var neverNegative = map[string]bool{
	"year": true, "month": true, "dayofmonth": true, "hour": true, "minute": true, "second": true, "quarter": true, "week": true, "to_days": true,
	"dayofyear": true, "microsecond": true,
}

// wholeUnit are the lengths of such results of EXTRACT: QUARTER, MONTH and WEEK, YEAR, YEAR_MONTH.
var wholeUnit = map[uint32]bool{1: true, 2: true, 4: true, 6: true}

// parameterType is the type of a column for the value of a placeholder: the largest integer, and the smallest TEXT.
func parameterType(t types.Type) types.Type {
	const tinytextMost, bigintWidth = 1<<8 - 1, 20
	switch {
	case t.Kind.Integer():
		t.Kind, t.Length = types.Bigint, bigintWidth
	case t.Kind == types.Char || t.Kind == types.Varchar:
		t.Kind = types.Text
		if t.Bytes() <= tinytextMost {
			t.Kind = types.Tinytext
		}
	}
	return t
}

// scaleMost is the largest scale of a DECIMAL column that the fallback knows.
const scaleMost = 30

// columnType is the type of a column for values of a type, as definitions have it.
func columnType(t types.Type) (string, error) {
	text := ""
	switch k := t.Kind; {
	case k == types.Null:
		return "binary(0)", nil
	case k.Integer():
		width := t.Length
		if k < types.Int {
			width = t.FullWidth()
		}
		text = fmt.Sprintf("%s(%d)", k, width)
	case k == types.Bit:
		return fmt.Sprintf("bit(%d)", t.Length), nil
	case k == types.Year:
		return "year(4)", nil
	case k == types.Decimal:
		text = fmt.Sprintf("decimal(%d,%d)", t.Dec.Precision, t.Decimals)
	case k == types.Float || k == types.Double:
		text = k.String()
		if t.Decimals < types.NotFixed {
			text = fmt.Sprintf("%s(%d,%d)", k, t.Length, t.Decimals)
		}
	case k.Temporal():
		digits := t.Decimals
		if digits > timeDigitsMost {
			digits = timeDigitsMost
		}
		if k == types.Date || digits == 0 {
			return k.String(), nil
		}
		return fmt.Sprintf("%s(%d)", k, digits), nil
	case k.IsString():
		return stringType(t), nil
	default:
		return "", bind.Refusal("a column of this type")
	}
	if t.Unsigned {
		text += " unsigned"
	}
	if t.Zerofill {
		text += " zerofill"
	}
	return text, nil
}

const timeDigitsMost = 6

// Bounds of the types that columns for text have: a longer VARCHAR, in characters, is a TEXT of the size that its bytes need.
const (
	varcharMost    = 512
	textMost       = 1<<16 - 1
	mediumtextMost = 1<<24 - 1
)

func stringType(t types.Type) string {
	kind, name := t.Kind, t
	if !kind.Blob() && t.Length > varcharMost || kind == types.Text {
		switch bytes := t.Bytes(); {
		case bytes > mediumtextMost:
			kind = types.Longtext
		case bytes > textMost:
			kind = types.Mediumtext
		default:
			kind = types.Text
		}
	}
	if kind == types.Char {
		kind = types.Varchar
	}
	name.Kind, name.JSON = kind, false
	switch {
	case kind.Blob() && t.Binary():
		return kind.String() // tinyblob, blob ...
	case kind.Blob():
		return name.Name()
	case t.Length == 0:
		name.Kind = types.Char
	}
	return fmt.Sprintf("%s(%d)", name.Name(), t.Length)
}
