package admin

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

// prepareFrom is PREPARE.
func (s Session) prepareFrom(ctx context.Context, st dialect.Prepare) error {
	return s.Statements.PrepareNamed(ctx, st.Name, s.statementText(st.From))
}

// statementText is a string literal, or the value of a user variable.
func (s Session) statementText(from dialect.Operand) string {
	if from.Kind == dialect.VariableOperand {
		text, _ := s.SQL.UserVar(from.Text)
		return text
	}
	return from.Text
}

// execute is EXECUTE.
func (s Session) execute(ctx context.Context, st dialect.Execute, sink result.Sink, more bool) error {
	params, err := s.usingValues(ctx, st.Using)
	if err != nil {
		return err
	}
	return s.Statements.ExecuteNamed(ctx, st.Name, params, sink, more)
}

// executeImmediate is EXECUTE IMMEDIATE.
func (s Session) executeImmediate(ctx context.Context, st dialect.ExecuteImmediate, sink result.Sink, more bool) error {
	params, err := s.usingValues(ctx, st.Using)
	if err != nil {
		return err
	}
	return s.Statements.ExecuteImmediate(ctx, s.statementText(st.From), params, result.Followed(sink, more))
}
