package exec

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// boundedAggregates counts what aggregate functions collect, and gives those that
// collect texts MariaDB's limit, group_concat_max_len.
func boundedAggregates(ctx *sql.Context, list []sql.Expression) ([]sql.Expression, error) {
	s := function.SessionOf(ctx)
	if s == nil {
		return list, nil
	}
	out := make([]sql.Expression, len(list))
	for i, e := range list {
		out[i] = e
		a, ok := e.(sql.Aggregation)
		if !ok {
			continue
		}
		switch a.(type) {
		case *aggregation.GroupConcat, *aggregation.CountDistinct:
			own, err := newCollecting(ctx, s, a)
			if err != nil {
				return nil, err
			}
			out[i] = own
		case *aggregation.Min, *aggregation.Max:
			own, err := newExtremeText(ctx, s, a)
			if err != nil {
				return nil, err
			}
			if own != nil {
				out[i] = own
			}
		}
	}
	return out, nil
}

// collecting is an aggregate function that keeps its arguments until the end of its group.
type collecting struct {
	sql.Aggregation
	session function.Session
	meter   *meter
	rows    uint64 // that were looked at in all groups, for warning 1260
}

// meter notes the size of a value that an aggregate function takes.
type meter struct{ last int64 }

// metered is the argument of an aggregate function.
type metered struct {
	sql.Expression
	meter *meter
}

// Eval implements sql.Expression.
func (m metered) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.Expression.Eval(ctx, row)
	if v == nil || err != nil {
		return v, err
	}
	n := function.TextBytes(v)
	switch v.(type) {
	case string, []byte, sql.AnyWrapper:
	default: // a limit in bytes needs the length itself
		text, _, err := types.ConvertToCollatedString(ctx, v, m.Type(ctx))
		if err != nil {
			return nil, err
		}
		n = int64(len(text))
	}
	m.meter.last = max(m.meter.last, 0) + n
	return v, nil
}

// WithChildren implements sql.Expression: a buffer makes copies of its arguments.
func (m metered) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := m.Expression.WithChildren(ctx, children...)
	return metered{e, m.meter}, err
}

// CollationCoercibility implements sql.CollationCoercible.
func (m metered) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, m.Expression)
}

func newCollecting(ctx *sql.Context, s function.Session, a sql.Aggregation) (sql.Expression, error) {
	c := &collecting{session: s, meter: &meter{}}
	children := append([]sql.Expression(nil), a.Children()...)
	first := 0
	if ordered, ok := a.(sql.OrderedAggregation); ok { // sort expressions come first
		first = len(children) - len(ordered.OutputExpressions())
	}
	_, concatenates := a.(*aggregation.GroupConcat)
	for i := range first {
		children[i] = heedful{children[i]}
		if concatenates {
			var err error
			if children[i], err = compare.SortKey(ctx, notNull{children[i]}); err != nil {
				return nil, err
			}
		}
	}
	for i := first; i < len(children); i++ {
		children[i] = metered{children[i], c.meter}
	}
	own, err := a.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	c.Aggregation = own.(sql.Aggregation)
	return c, nil
}

// notNull has a zero or an empty text in the place of NULL: so GROUP_CONCAT orders.
type notNull struct{ sql.Expression }

// CollationCoercibility implements sql.CollationCoercible.
func (n notNull) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, n.Expression)
}

// WithChildren implements sql.Expression.
func (n notNull) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := n.Expression.WithChildren(ctx, children...)
	return notNull{e}, err
}

// Eval implements sql.Expression.
func (n notNull) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.Expression.Eval(ctx, row)
	if v == nil && err == nil {
		return n.Type(ctx).Zero(), nil
	}
	return v, err
}

// NewBuffer implements sql.Aggregation.
func (c *collecting) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	inner, err := c.Aggregation.NewBuffer(ctx)
	if err != nil {
		return nil, err
	}
	b := &collected{AggregationBuffer: inner, of: c}
	switch a := c.Aggregation.(type) {
	case *aggregation.GroupConcat:
		b.concatenates = true
		b.name, b.lengthMax = "group_concat", int64(c.session.SysVars().Uint("group_concat_max_len"))
		text := a.String()
		b.distinct = strings.HasPrefix(text, "group_concat(distinct ")
		if b.distinct {
			b.outputs = a.OutputExpressions()
			if b.met.equal, err = compare.NewValues(ctx, b.outputs); err != nil {
				return nil, err
			}
		}
		b.ordered = len(a.Children()) > len(a.OutputExpressions())
		if _, after, ok := strings.Cut(text, " separator '"); ok {
			b.separator = int64(max(len(after)-2, 0))
		}
	}
	return b, nil
}

// collected is the state of a group.
type collected struct {
	sql.AggregationBuffer
	of           *collecting
	name         string // "" without a limit of its own
	lengthMax    int64
	separator    int64
	distinct     bool
	ordered      bool
	outputs      []sql.Expression // of DISTINCT
	met          counted          // their values
	concatenates bool             // GROUP_CONCAT

	length int64
	bytes  int64
	values int64
	cutAt  uint64 // row
}

// Update implements sql.AggregationBuffer.
func (b *collected) Update(ctx *sql.Context, row sql.Row) error {
	if b.cutAt > 0 && !b.ordered && !b.distinct {
		return nil // the result has its length already
	}
	if b.distinct { // by their collation, which go-mysql-server does not know here
		values := make(sql.Row, len(b.outputs))
		for i, e := range b.outputs {
			var err error
			if values[i], err = e.Eval(ctx, row); err != nil {
				return err
			}
		}
		if before, err := b.met.add(ctx, values); err != nil || before > 0 {
			return err
		}
	}
	meter := b.of.meter
	meter.last = -1
	if err := b.AggregationBuffer.Update(ctx, row); err != nil {
		return err
	}
	if meter.last < 0 {
		return nil
	}
	if b.concatenates && meter.last == 0 && (b.ordered || b.length == 0) {
		return mysqlerr.NotYet("GROUP_CONCAT that may begin with an empty text, in a statement of several tables; use NULLIF(x, '')")
	}
	b.of.rows++
	n := meter.last + function.RowBytes(row) + memory.EntryBytes
	b.bytes += n
	if err := b.of.session.Memory().Hold(n); err != nil {
		return err
	}
	if b.values > 0 {
		b.length += b.separator
	}
	b.values++
	b.length += meter.last
	if b.name == "" || b.cutAt > 0 || b.length <= b.lengthMax {
		return nil
	}
	b.cutAt = b.of.rows
	return nil
}

// Eval implements sql.AggregationBuffer.
func (b *collected) Eval(ctx *sql.Context) (any, error) {
	v, err := b.AggregationBuffer.Eval(ctx)
	if err != nil || b.cutAt == 0 {
		return v, err
	}
	if text, ok := v.(string); ok && int64(len(text)) < b.lengthMax {
		return v, nil // what was more were duplicates
	}
	return v, function.WarnOrFail(ctx, mysqlerr.CutValueGroupConcat, b.cutAt, strings.ToUpper(b.name))
}

// Dispose implements sql.Disposable.
func (b *collected) Dispose(ctx *sql.Context) {
	b.met.drop(ctx)
	b.of.session.Memory().Release(b.bytes)
	b.bytes = 0
	b.AggregationBuffer.Dispose(ctx)
}
