package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/store"
)

// parseKill is KILL [HARD|SOFT] [CONNECTION|QUERY] [ID] n, or KILL ... USER name.
func (s *Session) parseKill(c *cursor) adminRun {
	c.acceptAny("HARD", "SOFT")
	queryOnly := c.accept("QUERY")
	if !queryOnly {
		c.accept("CONNECTION")
	}
	if c.accept("USER") {
		user, _ := c.account()
		return okRun(func(ctx context.Context) error {
			if err := s.mayKill(ctx); err != nil {
				return err
			}
			for _, o := range s.engine.sessions.all() {
				if o.info.User == user && o != s {
					o.kill(queryOnly)
				}
			}
			return nil
		})
	}
	c.accept("ID")
	id, ok := c.number()
	if !ok || !c.end() {
		return failRun(c.syntax())
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
		o.kill(queryOnly)
		if o == s {
			return mysqlerr.New(mysqlerr.QueryInterrupted)
		}
		return nil
	})
}

func (s *Session) mayKill(ctx context.Context) error {
	return s.require(ctx, "CONNECTION ADMIN", sql.PrivilegeType_Super)
}

// parseSet finds the forms of SET that go-mysql-server does not know.
func (s *Session) parseSet(c *cursor) adminRun {
	switch {
	case c.accept("STATEMENT"):
		return s.parseSetStatement(c)
	case c.accept("TRANSACTION"):
		return s.parseSetTransaction(c, "")
	case c.accept("GLOBAL", "TRANSACTION"):
		return s.parseSetTransaction(c, "GLOBAL")
	case c.accept("SESSION", "TRANSACTION"), c.accept("LOCAL", "TRANSACTION"):
		return s.parseSetTransaction(c, "SESSION")
	case c.accept("NAMES"):
		return s.parseSetNames(c)
	case c.accept("CHARACTER", "SET"), c.accept("CHARSET"):
		return s.parseSetNames(c)
	case c.accept("PASSWORD"):
		return s.parseSetPassword(c)
	case c.accept("DEFAULT", "ROLE"), c.accept("ROLE"):
		// Granted roles are always active.
		return okRun(func(context.Context) error { return nil })
	}
	for i, t := range c.toks {
		// Only as the target of an assignment; everybody may read a global variable.
		if (t.is("GLOBAL") || t.is("@@global")) && i > 0 && (c.toks[i-1].is("SET") || c.toks[i-1].is(",")) {
			if err := s.require(context.Background(), "SUPER", sql.PrivilegeType_Super); err != nil {
				return failRun(err)
			}
		}
	}
	return nil
}

// parseSetNames is SET NAMES charset [COLLATE collation], SET CHARACTER SET charset.
func (s *Session) parseSetNames(c *cursor) adminRun {
	name := c.next()
	if name.kind == tokPunct || name.text == "" {
		return failRun(c.syntax())
	}
	collation := ""
	if c.accept("COLLATE") {
		collation = c.next().text
	}
	if !c.end() {
		return nil
	}
	return okRun(func(context.Context) error {
		charset := name.text
		if name.kind != tokString && name.is("DEFAULT") {
			charset = s.engine.globals.Str("character_set_client")
		}
		v, err := charsetValue("character_set_client", charset)
		if err != nil {
			return err
		}
		cs, err := sql.ParseCharacterSet(v.(string))
		if err != nil {
			return mysqlerr.New(mysqlerr.UnknownCharacterSet, charset)
		}
		coll := defaultCollation(cs)
		if collation != "" {
			cv, err := collationValue(collation)
			if err != nil {
				return err
			}
			if coll, err = sql.ParseCollation("", cv.(string), false); err != nil {
				return mysqlerr.New(mysqlerr.UnknownCollation, collation)
			}
			if coll.CharacterSet() != cs {
				return mysqlerr.New(mysqlerr.CollationCharsetMismatch, collation, charset)
			}
		}
		s.setNames(coll)
		return nil
	})
}

// parseSetPassword is SET PASSWORD [FOR user] = PASSWORD('text') | 'hash'.
func (s *Session) parseSetPassword(c *cursor) adminRun {
	user, host := s.info.User, s.info.Host
	if c.accept("FOR") {
		user, host = c.account()
	}
	if !c.accept("=") {
		return failRun(c.syntax())
	}
	hash := ""
	if c.acceptAny("PASSWORD", "OLD_PASSWORD") {
		if !c.accept("(") {
			return failRun(c.syntax())
		}
		text, ok := c.str()
		if !ok {
			return failRun(c.syntax())
		}
		hash = nativeHash(text)
	} else {
		var ok bool
		if hash, ok = c.str(); !ok {
			return failRun(c.syntax())
		}
		if hash != "" && (len(hash) != 41 || hash[0] != '*') {
			return failRun(mysqlerr.New(mysqlerr.PasswdLength, 41))
		}
	}
	return func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error) {
		a, ok := s.engine.Auth(user, host)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.PasswordNoMatch)
		}
		text := fmt.Sprintf("ALTER USER %s@%s IDENTIFIED WITH mysql_native_password AS '%s'", quoteName(a.User), quoteName(a.Host), hash)
		_, err := s.executeFirst(ctx, text, moreSink{sink, more})
		return sentAlready, err
	}
}

