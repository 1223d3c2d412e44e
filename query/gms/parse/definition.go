package parse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// What definitions of columns say that go-mysql-server's parser does not take, or takes for something else: NULL of a column of the primary key, which
// means nothing; KEY without PRIMARY; BLOB(10) and TEXT(10), which are the smallest type that takes so many characters; conditions as values of generated columns.

// primaryColumns are the columns that a CREATE TABLE's PRIMARY KEY names.
func primaryColumns(elements []tree.Element) (names []string) {
	for _, e := range elements {
		if k, ok := e.(*tree.Key); ok && k.Kind == tree.PrimaryKey {
			for _, part := range k.Parts {
				names = append(names, part.Column.Text)
			}
		}
	}
	return names
}

// neverNull reports whether a column is NOT NULL whatever it says of NULL.
func (r *collating) neverNull(col *tree.Column) bool {
	return col.Primary || col.AutoIncrement || slices.ContainsFunc(r.primary, func(name string) bool { return strings.EqualFold(name, col.Name.Text) })
}

// attributes rewrites what stands behind a column's type.
func (r *collating) attributes(col *tree.Column) {
	r.words(col)
}

// words takes NULL away from a column that never is, with DEFAULT before it if a PRIMARY KEY names the column, and writes PRIMARY before KEY.
func (r *collating) words(col *tree.Column) {
	if !r.neverNull(col) {
		return
	}
	base := int(col.Type.End)
	toks := dialect.Tokens(r.sql[base:col.End], r.mode, 0)
	put := func(from, to dialect.Token, with string) {
		r.replace(tree.Span{Start: int32(base + from.Start), End: int32(base + to.End)}, with)
	}
	depth := 0
	for i, t := range toks {
		after := func(word string) bool { return i > 0 && toks[i-1].Is(word) }
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth != 0:
		case t.Is("NULL") && after("DEFAULT"):
			if !col.Primary || col.AutoIncrement {
				put(toks[i-1], t, "")
			}
		case t.Is("NULL") && !after("NOT") && !after("SET"):
			put(t, t, "")
		case t.Is("KEY") && !after("PRIMARY") && !after("UNIQUE"):
			put(t, t, "PRIMARY KEY")
		}
	}
}

// The most bytes that a column of each of these types has.
var blobTypes = []struct {
	prefix string
	most   uint64
}{{"TINY", 1<<8 - 1}, {"", 1<<16 - 1}, {"MEDIUM", 1<<24 - 1}, {"LONG", 1<<32 - 1}}

// sized is the type that BLOB(10) or TEXT(10) of a column means: the smallest that has room for so many characters. It is nil for all other
// types. c is the collation of a TEXT, or nil.
func sized(t *tree.DataType, c *charset.Collation, column string) (*tree.DataType, error) {
	if t.Name != "BLOB" && (t.Name != "TEXT" || c == nil) || t.Length == "" {
		return nil, nil
	}
	bytes, err := strconv.ParseUint(t.Length, 10, 64)
	if err != nil || bytes > math.MaxUint32 {
		return nil, mysqlerr.New(mysqlerr.TooBigDisplaywidth, column, uint32(math.MaxUint32))
	}
	if t.Name == "TEXT" {
		bytes *= uint64(c.Set().MaxLen())
	}
	plain := *t
	plain.Length = ""
	if bytes == 0 {
		return &plain, nil
	}
	for _, b := range blobTypes {
		if plain.Name = b.prefix + t.Name; bytes <= b.most {
			break
		}
	}
	return &plain, nil
}

// resized is the type that a column gets whose type has a length that chooses it, as far as its collation is known.
func (r *collating) resized(t *tree.DataType, c *clauses, column string) (resized *tree.DataType, changed bool, err error) {
	var own *charset.Collation
	if r.d != nil && t.Name == "TEXT" && t.Length != "" {
		if own, err = ofColumn(t, c.result()); err != nil {
			return nil, false, err
		}
	}
	other, err := sized(t, own, column)
	if other == nil || err != nil {
		return t, false, err
	}
	return other, true, nil
}
