package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// adminRun is a statement that the session answers itself. It returns rows, or
// sends its results to sink itself and returns done.
type adminRun func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error)

// adminRows is a small result set. A nil *adminRows stands for a plain OK.
type adminRows struct {
	names []string
	types []byte // MYSQL_TYPE_* by column; VAR_STRING where it is shorter than names
	// unsigned says that all its numbers are.
	unsigned bool
	rows     [][]any
	ok       OK   // for results without columns
	sent     bool // the statement sent its result itself
	// keepWarnings is for statements about the warnings of the last one.
	keepWarnings bool
}

var sentAlready = &adminRows{sent: true}

// findAdmin finds the session's own way to run the first statement of sql. run
// is nil if it is one for go-mysql-server; rest is what follows the statement.
func (s *Session) findAdmin(sql string) (run adminRun, first, rest string) {
	head := dialect.Scanner{SQL: sql, Mode: s.sqlModeLex}
	t, ok := head.Next()
	if !ok || t.Kind != dialect.Word {
		return nil, sql, ""
	}
	find := adminByWord(t.Text)
	if find == nil && !dialect.Begins(t.Text) {
		return nil, sql, ""
	}
	first, rest = dialect.Split(sql, s.sqlModeLex)
	first, rest = dialect.Trim(first, s.sqlModeLex), dialect.Trim(rest, s.sqlModeLex)
	st, err := dialect.ParseStatement(first, s.sqlModeLex)
	switch {
	case err != nil:
		return failRun(err), first, rest
	case st != nil:
		return s.ownRun(st), first, rest
	case find == nil:
		return nil, sql, ""
	}
	c := dialect.NewParser(first, s.sqlModeLex)
	c.Pos = 1
	run = find(s, c)
	return run, first, rest
}

// adminByWord finds the parser for statements that begin with a word.
func adminByWord(word string) func(*Session, *dialect.Parser) adminRun {
	if len(word) > 12 {
		return nil
	}
	var buf [12]byte
	n := copy(buf[:], word)
	for i := range n {
		if c := buf[i]; c >= 'a' && c <= 'z' {
			buf[i] = c - 32
		}
	}
	return adminParsers[string(buf[:n])]
}

var adminParsers map[string]func(*Session, *dialect.Parser) adminRun

func init() {
	adminParsers = map[string]func(*Session, *dialect.Parser) adminRun{
		"SHOW": (*Session).parseShow, "FLUSH": (*Session).parseFlush, "PURGE": (*Session).parsePurge,
		"RESET": (*Session).parseReset, "KILL": (*Session).parseKill, "SET": (*Session).parseSet,
		"BEGIN": (*Session).parseBegin, "START": (*Session).parseStart, "COMMIT": (*Session).parseCommit,
		"ROLLBACK": (*Session).parseRollback, "SAVEPOINT": (*Session).parseSavepoint, "RELEASE": (*Session).parseRelease,
		"LOCK": (*Session).parseLock, "UNLOCK": (*Session).parseUnlock, "CHECK": (*Session).parseMaintain,
		"ANALYZE": (*Session).parseMaintain, "OPTIMIZE": (*Session).parseMaintain, "REPAIR": (*Session).parseMaintain,
		"CHECKSUM": (*Session).parseChecksum, "PREPARE": (*Session).parsePrepare, "EXECUTE": (*Session).parseExecute,
		"DEALLOCATE": (*Session).parseDeallocate, "DROP": (*Session).parseDrop, "XA": (*Session).parseRefused,
		"CHANGE": (*Session).parseReplica, "STOP": (*Session).parseReplica, "INSTALL": (*Session).parseRefused,
		"UNINSTALL": (*Session).parseRefused, "HANDLER": (*Session).parseRefused, "BACKUP": (*Session).parseRefused,
		"HELP": (*Session).parseRefused, "BINLOG": (*Session).parseRefused,
		"ALTER": (*Session).parseAlter, "DO": (*Session).parseDo, "CREATE": (*Session).parseCreate,
		"DESC": (*Session).parseDescribe, "DESCRIBE": (*Session).parseDescribe,
	}
}