// parseSetStatement is SET STATEMENT var=value, ... FOR statement.
func (s *Session) parseSetStatement(c *cursor) adminRun {
	start, depth := c.i, 0
	for ; !c.end(); c.i++ {
		t := c.peek()
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && t.is("FOR"):
			assign := c.sql[c.toks[start].start:t.start]
			c.i++
			inner := c.rest()
			var names []string
			for i := start; i+1 < len(c.toks) && c.toks[i].start < t.start; i++ {
				if c.toks[i+1].is("=") && c.toks[i].name() {
					names = append(names, strings.ToLower(c.toks[i].text))
				}
			}
			return func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error) {
				return sentAlready, s.setStatement(ctx, names, assign, inner, moreSink{sink, more})
			}
		}
	}
	return failRun(c.syntax())
}

func (s *Session) setStatement(ctx context.Context, names []string, assign, inner string, sink ResultSink) error {
	type saved struct {
		d *sysvar.Def
		v any
	}
	var old []saved
	for _, name := range names {
		d, ok := sysvar.Lookup(name)
		if !ok {
			return mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
		}
		if d.Scope == sysvar.Global {
			return mysqlerr.New(mysqlerr.GlobalVariable, name)
		}
		old = append(old, saved{d, s.vars.Value(d)})
	}
	defer func() {
		for _, o := range old {
			s.vars.Store(o.d, o.v)
		}
	}()
	if _, err := s.executeFirst(ctx, "SET SESSION "+assign, discardSink{}); err != nil {
		return err
	}
	rest, err := s.executeFirst(ctx, inner, sink)
	if err == nil && rest != "" {
		err = syntaxError(errors.New("one statement expected"), rest)
	}
	return err
}

// discardSink takes results that nobody wants.
type discardSink struct{}

func (discardSink) Columns([]Column) error     { return nil }
func (discardSink) Row([]sqltypes.Value) error { return nil }
func (discardSink) EndRows(Status) error       { return nil }
func (discardSink) OK(OK) error                { return nil }

