package own

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// transaction is the value of a statement about transactions or locks of tables.
func (text) transaction(s tree.Statement) (dialect.Statement, error) {
	switch n := s.(type) {
	case *tree.Begin:
		return dialect.StartTransaction{Access: dialect.Access(n.Access), Snapshot: n.Snapshot}, nil
	case *tree.Commit:
		return dialect.Commit{Completion: completion(n.Completion)}, nil
	case *tree.Rollback:
		return dialect.Rollback{Completion: completion(n.Completion)}, nil
	case *tree.RollbackTo:
		return dialect.RollbackTo{Name: n.Name.Text}, nil
	case *tree.Savepoint:
		return dialect.Savepoint{Name: n.Name.Text}, nil
	case *tree.ReleaseSavepoint:
		return dialect.ReleaseSavepoint{Name: n.Name.Text}, nil
	case *tree.LockTables:
		return lockTables(n), nil
	case *tree.UnlockTables:
		return dialect.UnlockTables{}, nil
	}
	return nil, nil
}

func completion(c tree.Completion) dialect.Completion {
	return dialect.Completion{Chain: c.Chain == "AND CHAIN", Release: c.Release == "RELEASE"}
}

func lockTables(n *tree.LockTables) dialect.LockTables {
	st := dialect.LockTables{Tables: make([]dialect.LockTable, len(n.Tables))}
	for i, one := range n.Tables {
		t := dialect.LockTable{Table: tableName(one.Name)}
		if one.Alias != nil {
			t.Alias = one.Alias.Text
		}
		switch one.Lock {
		case "WRITE", "WRITE CONCURRENT", "LOW_PRIORITY WRITE":
			t.Write = true
		}
		st.Tables[i] = t
	}
	if n.Wait != nil {
		st.Wait = dialect.Wait{Given: true, Seconds: n.Wait.Seconds}
	}
	return st
}
