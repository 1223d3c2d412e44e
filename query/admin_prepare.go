package query

import (
	"context"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/dialect"
)

// prepareFrom is PREPARE.
func (s *Session) prepareFrom(ctx context.Context, st dialect.Prepare) error {
	return s.prepareNamed(ctx, st.Name, s.statementText(st.From))
}

// statementText is a string literal, or the value of a user variable.
func (s *Session) statementText(from dialect.Operand) string {
	if from.Kind == dialect.VariableOperand {
		text, _ := s.UserVar(from.Text)
		return text
	}
	return from.Text
}

// execute is EXECUTE.
func (s *Session) execute(ctx context.Context, st dialect.Execute, sink ResultSink, more bool) error {
	params, err := s.usingValues(ctx, st.Using)
	if err != nil {
		return err
	}
	return s.executeNamed(ctx, st.Name, params, sink, more)
}

// executeImmediate is EXECUTE IMMEDIATE.
func (s *Session) executeImmediate(ctx context.Context, st dialect.ExecuteImmediate, sink ResultSink, more bool) error {
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

func (s *Session) usingValues(ctx context.Context, using []dialect.Operand) ([]sqltypes.Value, error) {
	c := s.newContext(ctx, "")
	var out []sqltypes.Value
	for _, o := range using {
		v := sqltypes.NULL
		switch o.Kind {
		case dialect.StringOperand:
			v = sqltypes.NewVarChar(o.Text)
		case dialect.NumberOperand:
			v = sqltypes.MakeTrusted(sqltypes.Int64, []byte(o.Text))
		case dialect.VariableOperand:
			var err error
			if v, err = s.userVarValue(c, o.Text); err != nil {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}
