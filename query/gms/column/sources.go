package column

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/value"
	"github.com/duramendb/duramen/query/result"
)

// Sources tells of each column what its type does not say about its values.
func Sources(schema sql.Schema, cols []result.Column, from []Origin) []value.Source {
	out := make([]value.Source, len(schema))
	for i, col := range schema {
		out[i] = value.Source{Type: col.Type, Digits: -1, Date: cols[i].Type == mysql.MYSQL_TYPE_DATE}
		if len(from) != len(schema) {
			continue
		}
		if from[i].computed() && !(types.IsBit(col.Type) && over(from[i].expr)) { // of which a temporary table has the bytes
			q, subquery := from[i].expr.(*plan.Subquery)
			out[i].Number = subquery && q.Correlated().Empty() // which is one value, in whatever table rows are
			out[i].Computed = !out[i].Number
		}
		if digits, is := currentDigits(from[i].expr); is {
			out[i].Digits = digits
		} else if types.IsTimespan(col.Type) {
			out[i].Digits = from[i].timeDigits()
		} else if types.IsTime(col.Type) {
			out[i].Digits = from[i].moment - 1
		}
	}
	return out
}

// over reports whether an expression is a function over a window.
func over(e sql.Expression) bool {
	if f, ok := e.(sql.WindowAdaptableExpression); ok {
		return f.Window() != nil
	}
	_, ok := e.(interface {
		Over(ctx *sql.Context, f sql.WindowAdaptableExpression) sql.WindowAdaptableExpression
	})
	return ok
}
