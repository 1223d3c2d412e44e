package operator

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Values of TIMESTAMP are moments, also where they are chosen from: two of them may have one local time, where clocks go back.

// momentType is the type of moments: microseconds since 1970.
func momentType() types.Type { return types.BigintType(20, false).OrNull() }

// instants are the moments of expressions that are all TIMESTAMPs; nil if one of them is not. NULLs stay what they are.
func instants(xs []*eval.Expr) []*eval.Expr {
	out := make([]*eval.Expr, len(xs))
	some := false
	for i, x := range xs {
		switch {
		case x.Null():
			out[i] = x
		case x.Type.Kind != types.Timestamp || x.Instant() == nil:
			return nil
		default:
			out[i], some = x.Instant(), true
		}
	}
	if !some {
		return nil
	}
	return out
}

// timed makes a node of the class of times with what make does. Of TIMESTAMPs it has the moment, too.
func timed(t types.Type, results []*eval.Expr, times, moments func(results []*eval.Expr) *eval.Expr) *eval.Expr {
	x := times(results)
	if t.Kind == types.Timestamp {
		if m := instants(results); m != nil {
			x.At(moments(m))
		}
	}
	return x
}

// local is the local time of moments.
func local(f *eval.Frame, moment int64) temporal.Packed {
	return f.Zone.DateTime(temporal.Stamp(moment))
}
