package query

import (
	"context"

	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/result"
)

// nested runs the statements that stand in others: those of EXECUTE, of SET STATEMENT ... FOR and of DO.
type nested struct{ s *Session }

var _ admin.Statements = nested{}

// ExecuteFirst implements admin.Statements.
func (n nested) ExecuteFirst(ctx context.Context, text string, sink result.Sink) (rest string, err error) {
	return n.s.executeFirst(ctx, text, sink)
}

// PrepareNamed implements admin.Statements.
func (n nested) PrepareNamed(ctx context.Context, name, text string) error {
	return n.s.prepareNamed(ctx, name, text)
}

// ExecuteNamed implements admin.Statements.
func (n nested) ExecuteNamed(ctx context.Context, name string, params []result.Value, sink result.Sink, more bool) error {
	return n.s.executeNamed(ctx, name, params, sink, more)
}

// ExecuteImmediate implements admin.Statements.
func (n nested) ExecuteImmediate(ctx context.Context, text string, params []result.Value, sink result.Sink) error {
	return n.s.executeImmediate(ctx, text, params, sink)
}

// Deallocate implements admin.Statements.
func (n nested) Deallocate(name string) error { return n.s.deallocate(name) }
