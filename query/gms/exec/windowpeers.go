package exec

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation/window"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// checkVariance refuses variances over frames whose digits are more than are right: MariaDB computes them in another order. Of exact numbers fewer
// are shown.
func checkVariance(ctx *sql.Context, e sql.Expression) error {
	switch e.(type) {
	case *aggregation.StdDevPop, *aggregation.StdDevSamp, *aggregation.VarPop, *aggregation.VarSamp:
		if _, isExact := function.VarianceDecimals(ctx, e); !isExact {
			return mysqlerr.NotYet("STD() and VARIANCE() OVER of a DOUBLE; CAST it to DECIMAL")
		}
	}
	return nil
}

// withPeers gives a window function the frame that ORDER BY alone means: RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT
// ROW, the current row's peers included. go-mysql-server ends it at the row itself, and its frames of RANGE compare
// rows wrongly; those other than this one are refused.
func withPeers(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	f, ok := e.(sql.WindowAdaptableExpression)
	if !ok || f.Window() == nil {
		return e, nil
	}
	switch f.(type) {
	case *window.RowNumber, *window.Rank, *window.DenseRank, *window.PercentRank, *function.NTile, *window.Lag, *window.Lead:
		return e, nil // they look at the partition, whatever the frame is
	}
	def := *f.Window()
	switch def.Frame.(type) {
	case nil:
		if len(def.OrderBy) == 0 {
			return e, nil
		}
	case *plan.RangeUnboundedPrecedingToCurrentRowFrame:
	case *plan.RangeUnboundedPrecedingToNFollowingFrame, *plan.RangeUnboundedPrecedingToNPrecedingFrame,
		*plan.RangeNPrecedingToCurrentRowFrame, *plan.RangeNPrecedingToNFollowingFrame, *plan.RangeNPrecedingToNPrecedingFrame,
		*plan.RangeNPrecedingToUnboundedFollowingFrame, *plan.RangeCurrentRowToCurrentRowFrame,
		*plan.RangeCurrentRowToNFollowingFrame, *plan.RangeCurrentRowToUnboundedFollowingFrame,
		*plan.RangeNFollowingToNFollowingFrame, *plan.RangeNFollowingToUnboundedFollowingFrame:
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "this frame of RANGE; use ROWS")
	default:
		return e, nil
	}
	def.Frame = peersFrame{}
	return f.WithWindow(ctx, &def), nil
}

// peersFrame is the frame from the start of the partition to the last peer of the current row.
type peersFrame struct{}

var _ sql.WindowFrame = peersFrame{}

// NewFramer implements sql.WindowFrame.
func (peersFrame) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	return &peersFramer{order: w.OrderBy}, nil
}

func (peersFrame) String() string { return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" }

// The other methods of sql.WindowFrame say what the bounds are.
func (peersFrame) UnboundedFollowing() bool        { return false }
func (peersFrame) UnboundedPreceding() bool        { return true }
func (peersFrame) StartCurrentRow() bool           { return false }
func (peersFrame) EndCurrentRow() bool             { return true }
func (peersFrame) StartNPreceding() sql.Expression { return nil }
func (peersFrame) StartNFollowing() sql.Expression { return nil }
func (peersFrame) EndNPreceding() sql.Expression   { return nil }
func (peersFrame) EndNFollowing() sql.Expression   { return nil }

// peersFramer goes through the rows of one partition.
type peersFramer struct {
	order     sql.SortFields
	partition sql.WindowInterval
	row, end  int // the current row, and the first one that is no peer of it
	begun     bool
}

var _ sql.WindowFramer = (*peersFramer)(nil)

// NewFramer implements sql.WindowFramer.
func (p *peersFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &peersFramer{order: p.order, partition: partition, row: partition.Start - 1, end: partition.Start}, nil
}

// Next implements sql.WindowFramer.
func (p *peersFramer) Next(ctx *sql.Context, buf sql.WindowBuffer) (sql.WindowInterval, error) {
	if p.row+1 >= p.partition.End {
		return sql.WindowInterval{}, io.EOF
	}
	p.row, p.begun = p.row+1, true
	if p.row < p.end {
		return p.Interval()
	}
	for p.end = p.row + 1; p.end < p.partition.End; p.end++ {
		same, err := p.peers(ctx, buf[p.row], buf[p.end])
		if err != nil {
			return sql.WindowInterval{}, err
		}
		if !same {
			break
		}
	}
	return p.Interval()
}

// peers reports whether two rows are equal in the order of the window.
func (p *peersFramer) peers(ctx *sql.Context, a, b sql.Row) (bool, error) {
	for _, f := range p.order {
		x, err := f.Column.Eval(ctx, a)
		if err != nil {
			return false, err
		}
		y, err := f.Column.Eval(ctx, b)
		if err != nil {
			return false, err
		}
		if x == nil || y == nil {
			if x != nil || y != nil {
				return false, nil
			}
			continue
		}
		if c, err := f.Column.Type(ctx).Compare(ctx, x, y); err != nil || c != 0 {
			return false, err
		}
	}
	return true, nil
}

// FirstIdx implements sql.WindowFramer.
func (p *peersFramer) FirstIdx() int { return p.partition.Start }

// LastIdx implements sql.WindowFramer.
func (p *peersFramer) LastIdx() int { return p.end - 1 }

// Interval implements sql.WindowFramer.
func (p *peersFramer) Interval() (sql.WindowInterval, error) {
	if !p.begun {
		return sql.WindowInterval{}, mysqlerr.Newf(mysqlerr.UnknownError, "a window has no frame before its first row")
	}
	return sql.WindowInterval{Start: p.partition.Start, End: p.end}, nil
}
