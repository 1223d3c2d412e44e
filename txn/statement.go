package txn

import (
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/rowlog"
)

// savepoint is a point inside the transaction to return to.
type savepoint struct {
	name   string // folded
	writes int    // writeSet.mark
	rows   int    // Txn.mu.rows
	log    rowlog.Mark
}

// BeginStatement starts a statement: sql is its text for the
// ANNOTATE_ROWS event, which is written if annotate is set and rows change. A
// statement that is still running is ended first.
func (t *Txn) BeginStatement(sql string, annotate bool) {
	if t.log.Running() {
		t.EndStatement()
	}
	t.log.BeginStatement(sql, annotate, t.m.cfg.Now)
	t.mu.Lock()
	t.stmtWrites, t.stmtRows = t.mu.writes.mark(), t.mu.rows
	t.mu.Unlock()
}

// EndStatement ends a statement that succeeded. In READ COMMITTED the next
// one reads anew.
func (t *Txn) EndStatement() {
	t.log.EndStatement()
	t.stmtWrites, t.stmtRows = 0, 0
	t.dropStatementView()
}

// RollbackStatement undoes the running statement; its locks are kept.
func (t *Txn) RollbackStatement() {
	t.mu.Lock()
	t.mu.writes.rollbackTo(t.stmtWrites)
	t.mu.rows = t.stmtRows
	t.mu.Unlock()
	t.dropSavepointsAfter(t.log.StatementStart())
	t.log.RollbackStatement()
	t.dropStatementView()
}

// dropStatementView closes the read view of a READ COMMITTED statement.
func (t *Txn) dropStatementView() {
	if t.opts.Isolation != ReadCommitted && t.opts.Isolation != ReadUncommitted {
		return
	}
	t.mu.Lock()
	v := t.mu.view
	t.mu.view = nil
	t.mu.Unlock()
	if v != nil {
		v.unref()
	}
}

// Savepoint sets a savepoint; one of the same name (case ignored) is replaced.
func (t *Txn) Savepoint(name string) {
	name = catalog.Fold(name)
	if i := t.findSavepoint(name); i >= 0 {
		t.savepoints = append(t.savepoints[:i], t.savepoints[i+1:]...)
	}
	t.mu.Lock()
	writes, rows := t.mu.writes.mark(), t.mu.rows
	t.mu.Unlock()
	t.savepoints = append(t.savepoints, savepoint{name: name, writes: writes, rows: rows, log: t.log.Mark()})
}

// RollbackTo undoes everything after the savepoint, which stays; locks are kept.
func (t *Txn) RollbackTo(name string) error {
	i := t.findSavepoint(catalog.Fold(name))
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrNoSavepoint, name)
	}
	if err := t.log.RollbackTo(t.savepoints[i].log); err != nil {
		return err
	}
	t.savepoints = t.savepoints[:i+1]
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.writes.rollbackTo(t.savepoints[i].writes)
	t.mu.rows = t.savepoints[i].rows
	t.stmtWrites = min(t.stmtWrites, t.savepoints[i].writes)
	t.stmtRows = min(t.stmtRows, t.savepoints[i].rows)
	return nil
}

// Release forgets the savepoint and those set after it.
func (t *Txn) Release(name string) error {
	i := t.findSavepoint(catalog.Fold(name))
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrNoSavepoint, name)
	}
	t.savepoints = t.savepoints[:i]
	return nil
}

func (t *Txn) findSavepoint(folded string) int {
	for i := range t.savepoints {
		if t.savepoints[i].name == folded {
			return i
		}
	}
	return -1
}

// dropSavepointsAfter forgets savepoints set inside a statement that is rolled back.
func (t *Txn) dropSavepointsAfter(logBytes int) {
	for n := len(t.savepoints); n > 0 && t.savepoints[n-1].log.After(logBytes); n-- {
		t.savepoints = t.savepoints[:n-1]
	}
}
