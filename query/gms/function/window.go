package function

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// windowed computes an aggregate function over frames as it is computed for groups: go-mysql-server's sums over frames are doubles, and 0 where all
// values are NULL.
type windowed struct {
	aggregate Buffers
	framer    sql.WindowFramer
	state     sql.AggregationBuffer
	frame     sql.WindowInterval // what state is of
}

var _ sql.WindowFunction = (*windowed)(nil)

// Buffers makes the states of an aggregate function: a sql.Aggregation is one.
type Buffers interface {
	NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error)
}

// NewWindowed is an aggregate function over the frames of a window.
func NewWindowed(ctx *sql.Context, a Buffers, w *sql.WindowDefinition) (sql.WindowFunction, error) {
	out := &windowed{aggregate: a}
	if w == nil || w.Frame == nil {
		return out, nil
	}
	var err error
	out.framer, err = w.Frame.NewFramer(w)
	return out, err
}

// DefaultFramer implements sql.WindowFunction.
func (w *windowed) DefaultFramer() sql.WindowFramer {
	if w.framer != nil {
		return w.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// StartPartition implements sql.WindowFunction.
func (w *windowed) StartPartition(ctx *sql.Context, _ sql.WindowInterval, _ sql.WindowBuffer) error {
	w.Dispose(ctx)
	return nil
}

// Compute implements sql.WindowFunction. A frame that only grows is not computed anew.
func (w *windowed) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) (any, error) {
	if w.state == nil || frame.Start != w.frame.Start || frame.End < w.frame.End {
		w.Dispose(ctx)
		var err error
		if w.state, err = w.aggregate.NewBuffer(ctx); err != nil {
			return nil, err
		}
		w.frame = sql.WindowInterval{Start: frame.Start, End: frame.Start}
	}
	for ; w.frame.End < frame.End; w.frame.End++ {
		if w.frame.End&255 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := w.state.Update(ctx, rows[w.frame.End]); err != nil {
			return nil, err
		}
	}
	return w.state.Eval(ctx)
}

// Dispose implements sql.Disposable.
func (w *windowed) Dispose(ctx *sql.Context) {
	if w.state != nil {
		w.state.Dispose(ctx)
		w.state = nil
	}
}
