package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// endBody corrects where the body of a routine, trigger, event or view ends: the parser counts the semicolon
// before a next statement, which the text of the statement has no longer.
func endBody(ast sqlparser.Statement, length int) {
	if d, ok := ast.(*sqlparser.DDL); ok && d.SubStatementPositionEnd > length {
		d.SubStatementPositionEnd = length
	}
}

// refuseDynamic refuses PREPARE and EXECUTE in a body: triggers must not have it, and go-mysql-server cannot
// run it within a procedure.
func refuseDynamic(d *sqlparser.DDL, body sqlparser.Statement) error {
	var err error
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n.(type) {
		case *sqlparser.Prepare, *sqlparser.Execute, *sqlparser.Deallocate:
			if d.TriggerSpec != nil {
				err = mysqlerr.New(mysqlerr.StmtNotAllowedInSFOrTrg, "Dynamic SQL")
			} else {
				err = mysqlerr.NotYet("PREPARE or EXECUTE in a body")
			}
		case *sqlparser.Analyze:
			err = mysqlerr.NotYet("ANALYZE TABLE in a body")
		}
		if d.TriggerSpec != nil && err == nil {
			err = refuseInTrigger(n)
		}
		return err == nil, nil
	}, body)
	return err
}

// refuseInTrigger refuses statements that have a result, or that end the transaction of which the trigger is a part.
func refuseInTrigger(n sqlparser.SQLNode) error {
	if answers(n) {
		return mysqlerr.New(mysqlerr.SPNoRetset, "trigger")
	}
	switch n := n.(type) {
	case *sqlparser.Declare:
		if n.Variables == nil {
			return nil
		}
		return refuseDigits(n.Variables.VarType)
	case *sqlparser.Savepoint, *sqlparser.RollbackSavepoint, *sqlparser.ReleaseSavepoint:
		return mysqlerr.NotYet("a savepoint in a trigger")
	case *sqlparser.DDL:
		if n.Temporary {
			return nil
		}
	case *sqlparser.Begin, *sqlparser.Commit, *sqlparser.Rollback, *sqlparser.AlterTable, *sqlparser.DBDDL:
	default:
		return nil
	}
	return mysqlerr.New(mysqlerr.CommitNotAllowedInSFOrTrg)
}

// refuseDigits refuses types of variables with digits that go-mysql-server does not know of.
func refuseDigits(t sqlparser.ColumnType) error {
	float := t.Scale != nil && !strings.EqualFold(t.Type, "decimal") && !strings.EqualFold(t.Type, "numeric")
	if float || bool(t.Zerofill) {
		return mysqlerr.NotYet("a variable with ZEROFILL or like FLOAT(7,2) in a trigger; DECLARE it without")
	}
	return nil
}

// answers reports whether a statement has a result by its kind or by its RETURNING.
func answers(n sqlparser.SQLNode) bool {
	switch n := n.(type) {
	case *sqlparser.Show, *sqlparser.Explain, *sqlparser.OtherRead:
		return true
	case *sqlparser.Insert:
		return len(n.Returning) > 0
	case *sqlparser.Update:
		return len(n.Returning) > 0
	case *sqlparser.Delete:
		return len(n.Returning) > 0
	}
	return false
}
