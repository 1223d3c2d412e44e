package gms

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/stretchr/testify/require"
)

// TestStoppableLoops: a loop that runs no statement gets one; jumps go where they went.
func TestStoppableLoops(t *testing.T) {
	op := func(code procedures.OpCode, index int) *procedures.InterpreterOperation {
		return &procedures.InterpreterOperation{OpCode: code, Index: index}
	}
	const (
		begin, end, jump = procedures.OpCode_ScopeBegin, procedures.OpCode_ScopeEnd, procedures.OpCode_Goto
		condition, set   = procedures.OpCode_If, procedures.OpCode_Set
	)
	for _, test := range []struct {
		name      string
		ops, want []*procedures.InterpreterOperation
	}{
		{
			"LOOP without anything", []*procedures.InterpreterOperation{op(begin, 0), op(jump, 1), op(end, 0)},
			[]*procedures.InterpreterOperation{op(begin, 0), op(condition, 2), op(jump, 1), op(end, 0)},
		},
		{
			"ITERATE before a statement", []*procedures.InterpreterOperation{op(jump, 0), op(set, 0), op(jump, 0)},
			[]*procedures.InterpreterOperation{op(condition, 1), op(jump, 0), op(set, 0), op(jump, 0)},
		},
		{
			"LEAVE over a statement", []*procedures.InterpreterOperation{op(begin, 0), op(jump, 3), op(set, 0), op(end, 0), op(jump, 0)},
			[]*procedures.InterpreterOperation{op(begin, 0), op(jump, 3), op(set, 0), op(end, 0), op(condition, 5), op(jump, 0)},
		},
		{
			"WHILE", []*procedures.InterpreterOperation{op(condition, 3), op(begin, 0), op(jump, 0)},
			[]*procedures.InterpreterOperation{op(condition, 3), op(begin, 0), op(jump, 0)},
		},
	} {
		got := stoppableLoops(test.ops)
		require.Len(t, got, len(test.want), test.name)
		for i := range got {
			require.Equal(t, test.want[i].OpCode, got[i].OpCode, "%s: operation %d", test.name, i)
			require.Equal(t, test.want[i].Index, got[i].Index, "%s: operation %d", test.name, i)
		}
		require.Equal(t, got, stoppableLoops(got), test.name)
	}
}
