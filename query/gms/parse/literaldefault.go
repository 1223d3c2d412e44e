package parse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// A constant DEFAULT is assigned to its column once, when the column is defined: what the column does not take without a warning is error 1067, and what it
// keeps is what the definition says from then on. go-mysql-server takes other constants, and reads some of them otherwise (x'31' is a text, 101112 a time).

// keptDefault is the constant DEFAULT of a column as the column keeps it; nil where the text stands as it is, as that of all defaults that are no constants.
func (r *collating) keptDefault(col *tree.Column, c *clauses) (tree.Expr, error) {
	if r.d == nil || col.Default == nil {
		return nil, nil //nolint:nilnil // see above
	}
	value, from, ok := constant(col.Default)
	if lit, bytes := col.Default.(*tree.BytesLit); bytes && lit.Charset == "" && stringTypes[col.Type.Name] {
		return &tree.BytesLit{Number: lit.Value != "" && r.sql[lit.Start]|0x20 != 'x', Value: lit.Value}, nil // which go-mysql-server takes for its bytes
	}
	if !ok {
		return nil, nil //nolint:nilnil // see above
	}
	t, ok := r.columnType(col.Type, c)
	if !ok {
		return nil, nil //nolint:nilnil // see above
	}
	invalid := mysqlerr.New(mysqlerr.InvalidDefault, col.Name.Text)
	switch {
	case t.Kind == types.Enum:
		if from.Class() == types.ClassInt { // a number stands for its digits
			return &tree.TextLit{Value: strconv.FormatInt(value.Int, 10)}, nil
		}
		return nil, nil //nolint:nilnil // its members are looked at later
	case t.Kind == types.Set:
		if from.Class() != types.ClassText || from.Hybrid { // by number, which no default may
			return nil, invalid
		}
		return nil, nil //nolint:nilnil // as above
	case from.Kind == types.Time && t.Kind.HasDate():
		return nil, mysqlerr.NotYet("TIME'...' as the DEFAULT of a column with a date, which is that of today")
	}
	column := &assign.Column{Type: t, Name: col.Name.Text}
	assigner, err := assign.New(0, column, assign.Source{Type: from})
	if err != nil || assigner.Mismatch != nil {
		return nil, nil //nolint:nilnil,nilerr // refused later
	}
	diag := &types.Diagnostics{Most: 1}
	kept, stored := assigner.Assign(&assign.Context{Diag: diag}, value)
	if !stored || diag.Failed() != nil || kept.Null || slices.ContainsFunc(diag.Conditions, func(c types.Condition) bool { return c.Level != types.Note }) {
		return nil, invalid
	}
	for _, note := range diag.Conditions {
		r.d.Notes = append(r.d.Notes, mysqlerr.Newf(note.Number, "%s", note.Message))
	}
	return written(col.Default, kept, t), nil
}

// written is a kept constant as a literal, nil where it is read as it was written.
func written(as tree.Expr, kept types.Value, t types.Type) tree.Expr {
	_, bytes := as.(*tree.BytesLit)
	_, moment := as.(*tree.TemporalLit)
	number, isNumber := as.(*tree.NumberLit)
	switch {
	case t.Kind == types.Bit:
	case t.Kind.Integer() || t.Kind == types.Year:
		if isNumber && number.Kind == tree.IntegerNumber && (t.Kind != types.Year || kept.Int == 0) {
			return nil
		}
		text := strconv.FormatInt(kept.Int, 10)
		if t.Unsigned {
			text = strconv.FormatUint(uint64(kept.Int), 10)
		}
		return &tree.NumberLit{Kind: tree.IntegerNumber, Text: text}
	case t.Kind == types.Decimal && (bytes || moment):
		return &tree.NumberLit{Kind: tree.DecimalNumber, Text: string(kept.Dec.Append(nil))}
	case t.Class() == types.ClassFloat && (bytes || moment):
		return &tree.NumberLit{Kind: tree.DecimalNumber, Text: strconv.FormatFloat(kept.Float, 'f', -1, 64)}
	case t.Kind.Temporal():
		return &tree.TextLit{Value: string(temporal.Value{Packed: kept.Time, Kind: clocks[t.Kind]}.Append(nil, int(t.Decimals)))}
	case t.Kind.IsString() && !t.Binary():
		text := string(kept.Text)
		if t.Kind == types.Char {
			text = strings.TrimRight(text, " ")
		}
		if !plainText(text) {
			return nil
		}
		if lit, ok := as.(*tree.TextLit); ok && lit.Value == text {
			return nil
		}
		return &tree.TextLit{Value: text}
	}
	return nil
}

// plainText reports whether a text is in a literal as it is, whatever the character set and the mode.
func plainText(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' || c == '\\' })
}

var clocks = map[types.Kind]temporal.Kind{
	types.Date: temporal.Date, types.Time: temporal.Time, types.Datetime: temporal.DateTime, types.Timestamp: temporal.DateTime,
}