// parseMaintain is CHECK|ANALYZE|OPTIMIZE|REPAIR TABLE names [options].
func (s *Session) parseMaintain(c *cursor) adminRun {
	op := strings.ToLower(c.toks[0].text)
	if !c.accept("NO_WRITE_TO_BINLOG") {
		c.accept("LOCAL")
	}
	if !c.acceptAny("TABLE", "TABLES") {
		if op == "analyze" {
			return failRun(mysqlerr.New(mysqlerr.NotSupportedYet, "ANALYZE statement"))
		}
		return failRun(c.syntax())
	}
	var names []tableUse
	for {
		use, ok := c.tableName()
		if !ok {
			return failRun(c.syntax())
		}
		names = append(names, use)
		if !c.accept(",") {
			break
		}
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		if err := s.commitAll(ctx); err != nil {
			return nil, err
		}
		out := &adminRows{names: []string{"Table", "Op", "Msg_type", "Msg_text"}}
		for _, n := range names {
			if n.db == "" {
				n.db = s.GetCurrentDatabase()
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
func (s *Session) parseChecksum(c *cursor) adminRun { return s.parseRefused(c) }

// parsePrepare is PREPARE name FROM 'text' | @variable.
func (s *Session) parsePrepare(c *cursor) adminRun {
	name := c.next()
	if !name.name() || !c.accept("FROM") {
		return failRun(c.syntax())
	}
	source := c.next()
	if !c.end() {
		return failRun(c.syntax())
	}
	return okRun(func(ctx context.Context) error {
		text, err := s.statementText(source)
		if err != nil {
			return err
		}
		return s.prepareNamed(ctx, name.text, text)
	})
}

// statementText is a string literal, or the value of a user variable.
func (s *Session) statementText(t token) (string, error) {
	if t.kind == tokString {
		return t.text, nil
	}
	if v, ok := strings.CutPrefix(t.text, "@"); ok && t.kind == tokWord {
		text, _ := s.UserVar(v)
		return text, nil
	}
	return "", mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, t.text, 1)
}

// parseExecute is EXECUTE name [USING values], EXECUTE IMMEDIATE text [USING values].
func (s *Session) parseExecute(c *cursor) adminRun {
	immediate := c.accept("IMMEDIATE")
	name := c.next()
	var using []token
	if c.accept("USING") {
		for {
			using = append(using, c.next())
			if !c.accept(",") {
				break
			}
		}
	}
	if !c.end() {
		return failRun(c.syntax())
	}
	return func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error) {
		params, err := s.usingValues(ctx, using)
		if err != nil {
			return nil, err
		}
		if !immediate {
			return sentAlready, s.executeNamed(ctx, name.text, params, sink, more)
		}
		text, err := s.statementText(name)
		if err != nil {
			return nil, err
		}
		stmt, err := s.prepare(ctx, text)
		if err != nil {
			return nil, err
		}
		defer s.CloseStmt(stmt)
		return sentAlready, s.executeStmt(ctx, stmt, params, moreSink{sink, more})
	}
}

func (s *Session) usingValues(ctx context.Context, using []token) ([]sqltypes.Value, error) {
	c := s.newContext(ctx, "")
	var out []sqltypes.Value
	for _, t := range using {
		name, isVar := strings.CutPrefix(t.text, "@")
		switch {
		case t.kind == tokString:
			out = append(out, sqltypes.NewVarChar(t.text))
		case t.kind == tokWord && isVar:
			v, err := s.userVarValue(c, name)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		case t.kind == tokWord && isNumber(t.text):
			out = append(out, sqltypes.MakeTrusted(sqltypes.Int64, []byte(t.text)))
		case t.is("NULL"):
			out = append(out, sqltypes.NULL)
		default:
			return nil, mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, t.text, 1)
		}
	}
	return out, nil
}

// parseDeallocate is DEALLOCATE PREPARE name.
func (s *Session) parseDeallocate(c *cursor) adminRun {
	if !c.accept("PREPARE") {
		return failRun(c.syntax())
	}
	name := c.next().text
	return okRun(func(context.Context) error { return s.deallocate(name) })
}

// parseDrop is DROP PREPARE name; every other DROP is go-mysql-server's.
func (s *Session) parseDrop(c *cursor) adminRun {
	if c.peek().is("PREPARE") {
		return s.parseDeallocate(c)
	}
	return nil
}

// parseAlter takes ALTER TABLE ... DISABLE | ENABLE KEYS, which mariadb-dump writes.
func (s *Session) parseAlter(c *cursor) adminRun {
	if c.accept("USER") {
		return s.parseAccountLock(c)
	}
	if !c.accept("TABLE") {
		return nil
	}
	if _, ok := c.tableName(); ok && (c.accept("DISABLE", "KEYS") || c.accept("ENABLE", "KEYS")) && c.end() {
		return okRun(func(ctx context.Context) error { return s.commitAll(ctx) })
	}
	return nil
}

// parseAccountLock is ALTER USER name ACCOUNT LOCK | UNLOCK.
func (s *Session) parseAccountLock(c *cursor) adminRun {
	c.accept("IF", "EXISTS")
	user, host := c.account()
	if !c.accept("ACCOUNT") {
		return nil
	}
	lock := c.accept("LOCK")
	if !lock && !c.accept("UNLOCK") || !c.end() {
		return failRun(c.syntax())
	}
	return okRun(func(ctx context.Context) error {
		if err := s.require(ctx, "CREATE USER", sql.PrivilegeType_CreateUser, sql.PrivilegeType_Super); err != nil {
			return err
		}
		return s.changeAccount(ctx, user, host, c.sql, func(u *mysql_db.User) { u.Locked = lock })
	})
}

// parseDo is DO expr, ...: a query whose result is thrown away.
func (s *Session) parseDo(c *cursor) adminRun {
	expr := c.rest()
	return okRun(func(ctx context.Context) error {
		_, err := s.executeFirst(ctx, "SELECT "+expr, discardSink{})
		return err
	})
}

// parseCreate is CREATE OR REPLACE: a DROP IF EXISTS and a CREATE in one statement. Every other CREATE is go-mysql-server's.
func (s *Session) parseCreate(c *cursor) adminRun {
	if !c.accept("OR", "REPLACE") {
		return nil
	}
	temporary := c.accept("TEMPORARY")
	from := c.peek().start
	for _, what := range []string{"PROCEDURE", "TRIGGER", "EVENT", "USER", "ROLE"} {
		if c.accept(what) {
			name := c.peek()
			end := c.next().end
			if !c.end() && c.peek().is(".") {
				c.next()
				end = c.next().end
			}
			return s.replaceRun("DROP "+what+" IF EXISTS "+c.sql[name.start:end], "CREATE "+c.sql[from:], c.sql)
		}
	}
	if !c.accept("TABLE") {
		return nil
	}
	use, ok := c.tableName()
	if !ok {
		return failRun(c.syntax())
	}
	name := quoteName(use.name)
	if use.db != "" {
		name = quoteName(use.db) + "." + name
	}
	create, drop := "CREATE "+c.sql[from:], "DROP TABLE IF EXISTS "+name
	if temporary {
		create, drop = "CREATE TEMPORARY "+c.sql[from:], "DROP TEMPORARY TABLE IF EXISTS "+name
	}
	return s.replaceRun(drop, create, c.sql)
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
		return sentAlready, s.runStatement(ctx, st, nil, s.wireResult(sink, more))
	}
}

// parseReplica is START|STOP SLAVE, CHANGE MASTER TO.
func (s *Session) parseReplica(c *cursor) adminRun {
	if c.toks[0].is("STOP") && c.acceptAny("SLAVE", "REPLICA", "ALL") {
		return okRun(func(context.Context) error {
			s.Warn(&sql.Warning{Level: "Note", Code: 1255, Message: "Slave already has been stopped"})
			return nil
		})
	}
	return s.parseRefused(c)
}
