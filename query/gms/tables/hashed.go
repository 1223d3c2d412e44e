package tables

import (
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types/charset"
)

// ordinaryKeyMax is the longest key, in bytes, that InnoDB has as one of its own.
const ordinaryKeyMax = 3072

// hashed reports whether a unique index is one of those for which MariaDB keeps a hash of the values: of a BLOB or TEXT as a whole, or of more
// bytes than a key of InnoDB may have.
func hashed(def *catalog.TableDef, idx *catalog.IndexDef) bool {
	if !idx.Unique || idx.Kind != "" {
		return false
	}
	total := 0
	for _, p := range idx.Parts {
		c := &def.Columns[p.Column]
		size := mysql.FixedSize(c.Type, c.Meta)
		switch {
		case p.Prefix > 0:
			size = p.Prefix
			if coll, ok := charset.ByID(c.Collation); ok {
				size *= coll.Set().MaxLen()
			}
		case c.Type == mysql.MYSQL_TYPE_BLOB:
			return true
		case size < 0:
			size = int(c.Meta) // of a VARCHAR its bytes; a CHAR has 1,020 at most
			if c.Type == mysql.MYSQL_TYPE_STRING {
				_, size = mysql.ResolveString(c.Meta)
			}
		}
		total += size
	}
	return total > ordinaryKeyMax
}

// sameColumns reports whether an index has the same parts in two definitions, of columns that are the same.
func sameColumns(a *catalog.TableDef, x *catalog.IndexDef, b *catalog.TableDef, y *catalog.IndexDef) bool {
	if len(x.Parts) != len(y.Parts) {
		return false
	}
	for i := range x.Parts {
		c, d := &a.Columns[x.Parts[i].Column], &b.Columns[y.Parts[i].Column]
		if c.Type != d.Type || c.Meta != d.Meta || c.Collation != d.Collation {
			return false
		}
	}
	return true
}
