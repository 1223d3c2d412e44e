package query

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/store"
)

// parseKill is KILL [HARD|SOFT] [CONNECTION|QUERY] [ID] n, or KILL ... USER name.
func (s *Session) parseKill(c *dialect.Parser) adminRun {
	c.AcceptAny("HARD", "SOFT")
	queryOnly := c.Accept("QUERY")
	if !queryOnly {
		c.Accept("CONNECTION")
	}
	if c.Accept("USER") {
		user, _ := c.Account()
		return okRun(func(ctx context.Context) error {
			for _, o := range s.engine.sessions.all() {
				if o.info.User != user || o == s {
					continue
				}
				if err := s.mayKill(ctx); err != nil && user != s.info.User {
					return mysqlerr.New(mysqlerr.KillDenied, o.info.ID)
				}
				o.proc.Kill(!queryOnly)
			}
			return nil
		})
	}
	c.Accept("ID")
	id, ok := c.Number()
	if !ok || !c.End() {
		return failRun(c.Syntax())
	}
	return okRun(func(ctx context.Context) error {
		o := s.engine.sessions.get(uint32(id))
		if o == nil || id > 1<<32-1 {
			return mysqlerr.New(mysqlerr.NoSuchThread, id)
		}
		if o.info.User != s.info.User {
			if err := s.mayKill(ctx); err != nil {
				return mysqlerr.New(mysqlerr.KillDenied, id)
			}
		}
		s.engine.status.add("Com_kill", 1)
		o.proc.Kill(!queryOnly)
		if o == s {
			return mysqlerr.New(mysqlerr.QueryInterrupted)
		}
		return nil
	})
}

func (s *Session) mayKill(ctx context.Context) error {
	return s.require(ctx, "CONNECTION ADMIN", sql.PrivilegeType_Super)
}

// parseMaintain is CHECK|ANALYZE|OPTIMIZE|REPAIR TABLE names [options].
func (s *Session) parseMaintain(c *dialect.Parser) adminRun {
	op := strings.ToLower(c.Tokens[0].Text)
	if !c.Accept("NO_WRITE_TO_BINLOG") {
		c.Accept("LOCAL")
	}
	if !c.AcceptAny("TABLE", "TABLES") {
		if op == "analyze" {
			return failRun(mysqlerr.New(mysqlerr.NotSupportedYet, "ANALYZE statement"))
		}
		return failRun(c.Syntax())
	}
	var names []tableUse
	for {
		use, ok := tableAt(c)
		if !ok {
			return failRun(c.Syntax())
		}
		names = append(names, use)
		if !c.Accept(",") {
			break
		}
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		if err := s.commitAll(ctx); err != nil {
			return nil, err
		}
		out := &adminRows{names: []string{"Table", "Op", "Msg_type", "Msg_text"}}
		for _, n := range names {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if n.db == "" {
				n.db = s.DB()
			}
			rows, err := s.maintain(ctx, op, n)
			if err != nil {
				return nil, err
			}
			out.rows = append(out.rows, rows...)
		}
		return out, nil
	})
}

func (s *Session) maintain(ctx context.Context, op string, n tableUse) ([][]any, error) {
	name := n.db + "." + n.name
	if n.db == "" {
		return nil, mysqlerr.New(mysqlerr.NoDB)
	}
	st := s.engine.store
	if st.Catalog().Current().Table(n.db, n.name) == nil {
		if st.Catalog().Current().Object("view", n.db, n.name) != nil {
			return [][]any{{name, op, "status", "OK"}}, nil
		}
		return [][]any{
			{name, op, "Error", mysqlerr.New(mysqlerr.NoSuchTable, n.db, n.name).Message},
			{name, op, "status", "Operation failed"},
		}, nil
	}
	switch op {
	case "check":
		r, err := st.CheckTable(ctx, n.db, n.name)
		if errors.Is(err, store.ErrNoTable) {
			return [][]any{{name, op, "status", "Operation failed"}}, nil
		}
		if err != nil {
			return nil, err
		}
		var rows [][]any
		for _, p := range r.Problems {
			rows = append(rows, []any{name, op, "error", p})
		}
		if !r.OK() {
			return append(rows, []any{name, op, "error", "Corrupt"}), nil
		}
	case "optimize":
		return [][]any{
			{name, op, "note", "Table does not support optimize: the storage engine compacts by itself"},
			{name, op, "status", "OK"},
		}, nil
	case "repair":
		return [][]any{{name, op, "note", "The storage engine for the table doesn't support repair"}}, nil
	}
	return [][]any{{name, op, "status", "OK"}}, nil
}

