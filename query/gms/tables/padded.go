package tables

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types/charset"
)

// paddedPart is a part of a key that is made now: MariaDB's keys of CHAR columns have the spaces to the column's length in them, and in
// collations that do not pad they count.
func paddedPart(def *catalog.TableDef, part catalog.IndexPart) catalog.IndexPart {
	c := &def.Columns[part.Column]
	part.Padded = 0
	coll, ok := charset.ByID(c.Collation)
	if !ok || coll.PadSpace() || c.Collation == mysql.Collation_binary || c.Type != mysql.MYSQL_TYPE_STRING {
		return part
	}
	length, isChar := strings.CutPrefix(strings.ToLower(c.SQLType), "char(")
	length, _, _ = strings.Cut(length, ")")
	if n, err := strconv.Atoi(length); isChar && err == nil {
		part.Padded = n
		if part.Prefix > 0 {
			part.Padded = min(n, part.Prefix)
		}
	}
	return part
}

// keptPart is a part of a key whose column was another one of an earlier definition, with the entries that it has: they stay as they are as
// long as the column does.
func keptPart(old *catalog.ColumnDef, was catalog.IndexPart, def *catalog.TableDef, part catalog.IndexPart) catalog.IndexPart {
	c := &def.Columns[part.Column]
	if old.Type == c.Type && old.Meta == c.Meta && old.Collation == c.Collation && was.Prefix == part.Prefix {
		part.Padded = was.Padded
		return part
	}
	return paddedPart(def, part)
}
