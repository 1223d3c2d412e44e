package aggregate

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/types"
)

// countLength is the length of the BIGINT that COUNT and the functions of bits yield.
const countLength = 21

func bindCount(_ *eval.Builder, c *Call) (types.Type, func() States, error) {
	t := types.BigintType(countLength, false)
	if c.Distinct {
		keys, err := writers(c.Args)
		return t, func() States { return &distinctCounts{counts: counts{nulls: nullsOf(c.Args)}, keys: keys} }, err
	}
	nulls := nullsOf(c.Args)
	return t, func() States { return &counts{nulls: nulls} }, nil
}

// nullsOf are tests for NULL of the arguments that may be.
func nullsOf(args []*eval.Expr) (out []func(*eval.Frame) bool) {
	for _, x := range args {
		if x.Type.Nullable {
			out = append(out, nullOf(x))
		}
	}
	return out
}

// counts counts rows in which no argument is NULL.
type counts struct {
	n     []int64
	nulls []func(*eval.Frame) bool
}

func (s *counts) Grow(groups int) { s.n = grown(s.n, groups) }

func (s *counts) known(f *eval.Frame) bool {
	for _, null := range s.nulls {
		if null(f) {
			return false
		}
	}
	return true
}

func (s *counts) Add(f *eval.Frame, group int) {
	if s.known(f) {
		s.n[group]++
	}
}

func (s *counts) Result(_ *eval.Frame, group int) types.Value { return types.Value{Int: s.n[group]} }

func (s *counts) Bytes() int64 { return 8 * int64(cap(s.n)) }

// distinctCounts counts the different values.
type distinctCounts struct {
	counts
	keys []*key.Writer
	seen set
}

func (s *distinctCounts) Add(f *eval.Frame, group int) {
	if s.known(f) && s.seen.add(f, group, s.keys) {
		s.n[group]++
	}
}
