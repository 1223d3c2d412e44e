// Package date is the functions of SQL over dates and times.
package date

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Functions are those called by name.
var Functions []eval.Def

// AddInterval is x + INTERVAL value unit, or x - INTERVAL ... if it is minus.
func AddInterval(b *eval.Builder, x *eval.Expr, minus bool, value *eval.Expr, unit tree.Unit) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("INTERVAL")
}

// Extract is EXTRACT(unit FROM x).
func Extract(b *eval.Builder, unit tree.Unit, x *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("EXTRACT")
}

// TimestampDiff is TIMESTAMPDIFF(unit, from, to).
func TimestampDiff(b *eval.Builder, unit tree.Unit, from, to *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("TIMESTAMPDIFF")
}

// GetFormat is GET_FORMAT(kind, x).
func GetFormat(b *eval.Builder, kind tree.TemporalKind, x *eval.Expr) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("GET_FORMAT")
}

// Literal is DATE '...', TIME '...' or TIMESTAMP '...'; of ODBC's {d '...'} and its like what is no date is text.
func Literal(b *eval.Builder, n *tree.TemporalLit) (*eval.Expr, error) {
	return nil, mysqlerr.NotYet("a literal of a date")
}
