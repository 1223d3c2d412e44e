package parse

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/tables"
)

// The parser has no types UUID, INET4 and INET6. It reads a CHAR in their places, whose collation, which no statement can name, says what is meant;
// see tables.Normalize.

// isAddress reports whether a column is of one of these types.
func isAddress(t *tree.DataType) bool {
	return t.Name == "UUID" || t.Name == "INET4" || t.Name == "INET6"
}

// address puts a type to parse in place of such a type. Its length and its collation mean nothing.
func (r *collating) address(col *tree.Column) error {
	t := col.Type
	if r.d != nil && t.Collate != "" && t.Collate != "DEFAULT" {
		if _, err := collationIn(r.d.Server.Set(), false, t.Collate); err != nil {
			return err
		}
	}
	text := &tree.DataType{Name: "CHAR", Length: "39", Collate: tables.AddressCollation + strings.ToLower(t.Name)}
	if r.later(col) {
		whole := *col
		whole.Type = text
		r.replace(col.Span, tree.String(&whole))
		return nil
	}
	r.replace(t.Span, tree.String(text))
	return nil
}
