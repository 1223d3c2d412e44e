package routine

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// kinds are the types of variables. Others are refused.
var kinds = map[string]types.Kind{
	"TINYINT": types.Tinyint, "SMALLINT": types.Smallint, "MEDIUMINT": types.Mediumint, "INT": types.Int, "BIGINT": types.Bigint,
	"BOOLEAN": types.Tinyint, "BIT": types.Bit, "YEAR": types.Year, "DECIMAL": types.Decimal, "FLOAT": types.Float, "DOUBLE": types.Double,
	"DATE": types.Date, "TIME": types.Time, "DATETIME": types.Datetime, "TIMESTAMP": types.Datetime,
	"CHAR": types.Char, "VARCHAR": types.Varchar, "BINARY": types.Char, "VARBINARY": types.Varchar,
	"TINYTEXT": types.Tinytext, "TEXT": types.Text, "MEDIUMTEXT": types.Mediumtext, "LONGTEXT": types.Longtext, "JSON": types.Longtext,
	"TINYBLOB": types.Tinytext, "BLOB": types.Text, "MEDIUMBLOB": types.Mediumtext, "LONGBLOB": types.Longtext,
}

// typeOf is the type of a variable; database is the collation of texts that name none.
func typeOf(v *tree.VariableType, database *charset.Collation) (types.Type, error) {
	d := v.Type
	if d == nil {
		return types.Type{}, mysqlerr.NotYet("a variable whose type is that of a column, or ROW")
	}
	kind, ok := kinds[d.Name]
	if !ok {
		return types.Type{}, mysqlerr.NotYet("a variable of type " + d.Name)
	}
	t, err := typeOfKind(kind, d, database)
	t.Nullable = true
	return t, err
}

func typeOfKind(kind types.Kind, d *tree.DataType, database *charset.Collation) (types.Type, error) {
	length, decimals := digits(d.Length), digits(d.Decimals)
	unsigned := d.Unsigned || d.Zerofill
	switch {
	case d.Zerofill:
		return types.Type{}, mysqlerr.NotYet("a variable with ZEROFILL")
	case kind == types.Decimal:
		if length == 0 {
			length = 10
		}
		return types.DecimalType(decimal.Type{Precision: int(length), Scale: int(decimals), Unsigned: unsigned}), nil
	case kind == types.Float || kind == types.Double:
		if d.Decimals != "" {
			t := types.FixedDoubleType(uint32(length), uint8(decimals))
			t.Kind, t.Unsigned = kind, unsigned
			return t, nil
		}
		t := types.DoubleType()
		if t.Kind = kind; kind == types.Float {
			const single = 24 // bits, the most of a FLOAT
			if t.Length = 12; length > single {
				t = types.DoubleType()
			}
		}
		t.Unsigned = unsigned
		return t, nil
	case kind.Temporal():
		return types.TemporalType(kind, int(length)), nil
	case kind == types.Bit:
		return types.Type{Kind: kind, Unsigned: true, Length: uint32(max(length, 1)), Derivation: charset.Numeric, ASCII: true}, nil
	case kind == types.Year:
		return types.Type{Kind: kind, Unsigned: true, Zerofill: true, Length: 4, Derivation: charset.Numeric, ASCII: true}, nil
	case kind.Integer():
		t := types.Type{Kind: kind, Unsigned: unsigned, Derivation: charset.Numeric, ASCII: true}
		t.Length = t.FullWidth()
		return t, nil
	}
	return textType(kind, length, d, database)
}

// blobBytes are the most bytes of texts without a length.
var blobBytes = map[types.Kind]uint64{types.Tinytext: 1<<8 - 1, types.Text: 1<<16 - 1, types.Mediumtext: 1<<24 - 1, types.Longtext: 1<<32 - 1}

func textType(kind types.Kind, length uint64, d *tree.DataType, database *charset.Collation) (types.Type, error) {
	coll, err := collationOf(d, database)
	if err != nil {
		return types.Type{}, err
	}
	most, blob := blobBytes[kind]
	if !blob {
		if kind == types.Char && d.Length == "" {
			length = 1
		}
		t := types.StringType(length, coll, charset.Implicit, false)
		t.Kind = kind
		return t, nil
	}
	t := types.StringType(most/uint64(coll.Set().MaxLen()), coll, charset.Implicit, false)
	t.Kind, t.Octets = kind, uint32(most)
	return t, nil
}

func collationOf(d *tree.DataType, database *charset.Collation) (*charset.Collation, error) {
	switch {
	case strings.HasSuffix(d.Name, "BINARY"), strings.HasSuffix(d.Name, "BLOB"):
		set, _ := charset.SetByName("binary")
		return set.Default(), nil
	case d.Name == "JSON":
		c, _ := charset.ByName("utf8mb4_bin")
		return c, nil
	case d.Collate != "":
		c, ok := charset.ByName(present(d.Collate))
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownCollation, d.Collate)
		}
		return c, nil
	case d.Binary:
		return nil, mysqlerr.NotYet("a variable with the attribute BINARY; name the collation")
	case d.Charset != "":
		set, ok := charset.SetByName(present(d.Charset))
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, d.Charset)
		}
		return set.Default(), nil
	}
	return database, nil
}

// present is the name of a character set or collation as it is now: utf8 is utf8mb3.
func present(name string) string {
	name = strings.ToLower(name)
	if rest, old := strings.CutPrefix(name, "utf8"); old && (rest == "" || rest[0] == '_') {
		return "utf8mb3" + rest
	}
	return name
}

func digits(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 32) // the grammar has read digits
	return n
}
