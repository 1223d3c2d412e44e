package schema

import (
	"context"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
)

// Declared is what a column's definition says of its type that the engine's type does not keep.
type Declared struct {
	Digits   int // fractional digits of TIME
	Width    int // display width of an integer, M of FLOAT(M,D); 0 if none was given
	Scale    int // D of FLOAT(M,D), -1 if none was given
	Unsigned bool
	Zerofill bool
	Default  string // see catalog.ColumnDef.DefaultText
}

// Declarations finds what a statement declares of a column; known is false for columns that it does
// not define. A nil one defines none.
type Declarations func(column string) (d Declared, known bool)

var integerWidths = map[string][2]int{
	"tinyint": {4, 3}, "smallint": {6, 5}, "mediumint": {9, 8}, "int": {11, 10}, "bigint": {20, 20},
}

// TypeText completes the engine's text of a type, such as "int unsigned", "tinyint(1)" or "float".
func (d Declared) TypeText(text string) string {
	base, _, _ := strings.Cut(text, "(")
	base, _, _ = strings.Cut(base, " ")
	switch base {
	case "float", "double":
		if d.Width > 0 && d.Scale >= 0 {
			text = base + "(" + strconv.Itoa(d.Width) + "," + strconv.Itoa(d.Scale) + ")"
		}
		if d.Unsigned {
			text += " unsigned"
		}
	case "decimal":
		if d.Unsigned {
			text += " unsigned"
		}
	default:
		widths, ok := integerWidths[base]
		if !ok {
			return text
		}
		unsigned := strings.HasSuffix(text, " unsigned")
		standard := widths[0]
		if unsigned {
			standard = widths[1]
		}
		if d.Width > 0 && d.Width != standard {
			text = base + "(" + strconv.Itoa(d.Width) + ")"
			if unsigned {
				text += " unsigned"
			}
		}
	}
	if d.Zerofill {
		text += " zerofill"
	}
	return text
}

// keptText is the text of the old definition's type where the new column has that very type, as all
// columns have that a statement does not define anew.
func keptText(typ sql.Type, digits int, old *catalog.ColumnDef) (string, bool) {
	was, err := ParseType(old.SQLType, old.Collation)
	if err != nil || TypeText(was, digits) != TypeText(typ, digits) {
		return "", false
	}
	return old.SQLType, true
}

// attributes are the parts of a type's text that the engine's type does not keep.
var attributes = regexp.MustCompile(`^((?:float|double)(?:\((\d+),(\d+)\))?|decimal\(\d+,\d+\)|(?:tiny|small|medium|big)?int(?:\((\d+)\))?)( unsigned)?( zerofill)?$`)

// checked wraps the conversion of a column whose declaration limits its values further than the
// engine's type does: UNSIGNED of DECIMAL and floating point numbers, and FLOAT(M,D), which is
// rounded to D decimals.
func checked(typ sql.Type, def *catalog.ColumnDef, to toStore) toStore {
	m := attributes.FindStringSubmatch(def.SQLType)
	if m == nil || strings.Contains(m[1], "int") || m[3] == "" && m[5] == "" {
		return to
	}
	unsigned := m[5] != ""
	width, _ := strconv.Atoi(m[2])
	scale := -1
	if m[3] != "" {
		scale, _ = strconv.Atoi(m[3])
	}
	return func(ctx context.Context, v any) (any, error) {
		switch x := v.(type) {
		case *apd.Decimal:
			if unsigned && x.Sign() < 0 {
				return nil, sql.ErrValueOutOfRange.New(v, typ)
			}
		case float32:
			f, ok := rounded(float64(x), width, scale)
			if !ok || unsigned && f < 0 {
				return nil, sql.ErrValueOutOfRange.New(v, typ)
			}
			v = float32(f)
		case float64:
			f, ok := rounded(x, width, scale)
			if !ok || unsigned && f < 0 {
				return nil, sql.ErrValueOutOfRange.New(v, typ)
			}
			v = f
		}
		return to(ctx, v)
	}
}

// rounded is f with that many decimals; ok is false if it has more than width digits.
func rounded(f float64, width, scale int) (_ float64, ok bool) {
	if scale < 0 {
		return f, true
	}
	text := new(big.Float).SetFloat64(f).Text('f', scale)
	r, err := strconv.ParseFloat(text, 64)
	return r, err == nil && math.Abs(r) < math.Pow10(width-scale)
}
