package setop

import (
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// moment is a text that may be a literal like DATE'2026-01-02', of which go-mysql-server's parser keeps the text alone.
var moment = regexp.MustCompile(`^ *-?([0-9]+[-:.]|[0-9]{6,14} *$)`)

// merged is the type of a column in which all queries meet.
func (u *unit) merged(ctx *sql.Context, at int) (types.Type, error) {
	env := &types.Env{Connection: connection(ctx)}
	args := make([]*eval.Expr, len(u.queries))
	plain, times, written, kinds := true, false, false, map[types.Kind]bool{}
	for i := range u.queries {
		k := u.known[i][at]
		args[i] = eval.NewValue(k.Type, k.Value)
		args[i].Props = k.Props
		plain = plain && k.Plain
		kinds[k.Type.Kind] = true
		times = times || k.Type.Kind.Temporal()
		written = written || k.Props&eval.Literal != 0 && moment.Match(k.Value.Text)
		if k.Type.Kind == types.Double && k.Props&eval.Literal != 0 {
			kinds[types.Float] = true // MariaDB keeps its text
		}
	}
	delete(kinds, types.Null)
	t, _, err := operator.Merge(&eval.Builder{Env: env}, "UNION", args...)
	switch {
	case err == nil && t.Class() == types.ClassText && t.Collation != nil && t.Derivation == charset.None:
		err = mysqlerr.New(mysqlerr.CantAggregateNCollations, "UNION")
	case err == nil && times && written:
		err = mysqlerr.NotYet("a set operation of times and a text that may be one; CAST it")
	case err == nil && kinds[types.Bit] && len(kinds) > 1 && onlyIntegers(kinds): // sic
		binary, _ := charset.ByName("binary")
		t = types.StringType(uint64(longest(args)), binary, charset.Coercible, false)
	case err == nil && kinds[types.Bit] && len(kinds) > 1:
		err = mysqlerr.NotYet("a set operation of BIT and other types; CAST one to the type of the other")
	case err == nil && t.Class() == types.ClassText && kinds[types.Float]:
		err = mysqlerr.NotYet("a set operation of FLOAT and texts; CAST one to the type of the other")
	}
	if err != nil && !plain { // of an expression's collation not all is known
		err = mysqlerr.NotYet("a set operation of these types or collations; CAST one to the type of the other").WithCause(err)
	}
	return t, err
}

func onlyIntegers(kinds map[types.Kind]bool) bool {
	for k := range kinds {
		if !k.Integer() && k != types.Bit {
			return false
		}
	}
	return true
}

func longest(args []*eval.Expr) (n uint32) {
	for _, x := range args {
		n = max(n, x.Type.Length)
	}
	return n
}

func connection(ctx *sql.Context) *charset.Collation {
	c, ok := charset.ByID(uint16(ctx.GetCollation()))
	if !ok {
		c, _ = charset.ByName("utf8mb4_general_ci")
	}
	return c
}
