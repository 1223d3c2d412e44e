package aggregate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// Rows that are behind the end of a result are forgotten, and the result is as if all were kept.
func TestPrune(t *testing.T) {
	const groups, rows = 3, 60000
	r := rand.New(rand.NewPCG(1, 2))
	b, f, x := setup(t, textType())
	b.Env.ConcatMax = 1000
	for _, c := range []Call{
		{Name: "GROUP_CONCAT"}, {Name: "GROUP_CONCAT", Limit: &Limit{Offset: 50, Count: 20}}, {Name: "JSON_ARRAYAGG"}, {Name: "GROUP_CONCAT", Limit: &Limit{}},
	} {
		c.Args, c.OrderBy = []*eval.Expr{x}, []Order{{X: x, Desc: true}}
		pruned, whole := statesOf(t, b, c).(*concats), statesOf(t, b, c).(*concats)
		whole.pruneAt = math.MaxInt
		pruned.Grow(groups)
		whole.Grow(groups)
		for range rows {
			f.Reset()
			f.Params[0] = types.Value{Text: fmt.Appendf(nil, "text %d", r.IntN(20000))}
			group := r.IntN(groups)
			pruned.Add(f, group)
			whole.Add(f, group)
		}
		require.Less(t, len(pruned.entries), rows/2)
		require.Len(t, whole.entries, rows)
		for group := range groups {
			require.Equal(t, whole.Result(f, group), pruned.Result(f, group), "%s of group %d", c.String(), group)
		}
	}
	require.Nil(t, f.Diag.Failed())
}
