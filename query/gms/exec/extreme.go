package exec

import (
	"bytes"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"

	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/function"
)

// extremeText is MIN or MAX of texts, by their collation with its padding, which go-mysql-server leaves out.
type extremeText struct {
	sql.Aggregation
	of      sql.Expression
	sign    int // 1: the greatest
	key     func(ctx *sql.Context, v any) ([]byte, error)
	session function.Session
}

// newExtremeText is nil for what is no MIN or MAX of texts.
func newExtremeText(ctx *sql.Context, s function.Session, a sql.Aggregation) (sql.Expression, error) {
	out := &extremeText{Aggregation: a, sign: 1, session: s}
	switch a := a.(type) {
	case *aggregation.Max:
		out.of = a.Child
	case *aggregation.Min:
		out.of, out.sign = a.Child, -1
	default:
		return nil, nil // another one
	}
	var ok bool
	var err error
	if out.key, ok, err = compare.TextKey(ctx, out.of); err != nil || !ok {
		return nil, err
	}
	return out, nil
}

// NewBuffer implements sql.Aggregation.
func (e *extremeText) NewBuffer(*sql.Context) (sql.AggregationBuffer, error) {
	return &extremeOfTexts{extremeText: e, held: function.NewHeld(e.session)}, nil
}

// extremeOfTexts is the state of a group.
type extremeOfTexts struct {
	*extremeText
	best any
	by   []byte
	held *function.Held
}

// Update implements sql.AggregationBuffer. Of equal texts the first one stays.
func (b *extremeOfTexts) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.of.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	key, err := b.key(ctx, v)
	if err != nil {
		return err
	}
	if b.best != nil && b.sign*bytes.Compare(key, b.by) <= 0 {
		return nil
	}
	more := function.TextBytes(v) + int64(len(key)-len(b.by))
	if b.best != nil {
		more -= function.TextBytes(b.best)
	}
	b.best, b.by = v, key
	return b.held.Charge(more)
}

// Eval implements sql.AggregationBuffer.
func (b *extremeOfTexts) Eval(*sql.Context) (any, error) { return b.best, nil }

// Dispose implements sql.AggregationBuffer.
func (b *extremeOfTexts) Dispose(*sql.Context) {
	b.best, b.by = nil, nil
	b.held.Release()
}
