package query

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

// prepareFrom is PREPARE.
func (s answering) prepareFrom(ctx context.Context, st dialect.Prepare) error {
	return s.prepareNamed(ctx, st.Name, s.statementText(st.From))
}

// statementText is a string literal, or the value of a user variable.
func (s answering) statementText(from dialect.Operand) string {
	if from.Kind == dialect.VariableOperand {
		text, _ := s.sql.UserVar(from.Text)
		return text
	}
	return from.Text
}

// execute is EXECUTE.
func (s answering) execute(ctx context.Context, st dialect.Execute, sink result.Sink, more bool) error {
	params, err := s.usingValues(ctx, st.Using)
	if err != nil {
		return err
	}
	return s.executeNamed(ctx, st.Name, params, sink, more)
}

// executeImmediate is EXECUTE IMMEDIATE.
func (s answering) executeImmediate(ctx context.Context, st dialect.ExecuteImmediate, sink result.Sink, more bool) error {
	params, err := s.usingValues(ctx, st.Using)
	if err != nil {
		return err
	}
	stmt, err := s.prepare(ctx, s.statementText(st.From))
	if err != nil {
		return err
	}
	defer s.CloseStmt(stmt)
	return s.executeStmt(ctx, stmt, params, moreSink{sink, more})
}
