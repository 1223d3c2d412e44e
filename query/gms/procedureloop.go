package gms

import (
	"github.com/dolthub/go-mysql-server/sql/procedures"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// stoppableLoops are the operations of a procedure with a statement in each loop that runs none, such as
// "l: LOOP ITERATE l; END LOOP": go-mysql-server's interpreter does not look at the context, the statements do.
func stoppableLoops(ops []*procedures.InterpreterOperation) []*procedures.InterpreterOperation {
	for at := 0; at < len(ops); at++ {
		if op := ops[at]; op.OpCode == procedures.OpCode_Goto && op.Index <= at && idleFrom(ops, op.Index) {
			ops = withStatementAt(ops, at)
			at++
		}
	}
	return ops
}

// idleFrom reports whether the operations from one on jump back before any of them runs a statement.
func idleFrom(ops []*procedures.InterpreterOperation, at int) bool {
	for at < len(ops) {
		switch op := ops[at]; op.OpCode {
		case procedures.OpCode_Goto:
			if op.Index <= at {
				return true
			}
			at = op.Index
		case procedures.OpCode_Declare, procedures.OpCode_Close, procedures.OpCode_ScopeBegin, procedures.OpCode_ScopeEnd:
			at++
		case procedures.OpCode_Fetch: // of rows that are here already
			at++
		default:
			return false
		}
	}
	return false
}

// withStatementAt inserts an IF whose branches are both what follows.
func withStatementAt(ops []*procedures.InterpreterOperation, at int) []*procedures.InterpreterOperation {
	out := make([]*procedures.InterpreterOperation, 0, len(ops)+1)
	for i, op := range ops {
		if i == at {
			out = append(out, &procedures.InterpreterOperation{
				OpCode: procedures.OpCode_If, Index: at + 1,
				PrimaryData: &sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: sqlparser.NewIntVal([]byte("0"))}}},
			})
		}
		own := *op
		if own.Index > at {
			own.Index++
		}
		out = append(out, &own)
	}
	return out
}
