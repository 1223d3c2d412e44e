package parse

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// The largest numbers that types take.
const (
	displayMost         = 255 // digits of an integer, FLOAT or DOUBLE that are shown
	bitsMost            = 64
	digitsMost          = 65 // of DECIMAL
	decimalsMost        = 38 // of DECIMAL
	decimalsStored      = 30 // as many go-mysql-server knows
	floatDecimalsMost   = 30
	floatDecimalsUnsaid = 39 // which FLOAT(10,39) takes for none
	floatBitsMost       = 53
	fractionMost        = 6
	charsMost           = 255 // of CHAR and BINARY
	tinyMost            = 1<<8 - 1
	textMost            = 1<<16 - 1
	mediumMost          = 1<<24 - 1
	longMost            = 1<<32 - 1
)

// typeError is MariaDB's error about a column whose type has numbers, or clauses, that it does not take.
func typeError(col *tree.Column) error {
	t, name := col.Type, col.Name.Text
	length, decimals := number(t.Length), number(t.Decimals)
	wide := func(most uint64) error {
		if length > most {
			return mysqlerr.New(mysqlerr.TooBigDisplaywidth, name, most)
		}
		return nil
	}
	if col.OnUpdate != nil && t.Name != "DATETIME" && t.Name != "TIMESTAMP" {
		return mysqlerr.New(mysqlerr.InvalidOnUpdate, name)
	}
	switch t.Name {
	case "DECIMAL":
		switch {
		case decimals > decimalsMost:
			return mysqlerr.New(mysqlerr.TooBigScale, name, decimalsMost)
		case length > digitsMost:
			return mysqlerr.New(mysqlerr.TooBigPrecision, name, digitsMost)
		case decimals > length:
			return mysqlerr.New(mysqlerr.MBiggerThanD, name)
		case decimals > decimalsStored:
			return mysqlerr.NotYet("a DECIMAL column with more than 30 decimals")
		}
	case "FLOAT", "DOUBLE":
		switch {
		case t.Decimals == "" && t.Name == "FLOAT" && length > floatBitsMost:
			return mysqlerr.New(mysqlerr.WrongFieldSpec, name)
		case decimals == floatDecimalsUnsaid:
			return nil
		case decimals > floatDecimalsMost:
			return mysqlerr.New(mysqlerr.TooBigScale, name, floatDecimalsMost)
		case decimals > length:
			return mysqlerr.New(mysqlerr.MBiggerThanD, name)
		}
		return wide(displayMost)
	case "BIT":
		return wide(bitsMost)
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT":
		return wide(displayMost)
	case "DATETIME", "TIMESTAMP", "TIME":
		if length > fractionMost {
			return mysqlerr.New(mysqlerr.TooBigPrecision, name, fractionMost)
		}
	case "CHAR", "NCHAR", "BINARY":
		if length > charsMost {
			return mysqlerr.New(mysqlerr.TooBigFieldLength, name, charsMost)
		}
	case "TEXT", "BLOB":
		return wide(longMost)
	case "SET":
		for _, m := range t.Members {
			if m.Kind == tree.TextValue && strings.Contains(m.Text, ",") {
				return mysqlerr.New(mysqlerr.IllegalValueForType, "set", m.Text)
			}
		}
	}
	return nil
}

// number is that of a type; what is too large for all of them is the largest.
func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil && text != "" {
		return 1<<64 - 1
	}
	return n
}

// plainType is a type as the other parser takes it: TEXT(n) and BLOB(n) are the smallest type for as many characters of a set, BIT(0) is BIT(1).
func plainType(t *tree.DataType, set *charset.Set) *tree.DataType {
	plain := *t
	switch {
	case t.Name == "BIT" && t.Length != "" && number(t.Length) == 0:
		plain.Length = "1"
	case t.Length != "" && (t.Name == "TEXT" || t.Name == "BLOB"):
		bytes := number(t.Length)
		if t.Name == "TEXT" {
			bytes *= uint64(set.MaxLen())
		}
		plain.Length = ""
		switch {
		case bytes == 0:
		case bytes <= tinyMost:
			plain.Name = "TINY" + t.Name
		case bytes <= textMost:
		case bytes <= mediumMost:
			plain.Name = "MEDIUM" + t.Name
		default:
			plain.Name = "LONG" + t.Name
		}
	default:
		return t
	}
	return &plain
}

// plain is plainType where the column's character set is known; without it, utf8mb4 stands for it.
func (r *collating) plain(t *tree.DataType, c *clauses) (plain *tree.DataType, changed bool, err error) {
	set, _ := charset.SetByName("utf8mb4")
	if r.d != nil && t.Name == "TEXT" && t.Length != "" {
		own, err := ofColumn(t, c.result())
		if err != nil {
			return nil, false, err
		}
		set = own.Set()
	}
	plain = plainType(t, set)
	return plain, plain != t, nil
}
