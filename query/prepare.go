package query

import (
	"context"
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/native"
	"github.com/duramendb/duramen/query/placeholder"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/status"
)

// Stmt is a prepared statement of one session.
type Stmt struct {
	ParamCount int
	Columns    []result.Column // nil for a statement without rows, or whose columns are known only when it runs
	Call       bool            // the statement is CALL: its results are those of the procedure's statements

	text  string
	mode  dialect.Mode // how the text was read, and is read again: a later sql_mode does not change what it means
	bytes int64        // counted as the session's memory
	// planned is the statement of the SQL engine; nil for one of the server's own, which is run by its text with the
	// values in the places of holders.
	planned *gms.Prepared
	// native says that it may run natively; planned is then made when a run turns out to be the fallback's.
	native bool
	// own is one of the server's own that is kept parsed; nil for one that is read from its text at each run.
	own     dialect.Statement
	known   native.Prepared
	holders placeholder.Set
}

// placeholdersMost is how many placeholders the protocol can count.
const placeholdersMost = 1<<16 - 1

// Prepare parses a statement and finds out the columns of its result.
func (s *Session) Prepare(ctx context.Context, text string) (*Stmt, error) {
	sent := text
	text, wrong := session.TextsOf(s.Session).FromClient(sent)
	run := s.Begin(ctx, text)
	defer s.End()
	var stmt *Stmt
	err := s.sql.Protect(func() (err error) {
		if wrong != nil {
			return wrong
		}
		stmt, err = s.prepare(run, text)
		return err
	})
	s.EndIdle()
	if err != nil {
		return nil, s.toResults(s.sql.MapError(run, err))
	}
	return stmt, nil
}

func (s *Session) prepare(ctx context.Context, text string) (*Stmt, error) {
	if uint64(len(s.prepared)) >= s.engine.Globals.Uint("max_prepared_stmt_count") {
		return nil, mysqlerr.New(mysqlerr.MaxPreparedStmtCount, len(s.prepared))
	}
	body := dialect.Trim(dialect.OpenComments(text, s.LexMode), s.LexMode)
	if body == "" {
		return nil, mysqlerr.New(mysqlerr.EmptyQuery)
	}
	if preparesOthers(body, s.LexMode) {
		return nil, mysqlerr.New(mysqlerr.UnsupportedPS)
	}
	stmt := &Stmt{text: body, mode: s.LexMode, bytes: gms.TreeBytes(body)}
	if err := s.Memory.Keep(stmt.bytes); err != nil {
		return nil, err
	}
	kept := false
	defer func() {
		if !kept {
			_ = s.Memory.Keep(-stmt.bytes)
		}
	}()
	read := s.textOf(body)
	defer read.Drop()
	if run, rest := s.own().Find(read); run != nil {
		if rest != "" {
			return nil, parse.SyntaxError(errors.New("one statement expected"), rest)
		}
		stmt.holders = placeholder.Of(body, s.LexMode)
		if stmt.ParamCount = stmt.holders.Count; tooManyHolders(s, stmt.ParamCount) {
			return nil, mysqlerr.New(mysqlerr.PSManyParam)
		}
		if run.Err != nil && stmt.holders.Count == 0 {
			return nil, run.Err
		}
		if s.own().Keep(body, run.Statement) {
			stmt.own = run.Statement
		}
	} else if call, next := callOf(read); call != nil {
		if rest := dialect.Trim(body[next:], s.LexMode); rest != "" {
			return nil, parse.SyntaxError(errors.New("one statement expected"), rest)
		}
		stmt.holders, stmt.Call = placeholder.Of(body, s.LexMode), true
		if stmt.ParamCount = stmt.holders.Count; tooManyHolders(s, stmt.ParamCount) {
			return nil, mysqlerr.New(mysqlerr.PSManyParam)
		}
	} else if err := s.prepareSQL(ctx, stmt, read); err != nil {
		return nil, err
	}
	stmt.Columns = s.columnsFor(stmt.Columns)
	s.prepared[stmt] = struct{}{}
	kept = true
	s.engine.Status.Prepare(1)
	s.engine.Status.Command(status.StmtPrepare)
	return stmt, nil
}

// prepareSQL prepares a statement that is none of the server's own.
func (s *Session) prepareSQL(ctx context.Context, stmt *Stmt, text *source.Text) error {
	holders := placeholder.Of(stmt.text, s.LexMode)
	if tooManyHolders(s, holders.Count) {
		return mysqlerr.New(mysqlerr.PSManyParam)
	}
	columns, ok, err := s.native().Prepare(ctx, text, holders.Count)
	if ok {
		stmt.native, stmt.holders, stmt.ParamCount, stmt.Columns = true, holders, holders.Count, columns
		return nil
	}
	if err != nil {
		return err
	}
	return s.plan(ctx, stmt, text)
}

// plan has the fallback prepare a statement.
func (s *Session) plan(ctx context.Context, stmt *Stmt, text *source.Text) error {
	planned, err := s.sql.Prepare(ctx, text)
	if err != nil {
		return err
	}
	stmt.planned, stmt.holders, stmt.ParamCount, stmt.Columns = planned, planned.Holders, planned.Holders.Count, planned.Columns
	return nil
}

// EmptyIsNull reports whether a parameter that is a text without characters is NULL.
func (s *Session) EmptyIsNull() bool { return s.Vars.Mode("EMPTY_STRING_IS_NULL") }

// ExecuteStmt runs a prepared statement.
func (s *Session) ExecuteStmt(ctx context.Context, stmt *Stmt, params []result.Value, sink result.Sink) error {
	run := s.Begin(ctx, stmt.text)
	defer s.End()
	err := s.sql.Protect(func() error { return s.executeStmt(run, stmt, params, s.sinkFor(sink)) })
	return s.toResults(s.sql.MapError(run, err))
}

