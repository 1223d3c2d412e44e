package operator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// a+b*c<d over parameters, computed for a row, allocates nothing.
func BenchmarkArithmetic(b *testing.B) {
	env := &types.Env{DivIncrement: 4}
	f := &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 1}, Params: []types.Value{{Int: 1}, {Int: 2}, {Int: 3}, {Int: 8}}}
	bd := &eval.Builder{Env: env, Scratch: f}
	param := func(i int) *eval.Expr { return eval.NewParameter(types.BigintType(20, false), i) }
	x := param(1)
	for _, step := range []struct {
		op    tree.Op
		other *eval.Expr
	}{{tree.OpTimes, param(2)}, {tree.OpPlus, param(0)}, {tree.OpLess, param(3)}} {
		var err error
		x, err = Binary(bd, step.op, x, step.other)
		require.NoError(b, err)
	}
	row := eval.Of[int64](x)
	b.ReportAllocs()
	for b.Loop() {
		if v, null := row(f); v != 1 || null {
			b.Fatal("7 is below 8")
		}
	}
}

// A long list is made in a time that grows with its length, not with the square of it.
func BenchmarkLongList(b *testing.B) {
	env := &types.Env{DivIncrement: 4}
	bd := &eval.Builder{Env: env, Scratch: &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 1}}}
	list := make([]*eval.Expr, 100_000)
	for i := range list {
		list[i] = eval.NewLiteral(types.BigintType(20, false), types.Value{Int: int64(i)}, nil)
	}
	for b.Loop() {
		_, err := In(bd, list[7], list)
		require.NoError(b, err)
	}
}
