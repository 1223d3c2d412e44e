package aggregate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// setup is a builder, a frame, and a nullable column of a type, whose value is the frame's parameter.
func setup(t *testing.T, kind types.Type) (*eval.Builder, *eval.Frame, *eval.Expr) {
	t.Helper()
	c, ok := charset.ByName("utf8mb4_general_ci")
	require.True(t, ok)
	env := &types.Env{Connection: c, Client: c.Set(), Results: c.Set(), ConcatMax: 1 << 20, DivIncrement: 4}
	f := &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 64}, Params: make([]types.Value, 1)}
	x := eval.NewParameter(kind.OrNull(), 0)
	x.Props &^= eval.Constant
	return &eval.Builder{Env: env, Scratch: f}, f, x
}

func textType() types.Type {
	c, _ := charset.ByName("utf8mb4_general_ci")
	return types.StringType(20, c, charset.Implicit, false)
}

func statesOf(t *testing.T, b *eval.Builder, c Call) States {
	t.Helper()
	fn, err := Bind(b, c)
	require.NoError(t, err)
	return fn.States()
}

// Rows of many groups, mixed, give each group what its rows alone give.
func TestGroups(t *testing.T) {
	const groups, rows = 50, 2000
	r := rand.New(rand.NewPCG(1, 1))
	for _, kind := range []types.Type{types.BigintType(20, false), textType(), types.DecimalType(decimal.Type{Precision: 10, Scale: 2}), types.DoubleType()} {
		b, f, x := setup(t, kind)
		values := make([]types.Value, rows)
		for i := range values {
			n := r.IntN(20) - 10
			d, _, _ := decimal.Parse(fmt.Appendf(nil, "%d.5", n))
			values[i] = types.Value{Null: r.IntN(5) == 0, Int: int64(n), Float: float64(n) / 3, Dec: d, Text: fmt.Appendf(nil, "%c%d", "aA"[r.IntN(2)], n)}
		}
		of := make([]int, rows)
		for i := range of {
			of[i] = r.IntN(groups)
		}
		for _, c := range []Call{
			{Name: "COUNT"}, {Name: "COUNT", Args: []*eval.Expr{x}}, {Name: "COUNT", Distinct: true, Args: []*eval.Expr{x, x}}, {Name: "SUM", Args: []*eval.Expr{x}},
			{Name: "AVG", Args: []*eval.Expr{x}}, {Name: "MIN", Args: []*eval.Expr{x}}, {Name: "MAX", Args: []*eval.Expr{x}}, {Name: "STD", Args: []*eval.Expr{x}},
			{Name: "BIT_XOR", Args: []*eval.Expr{x}}, {Name: "GROUP_CONCAT", Args: []*eval.Expr{x}}, {Name: "GROUP_CONCAT", Distinct: true, Args: []*eval.Expr{x}},
			{Name: "GROUP_CONCAT", Args: []*eval.Expr{x}, OrderBy: []Order{{X: x, Desc: true}}, Limit: &Limit{Offset: 1, Count: 5}},
			{Name: "JSON_ARRAYAGG", Args: []*eval.Expr{x}}, {Name: "JSON_OBJECTAGG", Args: []*eval.Expr{x, x}},
			{Name: "SUM", Distinct: kind.Class() != types.ClassText, Args: []*eval.Expr{x}}, {Name: "AVG", Distinct: kind.Class() != types.ClassText, Args: []*eval.Expr{x}},
		} {
			together := statesOf(t, b, c)
			for i, g := range of {
				f.Reset()
				f.Params[0] = values[i]
				together.Grow(g + 1)
				together.Add(f, g)
			}
			for g := range groups {
				alone := statesOf(t, b, c)
				alone.Grow(1)
				for i := range of {
					if of[i] == g {
						f.Reset()
						f.Params[0] = values[i]
						alone.Add(f, 0)
					}
				}
				require.Equal(t, alone.Result(f, 0), together.Result(f, g), "%s of group %d", c.String(), g)
			}
			require.Positive(t, together.Bytes())
		}
		require.Nil(t, f.Diag.Failed())
	}
}

// Warnings of cut texts count rows across groups, in the order in which results are asked for.
func TestCutRows(t *testing.T) {
	b, f, x := setup(t, textType())
	b.Env.ConcatMax = 5
	s := statesOf(t, b, Call{Name: "GROUP_CONCAT", Args: []*eval.Expr{x}})
	s.Grow(2)
	for _, text := range []string{"abc", "def", "ghi"} {
		for group := range 2 {
			f.Params[0] = types.Value{Text: []byte(text)}
			s.Add(f, group)
		}
	}
	for range 2 { // asking again changes nothing
		require.Equal(t, "abc,d", string(s.Result(f, 1).Text))
	}
	require.Equal(t, "abc,d", string(s.Result(f, 0).Text))
	require.Equal(t, []types.Condition{
		{Level: types.Warning, Number: 1260, Message: "Row 2 was cut by GROUP_CONCAT()"},
		{Level: types.Warning, Number: 1260, Message: "Row 4 was cut by GROUP_CONCAT()"},
	}, f.Diag.Conditions)
}

// What grows with rows is charged, and a refusal makes the statement fail.
func TestCharge(t *testing.T) {
	order := func(x *eval.Expr) []Order { return []Order{{X: x}} }
	for _, make := range []func(x *eval.Expr) Call{
		func(x *eval.Expr) Call { return Call{Name: "COUNT", Distinct: true, Args: []*eval.Expr{x}} },
		func(x *eval.Expr) Call { return Call{Name: "GROUP_CONCAT", Args: []*eval.Expr{x}} },
		func(x *eval.Expr) Call { return Call{Name: "GROUP_CONCAT", Args: []*eval.Expr{x}, OrderBy: order(x)} },
		func(x *eval.Expr) Call { return Call{Name: "JSON_OBJECTAGG", Args: []*eval.Expr{x, x}} },
	} {
		b, f, x := setup(t, textType())
		c := make(x)
		const limit = 100 << 10
		held := int64(0)
		f.Charge = func(n int64) error {
			if held += n; held > limit {
				return errors.New("no memory")
			}
			return nil
		}
		s := statesOf(t, b, c)
		s.Grow(1)
		added := 0
		for ; !f.Failed() && added < limit; added++ {
			f.Reset()
			f.Params[0] = types.Value{Text: fmt.Appendf(nil, "value %d", added)}
			s.Add(f, 0)
		}
		require.True(t, f.Failed(), c.String())
		require.Greater(t, added, 100, c.String())
	}
}

// A function of rows has the type of its call's result in expressions, and its value.
func TestNode(t *testing.T) {
	b, f, x := setup(t, types.BigintType(20, false))
	fn, err := Bind(b, Call{Name: "SUM", Distinct: true, Args: []*eval.Expr{x}})
	require.NoError(t, err)
	n := fn.Node(1)
	require.Equal(t, "sum(distinct ?)", n.String())
	require.False(t, n.Is(eval.Constant))
	f.Aggregates = []types.Value{{}, {Dec: decimal.FromInt64(7)}}
	require.Equal(t, "7", n.Compute(f).Dec.String())
	f.Aggregates[1].Null = true
	require.True(t, n.Compute(f).Null)
}