func (s *Session) executeStmt(ctx context.Context, stmt *Stmt, params []result.Value, sink result.Sink) error {
	defer s.readAs(stmt.mode)()
	s.engine.Status.Command(status.StmtExecute)
	if len(params) != stmt.ParamCount {
		return mysqlerr.New(mysqlerr.WrongArguments, "EXECUTE")
	}
	params, err := stmt.holders.Bind(params)
	if err != nil {
		return err
	}
	if err := s.checkAccount(stmt.text); err != nil {
		return err
	}
	if stmt.own != nil {
		s.sql.BeginPlanning()
		return s.own().RunKnown(ctx, stmt.own, sink)
	}
	if stmt.native {
		s.sql.BeginPlanning()
		if run := s.native().FindDirect(ctx, stmt.text, params, &stmt.known); run != nil {
			if err := run.Run(ctx, sink, false); !errors.Is(err, native.ErrStale) {
				return err
			}
			defer s.EndIdle()
		}
		text := s.textOf(stmt.text)
		defer text.Drop()
		if done, err := s.executeNative(ctx, stmt, text, params, sink); done || err != nil {
			return err
		}
		defer notLean(s)
		if err := s.native().Forced(stmt.text); err != nil {
			return err
		}
		if stmt.planned == nil {
			if err := s.plan(ctx, stmt, text); err != nil {
				return err
			}
		}
	}
	defer notLean(s)
	if stmt.planned == nil {
		text, err := placeholder.Substitute(stmt.text, params, s.LexMode)
		if err != nil {
			return err
		}
		_, err = s.executeFirst(ctx, text, sink)
		return err
	}
	return s.sql.RunPrepared(ctx, stmt.planned, params, sink)
}

// readAs reads texts in a mode until the returned function is called. If sql_mode is set meanwhile, that counts.
func (s *Session) readAs(mode dialect.Mode) (back func()) {
	if mode == s.LexMode {
		return func() {}
	}
	before, set := s.LexMode, s.Vars.Str("sql_mode")
	s.LexMode = mode
	return func() {
		s.LexMode = before
		if now := s.Vars.Str("sql_mode"); now != set {
			s.LexMode = dialect.ModeOf(now)
		}
	}
}

// executeNative runs a prepared statement natively; done is false if it is the fallback's.
func (s *Session) executeNative(ctx context.Context, stmt *Stmt, text *source.Text, params []result.Value, sink result.Sink) (done bool, err error) {
	for {
		s.sql.BeginPlanning()
		own, err := s.native().FindPrepared(ctx, text, params, &stmt.known)
		if err != nil {
			return false, s.native().Refuse(text.SQL, err)
		}
		if own == nil {
			return false, nil
		}
		if err = own.Run(ctx, sink, false); !errors.Is(err, native.ErrStale) {
			return true, err
		}
		defer s.EndIdle() //nolint:revive // once is enough, and more do no harm
	}
}

// CloseStmt forgets a prepared statement.
func (s *Session) CloseStmt(stmt *Stmt) {
	if _, open := s.prepared[stmt]; open {
		delete(s.prepared, stmt)
		s.engine.Status.Prepare(-1)
		s.engine.Status.Command(status.StmtClose)
		_ = s.Memory.Keep(-stmt.bytes)
	}
}

// namedStatement is a statement of SQL's PREPARE.
type namedStatements map[string]*Stmt

// prepareNamed is PREPARE name FROM text.
func (s *Session) prepareNamed(ctx context.Context, name, text string) error {
	key := strings.ToLower(name)
	if old := s.named[key]; old != nil {
		s.CloseStmt(old)
		delete(s.named, key)
	}
	stmt, err := s.prepare(ctx, text)
	if err != nil {
		return err
	}
	if s.named == nil {
		s.named = namedStatements{}
	}
	s.named[key] = stmt
	return nil
}

// executeNamed is EXECUTE name USING values.
func (s *Session) executeNamed(ctx context.Context, name string, params []result.Value, sink result.Sink, more bool) error {
	stmt := s.named[strings.ToLower(name)]
	if stmt == nil {
		return mysqlerr.New(mysqlerr.UnknownStmtHandler, name, "EXECUTE")
	}
	return s.executeStmt(ctx, stmt, params, result.Followed(sink, more))
}

// deallocate is DEALLOCATE PREPARE name.
func (s *Session) deallocate(name string) error {
	key := strings.ToLower(name)
	stmt := s.named[key]
	if stmt == nil {
		return mysqlerr.New(mysqlerr.UnknownStmtHandler, name, "DEALLOCATE PREPARE")
	}
	s.CloseStmt(stmt)
	delete(s.named, key)
	return nil
}

// preparesOthers reports whether a statement is one about prepared statements, which cannot be
// prepared itself (1295): EXECUTE s, prepared as s, would run itself for ever.
func preparesOthers(text string, mode dialect.Mode) bool {
	first := dialect.Tokens(text, mode, 1)
	return len(first) == 1 && (first[0].Is("PREPARE") || first[0].Is("EXECUTE") || first[0].Is("DEALLOCATE"))
}

// executeImmediate is EXECUTE IMMEDIATE text USING values.
func (s *Session) executeImmediate(ctx context.Context, text string, params []result.Value, sink result.Sink) error {
	stmt, err := s.prepare(ctx, text)
	if err != nil {
		return err
	}
	defer s.CloseStmt(stmt)
	return s.executeStmt(ctx, stmt, params, sink)
}
