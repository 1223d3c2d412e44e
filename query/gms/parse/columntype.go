package parse

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// sizedType is the smallest type that has room for so many characters, each of at most charLength bytes: that is what TEXT(n) and BLOB(n)
// mean. 0 asks for nothing.
func sizedType(t *tree.DataType, charLength uint64, column string) (string, error) {
	n, err := strconv.ParseUint(t.Length, 10, 64)
	if err != nil || n > math.MaxUint32 {
		return "", mysqlerr.New(mysqlerr.TooBigDisplaywidth, column, uint32(math.MaxUint32))
	}
	switch n *= charLength; {
	case n == 0, n >= 1<<8 && n < 1<<16:
		return t.Name, nil
	case n < 1<<8:
		return "TINY" + t.Name, nil
	case n < 1<<24:
		return "MEDIUM" + t.Name, nil
	}
	return "LONG" + t.Name, nil
}

// ofColumn is the collation of a column's type in a table with a collation.
func ofColumn(t *tree.DataType, table *charset.Collation) (*charset.Collation, error) {
	set, coll := table.Set(), table
	if t.Charset != "" {
		var err error
		if set, err = characterSet(t.Charset); err != nil {
			return nil, err
		}
		coll = set.Default()
	}
	if t.Binary {
		coll = set.Bin()
	}
	switch t.Collate {
	case "DEFAULT":
		return set.Default(), nil
	case "":
		return coll, nil
	}
	own, err := collationIn(set, t.Charset != "", t.Collate)
	if err == nil && t.Binary && own != own.Set().Bin() {
		bin := "BINARY"
		if t.Charset != "" {
			bin = "COLLATE " + coll.Name()
		}
		return nil, mysqlerr.New(mysqlerr.ConflictingDeclarations, bin, "COLLATE "+own.Name())
	}
	return own, err
}