// parseChecksum refuses CHECKSUM TABLE.
func (s *Session) parseChecksum(c *dialect.Parser) adminRun { return s.parseRefused(c) }

// parseDrop is DROP PREPARE name; every other DROP is go-mysql-server's.
func (s *Session) parseDrop(c *dialect.Parser) adminRun {
	if c.Peek().Is("PREPARE") {
		return s.parseDeallocate(c)
	}
	return nil
}

// parseAlter takes ALTER TABLE ... DISABLE | ENABLE KEYS, which mariadb-dump writes.
func (s *Session) parseAlter(c *dialect.Parser) adminRun {
	if !c.Accept("TABLE") {
		return nil
	}
	if _, ok := tableAt(c); ok && (c.Accept("DISABLE", "KEYS") || c.Accept("ENABLE", "KEYS")) && c.End() {
		return okRun(func(ctx context.Context) error { return s.commitAll(ctx) })
	}
	return nil
}

// parseDo is DO expr, ...: a query whose result is thrown away.
func (s *Session) parseDo(c *dialect.Parser) adminRun {
	expr := c.Rest()
	return okRun(func(ctx context.Context) error {
		_, err := s.executeFirst(ctx, "SELECT "+expr, discardSink{})
		return err
	})
}

// parseCreate is CREATE OR REPLACE: a DROP IF EXISTS and a CREATE in one statement. Every other CREATE is go-mysql-server's.
func (s *Session) parseCreate(c *dialect.Parser) adminRun {
	replace := c.Accept("OR", "REPLACE")
	if !replace {
		return nil
	}
	temporary := c.Accept("TEMPORARY")
	from := c.Peek().Start
	for _, what := range []string{"PROCEDURE", "TRIGGER", "EVENT"} {
		if c.Accept(what) {
			name := c.Peek()
			end := c.Next().End
			if !c.End() && c.Peek().Is(".") {
				c.Next()
				end = c.Next().End
			}
			return s.replaceRun("DROP "+what+" IF EXISTS "+c.SQL[name.Start:end], "CREATE "+c.SQL[from:], c.SQL)
		}
	}
	if !c.Accept("TABLE") {
		return nil
	}
	use, ok := tableAt(c)
	if !ok {
		return failRun(c.Syntax())
	}
	name := dialect.QuoteName(use.name)
	if use.db != "" {
		name = dialect.QuoteName(use.db) + "." + name
	}
	create, drop := "CREATE "+c.SQL[from:], "DROP TABLE IF EXISTS "+name
	if temporary {
		create, drop = "CREATE TEMPORARY "+c.SQL[from:], "DROP TEMPORARY TABLE IF EXISTS "+name
	}
	return s.replaceRun(drop, create, c.SQL)
}

// replaceRun runs a DROP and a CREATE as one statement, logged as whole.
func (s *Session) replaceRun(drop, create, whole string) adminRun {
	return func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error) {
		first, _, err := s.parseOne(drop)
		if err != nil {
			return nil, err
		}
		st, _, err := s.parseOne(create)
		if err != nil {
			return nil, err
		}
		st.before, st.logged = first, whole
		return sentAlready, s.runStatement(ctx, newRunning(st, sink), nil, s.wireResult(sink, more))
	}
}

// parseReplica is START|STOP SLAVE, CHANGE MASTER TO.
func (s *Session) parseReplica(c *dialect.Parser) adminRun {
	if c.Tokens[0].Is("STOP") && c.AcceptAny("SLAVE", "REPLICA", "ALL") {
		return okRun(func(context.Context) error {
			s.warn(&sql.Warning{Level: "Note", Code: 1255, Message: "Slave already has been stopped"})
			return nil
		})
	}
	return s.parseRefused(c)
}
