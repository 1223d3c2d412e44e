package schema

import (
	"regexp"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// quotedUnit is how go-mysql-server prints the unit of an EXTRACT, which its parser does not take.
var quotedUnit = regexp.MustCompile(`(?i)\bextract\('([A-Z_]+)' from `)

// Readable is the text of an expression of a definition as it can be kept: the parser reads it again whenever the table is opened. A table with a text that
// it cannot read could not even be dropped, so that such an expression is refused.
func Readable(text string) (string, error) {
	text = quotedUnit.ReplaceAllString(text, "extract($1 from ")
	if _, err := sqlparser.Parse("SELECT " + text); err != nil {
		return "", mysqlerr.NotYet("this expression in a definition (" + text + ")")
	}
	return text, nil
}
