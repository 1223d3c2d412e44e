package txn

// BeginStatement starts a statement: sql is its text for the
// ANNOTATE_ROWS event, which is written if annotate is set and rows change. A
// statement that is still running is ended first.
func (t *Txn) BeginStatement(sql string, annotate bool) {
	if t.log.Running() {
		t.EndStatement()
	}
	t.log.BeginStatement(sql, annotate, t.m.cfg.Now)
	t.stmt = t.writes.mark()
	t.locked.forget()
}

// EndStatement ends a statement that succeeded. In READ COMMITTED the next
// one reads anew.
func (t *Txn) EndStatement() {
	t.log.EndStatement()
	t.stmt = writeMark{}
	t.dropStatementView()
}

// RollbackStatement undoes the running statement; its locks are kept.
func (t *Txn) RollbackStatement() {
	t.locked.forget()
	t.writes.rollbackTo(t.stmt)
	t.savepoints.dropAfter(t.log.StatementStart())
	t.log.RollbackStatement()
	t.dropStatementView()
}

// dropStatementView closes the read view of a READ COMMITTED statement.
func (t *Txn) dropStatementView() {
	if t.opts.Isolation != ReadCommitted && t.opts.Isolation != ReadUncommitted {
		return
	}
	t.dropView()
}
