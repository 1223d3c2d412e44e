package query

import (
	"context"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// parseBegin is BEGIN [WORK].
func (s *Session) parseBegin(c *dialect.Parser) adminRun {
	c.Accept("WORK")
	if !c.End() {
		return nil // BEGIN NOT ATOMIC and the like: the parser's error
	}
	return okRun(func(ctx context.Context) error {
		s.engine.status.com[comBegin].Add(1)
		s.releaseTables()
		return s.startTransaction(ctx, nextTransaction{}, false)
	})
}

// parseStart is START TRANSACTION [characteristic, ...], or START SLAVE.
func (s *Session) parseStart(c *dialect.Parser) adminRun {
	if !c.Accept("TRANSACTION") {
		return s.parseReplica(c)
	}
	var chars nextTransaction
	snapshot := false
	for !c.End() {
		switch {
		case c.Accept("READ", "ONLY"):
			chars.readOnly, chars.hasAccess = true, true
		case c.Accept("READ", "WRITE"):
			chars.readOnly, chars.hasAccess = false, true
		case c.Accept("WITH", "CONSISTENT", "SNAPSHOT"):
			snapshot = true
		case c.Accept("ISOLATION", "LEVEL"):
			level, ok := isolationAt(c)
			if !ok {
				return failRun(c.Syntax())
			}
			chars.isolation, chars.hasIsolation = level, true
		default:
			return failRun(c.Syntax())
		}
		if !c.Accept(",") && !c.End() {
			return failRun(c.Syntax())
		}
	}
	return okRun(func(ctx context.Context) error {
		s.engine.status.com[comBegin].Add(1)
		s.releaseTables()
		return s.startTransaction(ctx, chars, snapshot)
	})
}

func isolationAt(c *dialect.Parser) (txn.Isolation, bool) {
	switch {
	case c.Accept("READ", "UNCOMMITTED"):
		return txn.ReadUncommitted, true
	case c.Accept("READ", "COMMITTED"):
		return txn.ReadCommitted, true
	case c.Accept("REPEATABLE", "READ"):
		return txn.RepeatableRead, true
	case c.Accept("SERIALIZABLE"):
		return txn.Serializable, true
	}
	return 0, false
}

// parseCommit is COMMIT [WORK] [AND [NO] CHAIN] [[NO] RELEASE].
func (s *Session) parseCommit(c *dialect.Parser) adminRun {
	c.Accept("WORK")
	return s.endRun(c, func(ctx context.Context) error {
		s.engine.status.com[comCommit].Add(1)
		return s.commitAll(ctx)
	})
}

// parseRollback is ROLLBACK, or ROLLBACK TO [SAVEPOINT] name.
func (s *Session) parseRollback(c *dialect.Parser) adminRun {
	c.Accept("WORK")
	if c.Accept("TO") {
		c.Accept("SAVEPOINT")
		name := c.Next().Text
		return okRun(func(ctx context.Context) error { return s.rollbackToSavepoint(name) })
	}
	return s.endRun(c, func(context.Context) error {
		s.engine.status.com[comRollback].Add(1)
		s.rollbackAll()
		return nil
	})
}

func (s *Session) endRun(c *dialect.Parser, end func(context.Context) error) adminRun {
	chain, release, err := c.Completion()
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
func (s *Session) parseSavepoint(c *dialect.Parser) adminRun {
	name := c.Next()
	if !name.IsName() || !c.End() {
		return failRun(c.Syntax())
	}
	return okRun(func(context.Context) error { return s.createSavepoint(name.Text) })
}

// parseRelease is RELEASE SAVEPOINT name.
func (s *Session) parseRelease(c *dialect.Parser) adminRun {
	if !c.Accept("SAVEPOINT") {
		return failRun(c.Syntax())
	}
	name := c.Next().Text
	return okRun(func(context.Context) error { return s.releaseSavepoint(name) })
}

// parseSetTransaction is SET [GLOBAL|SESSION] TRANSACTION characteristic, ...
func (s *Session) parseSetTransaction(c *dialect.Parser, scope string) adminRun {
	var chars nextTransaction
	level := ""
	for {
		switch {
		case c.Accept("ISOLATION", "LEVEL"):
			l, ok := isolationAt(c)
			if !ok {
				return failRun(c.Syntax())
			}
			chars.isolation, chars.hasIsolation = l, true
			level = [...]string{"REPEATABLE-READ", "READ-COMMITTED", "READ-UNCOMMITTED", "SERIALIZABLE"}[l]
		case c.Accept("READ", "ONLY"):
			chars.readOnly, chars.hasAccess = true, true
		case c.Accept("READ", "WRITE"):
			chars.hasAccess = true
		default:
			return failRun(c.Syntax())
		}
		if c.Accept(",") {
			continue
		}
		break
	}
	if err := c.Done(); err != nil {
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
func (s *Session) parseLock(c *dialect.Parser) adminRun {
	if !c.AcceptAny("TABLES", "TABLE") {
		return failRun(c.Syntax())
	}
	var want []tableRef
	for {
		use, ok := tableAt(c)
		if !ok {
			return failRun(c.Syntax())
		}
		t := tableRef{db: use.db, table: use.name, alias: use.name}
		if c.Accept("AS") || !c.Peek().Is("READ") && !c.Peek().Is("WRITE") && !c.Peek().Is("LOW_PRIORITY") {
			name := c.Next()
			if !name.IsName() {
				return failRun(c.Syntax())
			}
			t.alias = name.Text
		}
		c.Accept("LOW_PRIORITY")
		switch {
		case c.Accept("READ"):
			c.Accept("LOCAL")
		case c.Accept("WRITE"):
			c.Accept("CONCURRENT")
			t.write = true
		default:
			return failRun(c.Syntax())
		}
		want = append(want, t)
		if !c.Accept(",") {
			break
		}
	}
	if c.Accept("WAIT") {
		c.Number()
	}
	c.Accept("NOWAIT")
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return okRun(func(ctx context.Context) error { return s.lockTables(ctx, want) })
}

// parseUnlock is UNLOCK TABLES.
func (s *Session) parseUnlock(c *dialect.Parser) adminRun {
	if !c.AcceptAny("TABLES", "TABLE") || !c.End() {
		return failRun(c.Syntax())
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

// tableAt takes the name of a table.
func tableAt(c *dialect.Parser) (tableUse, bool) {
	db, name, ok := c.TableName()
	return tableUse{db: db, name: name}, ok
}