// runAdmin runs a statement of our own and sends its result.
func (s *Session) runAdmin(ctx context.Context, run adminRun, text string, sink ResultSink, more bool) error {
	before := len(s.base.Warnings())
	if !endsTransaction(text) {
		var cancel context.CancelFunc
		ctx, cancel = s.withStatementTime(ctx)
		defer cancel()
	}
	rows, err := run(ctx, sink, more)
	if err != nil && errors.Is(context.Cause(ctx), errStatementTime) {
		err = errStatementTime
	}
	if rows == nil || !rows.keepWarnings && !rows.sent {
		s.dropWarnings(before)
	}
	if s.tx != nil && !s.inTransaction() {
		s.rollbackAll()
	}
	switch {
	case err != nil:
		return err
	case rows == nil:
		return s.sendOK(sink, OK{}, more)
	case rows.sent:
		return nil
	case rows.names == nil:
		return s.sendOK(sink, rows.ok, more)
	}
	return s.sendRows(sink, rows, more)
}

// endsTransaction reports whether a statement is COMMIT or ROLLBACK, to which max_statement_time does not apply.
func endsTransaction(text string) bool {
	head := dialect.Scanner{SQL: text}
	t, _ := head.Next()
	return t.Is("COMMIT") || t.Is("ROLLBACK")
}

// dropWarnings forgets the warnings of earlier statements, the oldest n.
func (s *Session) dropWarnings(n int) {
	if n == 0 {
		return
	}
	all := s.base.Warnings() // newest first
	s.base.ClearWarnings()
	for i := len(all) - n - 1; i >= 0; i-- {
		s.warn(all[i])
	}
}

// sendRows sends a small result set.
func (s *Session) sendRows(sink ResultSink, r *adminRows, more bool) error {
	cols := make([]Column, len(r.names))
	for i, name := range r.names {
		cols[i] = Column{Name: name, Type: mysql.MYSQL_TYPE_VAR_STRING, Charset: columnCharset45(s), Length: 1024, Decimals: textDecimals}
		if i < len(r.types) && r.types[i] != 0 {
			cols[i].Type, cols[i].Length, cols[i].Charset, cols[i].Flags, cols[i].Decimals = r.types[i], 21, mysql.Collation_binary, mysql.BINARY_FLAG, 0
			if r.unsigned {
				cols[i].Flags |= mysql.UNSIGNED_FLAG
			}
		}
	}
	if err := sink.Columns(cols); err != nil {
		return err
	}
	vals := make([]sqltypes.Value, len(cols))
	for _, row := range r.rows {
		for i := range vals {
			var v any
			if i < len(row) {
				v = row[i]
			}
			switch {
			case v == nil:
				vals[i] = sqltypes.NULL
			case cols[i].Type == mysql.MYSQL_TYPE_VAR_STRING:
				vals[i] = sqltypes.MakeTrusted(sqltypes.VarChar, fmt.Append(nil, v))
			default:
				vals[i] = sqltypes.MakeTrusted(sqltypes.Int64, fmt.Append(nil, v))
			}
		}
		if err := sink.Row(vals); err != nil {
			return err
		}
	}
	return sink.EndRows(s.endStatus(more))
}

func columnCharset45(s *Session) uint16 {
	if s.charset.results != 0 {
		return uint16(defaultCollation(s.charset.results))
	}
	return 45
}

// okRun wraps a function without rows.
func okRun(f func(ctx context.Context) error) adminRun {
	return func(ctx context.Context, _ ResultSink, _ bool) (*adminRows, error) { return nil, f(ctx) }
}

// failRun is a statement that ends with an error.
func failRun(err error) adminRun {
	return func(context.Context, ResultSink, bool) (*adminRows, error) { return nil, err }
}

// rowsRun wraps a function that yields rows.
func rowsRun(f func(ctx context.Context) (*adminRows, error)) adminRun {
	return func(ctx context.Context, _ ResultSink, _ bool) (*adminRows, error) { return f(ctx) }
}

// parseRefused refuses statements that this server does not have.
func (s *Session) parseRefused(c *dialect.Parser) adminRun {
	what := strings.ToUpper(c.Tokens[0].Text)
	if !c.End() && c.Peek().Kind == dialect.Word {
		what += " " + strings.ToUpper(c.Peek().Text)
	}
	return failRun(mysqlerr.New(mysqlerr.NotSupportedYet, what))
}
