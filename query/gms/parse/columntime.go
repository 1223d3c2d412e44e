package parse

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// ownTime gives the current time in DEFAULT and ON UPDATE of a DATETIME or TIMESTAMP column the decimals that it means: the column's, unless
// it asks for fewer, but some. It reports whether DEFAULT is done.
func (r *collating) ownTime(col *tree.Column) bool {
	if col.Type == nil || col.Type.Name != "DATETIME" && col.Type.Name != "TIMESTAMP" {
		return false
	}
	digits := number(col.Type.Length)
	now := "CURRENT_TIMESTAMP"
	if digits > 0 {
		now += "(" + strconv.FormatUint(digits, 10) + ")"
	}
	if u := col.OnUpdate; u != nil {
		if asked := number(u.Decimals); asked == 0 || asked > digits { // fewer are an error
			r.replace(u.Span, now)
		}
	}
	call, ok := col.Default.(*tree.Call)
	if !ok || strings.ToUpper(cmp.Or(otherNames[call.Name.Text], call.Name.Text)) != "CURRENT_TIMESTAMP" {
		return false
	}
	asked := uint64(0)
	if len(call.Args) > 0 {
		asked = number(tree.String(call.Args[0]))
	}
	if asked == digits || asked != 0 && asked < digits {
		return false
	}
	r.replace(call.Span, now)
	return true
}
