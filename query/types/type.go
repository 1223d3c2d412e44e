package types

import (
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// Kind is a type of SQL as columns and results have it.
type Kind uint8

// The kinds. JSON is a Longtext (Type.JSON). Binary strings are those whose collation is binary.
const (
	Null Kind = iota // of the literal NULL
	Tinyint
	Smallint
	Mediumint
	Int
	Bigint
	Bit
	Year
	Decimal
	Float
	Double
	Date
	Time
	Datetime
	Timestamp
	Char
	Varchar
	Tinytext
	Text
	Mediumtext
	Longtext
	Enum
	Set
	UUID
	Inet4
	Inet6
	kindCount
)

// Class is how values of a type are computed with.
type Class uint8

// The classes, and the Go type of each.
const (
	ClassInt   Class = iota // int64; Type.Unsigned says how its bits are meant
	ClassFloat              // float64
	ClassDec                // decimal.Dec
	ClassTime               // temporal.Packed; a Timestamp's is in the session's time zone
	ClassText               // []byte
)

var kinds = [kindCount]struct {
	name  string // as error messages have it
	class Class
}{
	Null: {"null", ClassText}, Tinyint: {"tinyint", ClassInt}, Smallint: {"smallint", ClassInt}, Mediumint: {"mediumint", ClassInt},
	Int: {"int", ClassInt}, Bigint: {"bigint", ClassInt}, Bit: {"bit", ClassInt}, Year: {"year", ClassInt},
	Decimal: {"decimal", ClassDec}, Float: {"float", ClassFloat}, Double: {"double", ClassFloat},
	Date: {"date", ClassTime}, Time: {"time", ClassTime}, Datetime: {"datetime", ClassTime}, Timestamp: {"timestamp", ClassTime},
	Char: {"char", ClassText}, Varchar: {"varchar", ClassText}, Tinytext: {"tinyblob", ClassText}, Text: {"blob", ClassText},
	Mediumtext: {"mediumblob", ClassText}, Longtext: {"longblob", ClassText}, Enum: {"enum", ClassInt}, Set: {"set", ClassInt},
	UUID: {"uuid", ClassText}, Inet4: {"inet4", ClassText}, Inet6: {"inet6", ClassText},
}

// Class is the class of a kind's values: of ENUM the number of the member from 1, 0 being the empty one that is no member; of SET and
// BIT the bits; of UUID, INET4 and INET6 their bytes; of Null nobody asks for a value.
func (k Kind) Class() Class { return kinds[k].class }

// String is the name that error messages have for the kind; see Type.Name for binary strings.
func (k Kind) String() string { return kinds[k].name }

// Integer reports whether the kind is one of the integers proper.
func (k Kind) Integer() bool { return k >= Tinyint && k <= Bigint }

// Temporal reports whether the kind is a date or a time; YEAR is a number.
func (k Kind) Temporal() bool { return k >= Date && k <= Timestamp }

// HasDate reports whether the kind has a date in it.
func (k Kind) HasDate() bool { return k == Date || k == Datetime || k == Timestamp }

// String kinds are those of text and binary strings; not ENUM, SET and UUID.
func (k Kind) IsString() bool { return k >= Char && k <= Longtext }

// Blob reports whether the kind is one of the TEXT and BLOB types.
func (k Kind) Blob() bool { return k >= Tinytext && k <= Longtext }

// Address reports whether the kind is one of UUID, INET4 and INET6, which convert from text but have no numbers.
func (k Kind) Address() bool { return k >= UUID }

// NotFixed are the Decimals of a number whose digits after the point are not fixed.
const NotFixed = 31

// NotFixedText are the Decimals of text that may be a number of any scale.
const NotFixedText = 39

// Type is what is known of an expression before it is computed. It is comparable.
type Type struct {
	Kind     Kind
	Unsigned bool
	Zerofill bool
	Nullable bool
	JSON     bool // of text: it is JSON
	OwnScale bool // of DECIMAL: a value is shown with the digits after the point that it has, not with Decimals (user variables)
	Hybrid   bool // of a binary literal 0x41 or b'01': text, but a number where a number is asked for

	// Length is the number of characters (bytes of binary strings) that a value has at most: MariaDB's max_char_length. It is the
	// display width of numbers and temporal values.
	Length uint32
	// Octets is, of the TEXT and BLOB kinds, the number of bytes that a value has at most (max_length), which need not be a multiple of
	// a character's size; 0 if it is. Of other kinds it is 0.
	Octets uint32
	// Decimals are digits after the point: of DECIMAL (0 to 38) and the fraction of seconds (0 to 6) exact; of FLOAT and DOUBLE
	// NotFixed, or a number of digits that are printed; of text what a number or time made of it has, mostly NotFixedText.
	Decimals uint8

	// Dec is the precision of DECIMAL, of which Length and Decimals follow (see Fix); of other kinds it is zero.
	Dec decimal.Type

	// Collation is that of text, ENUM and SET; nil for all others.
	Collation *charset.Collation
	// Derivation and ASCII (MariaDB's coercibility and repertoire) belong to the collation. Numbers and temporal values are Numeric and
	// ASCII.
	Derivation charset.Derivation
	ASCII      bool

	// Members are those of ENUM and SET.
	Members *Members
}

// Members are the texts of an ENUM or SET in the character set of its collation.
type Members struct{ Texts [][]byte }

// Class is the class of the type's values.
func (t Type) Class() Class { return t.Kind.Class() }

// Binary reports whether the type is a binary string.
func (t Type) Binary() bool { return t.Kind.IsString() && t.Collation.Set().Name() == "binary" }

// Padded is to how many characters the texts of a CHAR column are followed by spaces that count in keys, though not in comparisons: in
// collations that do not pad, as MariaDB's sorting and grouping takes them out of rows. It is 0 for all other types.
func (t Type) Padded() int {
	if t.Kind != Char || t.Collation.PadSpace() || t.Binary() {
		return 0
	}
	return int(t.Length)
}

// Name is what error messages call the type.
func (t Type) Name() string {
	switch {
	case t.JSON:
		return "json"
	case t.Binary() && t.Kind == Char:
		return "binary"
	case t.Binary() && t.Kind == Varchar:
		return "varbinary"
	case !t.Binary() && t.Kind.Blob():
		return [...]string{"tinytext", "text", "mediumtext", "longtext"}[t.Kind-Tinytext]
	case t.Unsigned && t.Kind == Tinyint:
		return "tiny unsigned" // sic
	case t.Unsigned && t.Kind.Integer():
		return t.Kind.String() + " unsigned"
	}
	return t.Kind.String()
}

// number is a type of a number or a temporal value.
func number(k Kind, length uint32, decimals uint8) Type {
	return Type{Kind: k, Length: length, Decimals: decimals, Derivation: charset.Numeric, ASCII: true}
}

// NullType is that of the literal NULL.
func NullType() Type {
	return Type{Kind: Null, Nullable: true, Derivation: charset.Ignorable, ASCII: true}
}

// IntType is the type of an integer result: INT if its length is at most 9 characters, else BIGINT, as MariaDB decides it.
func IntType(length uint32, unsigned bool) Type {
	t := number(Bigint, length, 0)
	if length < 10 {
		t.Kind = Int
	}
	t.Unsigned = unsigned
	return t
}

// LongType is the type of a result that is an INT (MYSQL_TYPE_LONG) whatever its length.
func LongType(length uint32) Type { return number(Int, length, 0) }

// BigintType is the type of a result that is a BIGINT whatever its length.
func BigintType(length uint32, unsigned bool) Type {
	t := number(Bigint, length, 0)
	t.Unsigned = unsigned
	return t
}

// BoolType is that of comparisons: INT of length 1.
func BoolType() Type { return LongType(1) }

// DoubleType is that of a DOUBLE whose digits are not fixed.
func DoubleType() Type { return number(Double, 23, NotFixed) }

// FixedDoubleType is that of a DOUBLE printed with so many digits after the point.
func FixedDoubleType(length uint32, decimals uint8) Type { return number(Double, length, decimals) }

// DecimalType is that of a DECIMAL expression.
func DecimalType(d decimal.Type) Type {
	t := number(Decimal, uint32(d.Length()), uint8(min(d.Scale, decimal.ScaleMax)))
	t.Dec, t.Unsigned = d, d.Unsigned
	return t
}

// TemporalType is that of a DATE, TIME, DATETIME or TIMESTAMP with a fraction of so many digits.
func TemporalType(k Kind, fraction int) Type {
	length := uint32(19)
	switch k {
	case Date:
		fraction, length = 0, 10
	case Time:
		length = 10
	}
	if fraction > 0 {
		length += 1 + uint32(fraction)
	}
	return number(k, length, uint8(fraction))
}

// Limits of the lengths of strings, in bytes.
const (
	varcharMax    = 65531
	textMax       = 65535
	mediumtextMax = 1<<24 - 1
	lengthMax     = 1<<32 - 1
)

// StringType is the type of text of at most so many characters, in a collation. Its kind is VARCHAR, or what is large enough:
// TEXT, MEDIUMTEXT, LONGTEXT, as MariaDB's string functions choose it.
func StringType(length uint64, c *charset.Collation, d charset.Derivation, ascii bool) Type {
	t := Type{Kind: Varchar, Decimals: NotFixedText, Collation: c, Derivation: d, ASCII: ascii}
	bytes := length * uint64(c.Set().MaxLen())
	switch {
	case bytes > lengthMax:
		t.Kind, length = Longtext, lengthMax/uint64(c.Set().MaxLen())
	case bytes > mediumtextMax:
		t.Kind = Longtext
	case bytes > textMax:
		t.Kind = Mediumtext
	case bytes > varcharMax:
		t.Kind = Text
	}
	t.Length = uint32(length)
	return t
}

// Bytes is how many bytes a value has at most, as text: MariaDB's max_length. Numbers and temporal values are of ASCII.
func (t Type) Bytes() uint64 {
	switch {
	case t.Octets > 0:
		return uint64(t.Octets)
	case t.Collation != nil:
		return uint64(t.Length) * uint64(t.Collation.Set().MaxLen())
	}
	return uint64(t.Length)
}

// integerWidths are how wide a column of the integers proper is at least in expressions, with a sign and without.
var integerWidths = [...][2]uint32{Tinyint: {4, 3}, Smallint: {6, 5}, Mediumint: {9, 8}, Int: {11, 10}, Bigint: {20, 20}}

// Width is the length that expressions count with: that of a column with ZEROFILL may be larger than its display width, which is Length.
func (t Type) Width() uint32 {
	if !t.Zerofill {
		return t.Length
	}
	return t.FullWidth()
}

// FullWidth is Width whatever display width an integer column is declared with.
func (t Type) FullWidth() uint32 {
	switch {
	case !t.Kind.Integer():
		return t.Length
	case t.Unsigned:
		return max(t.Length, integerWidths[t.Kind][1])
	}
	return max(t.Length, integerWidths[t.Kind][0])
}

// OrNull is the type, nullable.
func (t Type) OrNull() Type {
	t.Nullable = true
	return t
}

// NullIf is the type, nullable if one of others is.
func (t Type) NullIf(others ...Type) Type {
	for i := range others {
		t.Nullable = t.Nullable || others[i].Nullable
	}
	return t
}
