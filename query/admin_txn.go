package query

import (
	"context"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// parseBegin is BEGIN [WORK].
func (s *Session) parseBegin(c *cursor) adminRun {
	c.accept("WORK")
	if !c.end() {
		return nil // BEGIN NOT ATOMIC and the like: the parser's error
	}
	return okRun(func(ctx context.Context) error {
		s.engine.status.com[comBegin].Add(1)
		s.releaseTables()
		return s.startTransaction(ctx, nextTransaction{}, false)
	})
}

// parseStart is START TRANSACTION [characteristic, ...], or START SLAVE.
func (s *Session) parseStart(c *cursor) adminRun {
	if !c.accept("TRANSACTION") {
		return s.parseReplica(c)
	}
	var chars nextTransaction
	snapshot := false
	for !c.end() {
		switch {
		case c.accept("READ", "ONLY"):
			chars.readOnly, chars.hasAccess = true, true
		case c.accept("READ", "WRITE"):
			chars.readOnly, chars.hasAccess = false, true
		case c.accept("WITH", "CONSISTENT", "SNAPSHOT"):
			snapshot = true
		case c.accept("ISOLATION", "LEVEL"):
			level, ok := c.isolation()
			if !ok {
				return failRun(c.syntax())
			}
			chars.isolation, chars.hasIsolation = level, true
		default:
			return failRun(c.syntax())
		}
		if !c.accept(",") && !c.end() {
			return failRun(c.syntax())
		}
	}
	return okRun(func(ctx context.Context) error {
		s.engine.status.com[comBegin].Add(1)
		s.releaseTables()
		return s.startTransaction(ctx, chars, snapshot)
	})
}

func (c *cursor) isolation() (txn.Isolation, bool) {
	switch {
	case c.accept("READ", "UNCOMMITTED"):
		return txn.ReadUncommitted, true
	case c.accept("READ", "COMMITTED"):
		return txn.ReadCommitted, true
	case c.accept("REPEATABLE", "READ"):
		return txn.RepeatableRead, true
	case c.accept("SERIALIZABLE"):
		return txn.Serializable, true
	}
	return 0, false
}

// completion parses [AND [NO] CHAIN] [[NO] RELEASE].
func (c *cursor) completion() (chain, release bool, err error) {
	if c.accept("AND", "NO", "CHAIN") {
		chain = false
	} else if c.accept("AND", "CHAIN") {
		chain = true
	}
	if c.accept("NO", "RELEASE") {
		release = false
	} else if c.accept("RELEASE") {
		release = true
	}
	return chain, release, c.done()
}

// parseCommit is COMMIT [WORK] [AND [NO] CHAIN] [[NO] RELEASE].
func (s *Session) parseCommit(c *cursor) adminRun {
	c.accept("WORK")
	return s.endRun(c, func(ctx context.Context) error {
		s.engine.status.com[comCommit].Add(1)
		return s.commitAll(ctx)
	})
}

// parseRollback is ROLLBACK, or ROLLBACK TO [SAVEPOINT] name.
func (s *Session) parseRollback(c *cursor) adminRun {
	c.accept("WORK")
	if c.accept("TO") {
		c.accept("SAVEPOINT")
		name := c.next().text
		return okRun(func(ctx context.Context) error { return s.rollbackToSavepoint(name) })
	}
	return s.endRun(c, func(context.Context) error {
		s.engine.status.com[comRollback].Add(1)
		s.rollbackAll()
		return nil
	})
}

func (s *Session) endRun(c *cursor, end func(context.Context) error) adminRun {
	chain, release, err := c.completion()
	if err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error {
		chars := s.current
		if err := end(ctx); err != nil {
			return err
		}
		if chain {
			s.chain(chars)
		}
		if release && s.info.Kill != nil {
			s.info.Kill()
		}
		return nil
	})
}

// parseSavepoint is SAVEPOINT name.
func (s *Session) parseSavepoint(c *cursor) adminRun {
	name := c.next()
	if !name.name() || !c.end() {
		return failRun(c.syntax())
	}
	return okRun(func(context.Context) error { return s.createSavepoint(name.text) })
}

