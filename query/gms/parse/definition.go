package parse

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// What definitions of columns say that go-mysql-server's parser does not take, or takes for something else: NULL of a column of the primary key, which
// means nothing; KEY without PRIMARY.

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