// constant is the value of a literal, maybe with a sign.
func constant(x tree.Expr) (v types.Value, t types.Type, ok bool) {
	utf8mb4, _ := charset.SetByName("utf8mb4")
	binary, _ := charset.SetByName("binary")
	text := func(s string, c *charset.Collation) (types.Value, types.Type, bool) {
		return types.Value{Text: []byte(s)}, types.StringType(uint64(len(s)), c, charset.Coercible, true), true
	}
	switch x := x.(type) {
	case *tree.BoolLit:
		if x.Value {
			v.Int = 1
		}
		return v, types.LongType(1), true
	case *tree.NumberLit:
		return number10(x, false)
	case *tree.Unary:
		n, isNumber := x.X.(*tree.NumberLit)
		if !isNumber || x.Op != tree.OpNegate && x.Op != tree.OpPositive {
			return v, t, false
		}
		return number10(n, x.Op == tree.OpNegate)
	case *tree.TextLit:
		if x.Charset != "" || !isASCII(x.Value) {
			return v, t, false
		}
		return text(x.Value, utf8mb4.Default())
	case *tree.BytesLit:
		if x.Charset != "" {
			return v, t, false
		}
		v, t, _ = text(x.Value, binary.Default())
		t.Hybrid, t.Unsigned, t.Decimals = x.Number, true, 0
		return v, t, true
	case *tree.TemporalLit:
		kind := map[tree.TemporalKind]types.Kind{tree.TemporalDate: types.Date, tree.TemporalTime: types.Time, tree.TemporalTimestamp: types.Datetime}[x.Kind]
		fraction := 0
		if at := strings.IndexByte(x.Value, '.'); at >= 0 {
			fraction = min(len(x.Value)-at-1, fractionMost)
		}
		if x.ODBC || kind == types.Null || !isASCII(x.Value) {
			return v, t, false
		}
		of := types.TemporalType(kind, fraction)
		a, err := assign.New(0, &assign.Column{Type: of}, assign.Source{Type: types.StringType(uint64(len(x.Value)), utf8mb4.Default(), charset.Coercible, true)})
		if err != nil {
			return v, t, false
		}
		diag := &types.Diagnostics{Most: 1}
		v, _ = a.Assign(&assign.Context{Diag: diag}, types.Value{Text: []byte(x.Value)})
		return v, of, diag.Failed() == nil && len(diag.Conditions) == 0
	}
	return v, t, false
}

// number10 is the value of a number.
func number10(n *tree.NumberLit, negative bool) (v types.Value, t types.Type, ok bool) {
	text := n.Text
	if negative {
		text = "-" + text
	}
	switch n.Kind {
	case tree.IntegerNumber:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return types.Value{Int: i}, types.BigintType(uint32(len(text)), false), true
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return types.Value{Int: int64(u)}, types.BigintType(uint32(len(text)), true), true
		}
	case tree.FloatNumber:
		f, err := strconv.ParseFloat(text, 64)
		return types.Value{Float: f}, types.DoubleType(), err == nil
	}
	d, _, cond := decimal.Parse([]byte(text))
	return types.Value{Dec: d}, types.DecimalType(decimal.LiteralType(d)), cond&decimal.Overflow == 0
}

// stringTypes are those of which a constant of bytes is these bytes, whichever way they are written.
var stringTypes = words("CHAR VARCHAR TINYTEXT TEXT MEDIUMTEXT LONGTEXT BINARY VARBINARY TINYBLOB BLOB MEDIUMBLOB LONGBLOB JSON")

// kindsByName are the types whose defaults are looked at here.
var kindsByName = map[string]types.Kind{
	"TINYINT": types.Tinyint, "SMALLINT": types.Smallint, "MEDIUMINT": types.Mediumint, "INT": types.Int, "BIGINT": types.Bigint, "BIT": types.Bit,
	"YEAR": types.Year, "DECIMAL": types.Decimal, "FLOAT": types.Float, "DOUBLE": types.Double, "DATE": types.Date, "TIME": types.Time,
	"DATETIME": types.Datetime, "TIMESTAMP": types.Datetime, "CHAR": types.Char, "VARCHAR": types.Varchar, "BINARY": types.Char, "VARBINARY": types.Varchar,
	"ENUM": types.Enum, "SET": types.Set,
}

// columnType is the type of a column whose default is looked at.
func (r *collating) columnType(d *tree.DataType, c *clauses) (t types.Type, ok bool) {
	kind, ok := kindsByName[d.Name]
	if !ok {
		return t, false
	}
	length, decimals := number(d.Length), number(d.Decimals)
	unsigned := d.Unsigned || d.Zerofill
	switch {
	case kind == types.Decimal:
		if d.Length == "" {
			length = 10
		}
		if length == 0 {
			length = 10
		}
		return types.DecimalType(decimal.Type{Precision: int(length), Scale: int(decimals), Unsigned: unsigned}), true
	case kind == types.Float || kind == types.Double:
		if d.Decimals != "" {
			return t, false
		}
		t = types.DoubleType()
		if t.Kind = kind; kind == types.Float && length > 24 {
			t.Kind = types.Double
		}
		t.Unsigned = unsigned
		return t, true
	case kind.Temporal():
		return types.TemporalType(kind, int(length)), true
	case kind == types.Bit:
		return types.Type{Kind: kind, Unsigned: true, Length: uint32(max(length, 1)), Derivation: charset.Numeric, ASCII: true}, true
	case kind == types.Year:
		return types.Type{Kind: kind, Unsigned: true, Zerofill: true, Length: 4, Derivation: charset.Numeric, ASCII: true}, length != 2
	case kind == types.Enum || kind == types.Set:
		return types.Type{Kind: kind}, true
	case kind == types.Char || kind == types.Varchar:
		if kind == types.Char && d.Length == "" {
			length = 1
		}
		binary, _ := charset.SetByName("binary")
		coll := binary.Default()
		if !strings.HasSuffix(d.Name, "BINARY") {
			own, err := ofColumn(d, c.result())
			if err != nil {
				return t, false
			}
			coll = own
		}
		t = types.StringType(length, coll, charset.Implicit, false)
		t.Kind = kind
		return t, length <= textMost
	}
	t = types.Type{Kind: kind, Unsigned: unsigned, Derivation: charset.Numeric, ASCII: true}
	t.Length = t.FullWidth()
	return t, true
}