// parseRelease is RELEASE SAVEPOINT name.
func (s *Session) parseRelease(c *cursor) adminRun {
	if !c.accept("SAVEPOINT") {
		return failRun(c.syntax())
	}
	name := c.next().text
	return okRun(func(context.Context) error { return s.releaseSavepoint(name) })
}

// parseSetTransaction is SET [GLOBAL|SESSION] TRANSACTION characteristic, ...
func (s *Session) parseSetTransaction(c *cursor, scope string) adminRun {
	var chars nextTransaction
	level := ""
	for {
		switch {
		case c.accept("ISOLATION", "LEVEL"):
			l, ok := c.isolation()
			if !ok {
				return failRun(c.syntax())
			}
			chars.isolation, chars.hasIsolation = l, true
			level = [...]string{"REPEATABLE-READ", "READ-COMMITTED", "READ-UNCOMMITTED", "SERIALIZABLE"}[l]
		case c.accept("READ", "ONLY"):
			chars.readOnly, chars.hasAccess = true, true
		case c.accept("READ", "WRITE"):
			chars.hasAccess = true
		default:
			return failRun(c.syntax())
		}
		if c.accept(",") {
			continue
		}
		break
	}
	if err := c.done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error { return s.setTransaction(ctx, scope, chars, level) })
}

func (s *Session) setTransaction(ctx context.Context, scope string, chars nextTransaction, level string) error {
	set := func(name string, v any) error {
		if scope == "GLOBAL" {
			return s.engine.globals.Set(nil, name, v)
		}
		return s.vars.Set(nil, name, v)
	}
	if scope == "" {
		if s.inTransaction() {
			return mysqlerr.Newf(1568, "Transaction characteristics can't be changed while a transaction is in progress")
		}
		if chars.hasIsolation {
			s.next.isolation, s.next.hasIsolation = chars.isolation, true
		}
		if chars.hasAccess {
			s.next.readOnly, s.next.hasAccess = chars.readOnly, true
		}
		return nil
	}
	if chars.hasIsolation {
		if err := set("tx_isolation", level); err != nil {
			return err
		}
	}
	if chars.hasAccess {
		return set("tx_read_only", chars.readOnly)
	}
	return nil
}

// parseLock is LOCK TABLES table [[AS] alias] {READ [LOCAL] | WRITE [CONCURRENT]}, ...
func (s *Session) parseLock(c *cursor) adminRun {
	if !c.acceptAny("TABLES", "TABLE") {
		return failRun(c.syntax())
	}
	var want []tableRef
	for {
		use, ok := c.tableName()
		if !ok {
			return failRun(c.syntax())
		}
		t := tableRef{db: use.db, table: use.name, alias: use.name}
		if c.accept("AS") || !c.peek().is("READ") && !c.peek().is("WRITE") && !c.peek().is("LOW_PRIORITY") {
			name := c.next()
			if !name.name() {
				return failRun(c.syntax())
			}
			t.alias = name.text
		}
		c.accept("LOW_PRIORITY")
		switch {
		case c.accept("READ"):
			c.accept("LOCAL")
		case c.accept("WRITE"):
			c.accept("CONCURRENT")
			t.write = true
		default:
			return failRun(c.syntax())
		}
		want = append(want, t)
		if !c.accept(",") {
			break
		}
	}
	if c.accept("WAIT") {
		c.number()
	}
	c.accept("NOWAIT")
	if err := c.done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error { return s.lockTables(ctx, want) })
}

// tableName parses [db.]table.
func (c *cursor) tableName() (tableUse, bool) {
	t := c.next()
	if !t.name() {
		return tableUse{}, false
	}
	if c.accept(".") {
		n := c.next()
		return tableUse{db: t.text, name: n.text}, n.name()
	}
	return tableUse{name: t.text}, true
}

// parseUnlock is UNLOCK TABLES.
func (s *Session) parseUnlock(c *cursor) adminRun {
	if !c.acceptAny("TABLES", "TABLE") || !c.end() {
		return failRun(c.syntax())
	}
	return okRun(func(ctx context.Context) error {
		if s.tabLocks != nil {
			if err := s.commitAll(ctx); err != nil {
				return err
			}
		}
		s.unlockTables()
		return nil
	})
}
