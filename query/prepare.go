package query

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/value"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/status"
)

// Stmt is a prepared statement of one session.
type Stmt struct {
	ParamCount int
	Columns    []result.Column // nil for a statement without rows, or whose columns are known only when it runs

	holders placeholders

	text  string
	bytes int64 // counted as the session's memory
	admin bool  // run by its text: it never reaches go-mysql-server's parser
	st    *syntax.Statement
	mode  dialect.Mode // sql_mode when it was parsed
}

// Prepare parses a statement and finds out the columns of its result.
func (s *Session) Prepare(ctx context.Context, text string) (*Stmt, error) {
	run, end := s.Begin(ctx, text)
	defer end()
	var stmt *Stmt
	err := s.protect(func() (err error) {
		stmt, err = s.prepare(run, text)
		return err
	})
	s.EndIdle()
	if err != nil {
		return nil, s.mapError(run, err)
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
	stmt := &Stmt{text: body, mode: s.LexMode, bytes: treeBytes(body)}
	if err := s.Memory.Keep(stmt.bytes); err != nil {
		return nil, err
	}
	kept := false
	defer func() {
		if !kept {
			_ = s.Memory.Keep(-stmt.bytes)
		}
	}()
	if run, rest := answer(s).findAdmin(body); run != nil {
		if rest != "" {
			return nil, parse.SyntaxError(errors.New("one statement expected"), rest)
		}
		stmt.admin = true
		stmt.holders = placeholdersOf(body, s.LexMode)
		stmt.ParamCount = stmt.holders.count
		if run.err != nil && stmt.holders.count == 0 {
			return nil, run.err
		}
	} else if err := s.prepareParsed(ctx, stmt); err != nil {
		return nil, err
	}
	s.prepared[stmt] = struct{}{}
	kept = true
	s.engine.Status.Prepare(1)
	s.engine.Status.Command(status.StmtPrepare)
	return stmt, nil
}

// prepareParsed parses the text into a tree of the statement's own: planning may
// write to trees, so it is not shared with the parse cache.
func (s *Session) prepareParsed(ctx context.Context, stmt *Stmt) error {
	ast, first, rest, err := s.parseText(stmt.text)
	if err != nil {
		return err
	}
	if rest != "" {
		return parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	stmt.st = syntax.Classify(first, ast)
	stmt.st.LockClause(stmt.text)
	stmt.holders = placeholdersOf(first, s.LexMode)
	stmt.ParamCount = stmt.holders.count
	if err := stmt.holders.defined(ast); err != nil {
		return err
	}
	c := s.contextOf(ctx, newRunning(stmt.st, nil), first)
	if err := s.authorize(stmt.st); err != nil {
		return err
	}
	if !stmt.st.Result {
		return nil
	}
	s.beginPlanning()
	binder := planbuilder.New(c, s.engine.gms.Analyzer.Catalog, s.engine.gms.EventScheduler)
	return s.engine.planning(c, func() error {
		node, _, err := binder.BindOnly(ast, first, nil)
		if err != nil {
			return err
		}
		if schema, _ := column.Explained(node, node.Schema(c), nil); !types.IsOkResultSchema(schema) {
			if err := checkTypes(schema); err != nil {
				return err
			}
			stmt.Columns = column.Of(c, schema, column.Origins(c, node))
		}
		return nil
	})
}

// ExecuteStmt runs a prepared statement.
func (s *Session) ExecuteStmt(ctx context.Context, stmt *Stmt, params []result.Value, sink result.Sink) error {
	run, end := s.Begin(ctx, stmt.text)
	defer end()
	err := s.protect(func() error { return s.executeStmt(run, stmt, params, sink) })
	return s.mapError(run, err)
}

func (s *Session) executeStmt(ctx context.Context, stmt *Stmt, params []result.Value, sink result.Sink) error {
	s.engine.Status.Command(status.StmtExecute)
	if len(params) != stmt.ParamCount {
		return mysqlerr.New(mysqlerr.WrongArguments, "EXECUTE")
	}
	params, err := stmt.holders.bind(params)
	if err != nil {
		return err
	}
	if err := s.checkAccount(stmt.text); err != nil {
		return err
	}
	if stmt.admin {
		text, err := substitute(stmt.text, params, s.LexMode)
		if err != nil {
			return err
		}
		_, err = s.executeFirst(ctx, text, sink)
		return err
	}
	if stmt.mode != s.LexMode {
		if err := s.prepareParsed(ctx, stmt); err != nil {
			return err
		}
		stmt.mode = s.LexMode
	}
	return s.runStatement(ctx, newRunning(stmt.st, sink), value.Bindings(params), s.wireResult(sink, false))
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

// substitute puts values in the place of placeholders, for statements that are run
// by their text.
func substitute(sql string, params []result.Value, mode dialect.Mode) (string, error) {
	if len(params) == 0 {
		return sql, nil
	}
	var b strings.Builder
	s := dialect.Scanner{SQL: sql, Mode: mode}
	last, n := 0, 0
	for {
		t, ok := s.Next()
		if !ok {
			break
		}
		if t.Kind != dialect.Punct || t.Text != "?" {
			continue
		}
		if n >= len(params) {
			return "", mysqlerr.New(mysqlerr.WrongArguments, "EXECUTE")
		}
		b.WriteString(sql[last:t.Start])
		b.WriteString(literalOf(params[n], mode))
		last = t.End
		n++
	}
	b.WriteString(sql[last:])
	return b.String(), nil
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
	return s.executeStmt(ctx, stmt, params, moreSink{sink, more})
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

// moreSink adds the more-results flag to what passes through it.
type moreSink struct {
	result.Sink
	more bool
}

func (m moreSink) EndRows(st result.Status) error {
	if m.more {
		st.Flags |= mysql.SERVER_MORE_RESULTS_EXISTS
	}
	return m.Sink.EndRows(st)
}

func (m moreSink) OK(ok result.OK) error {
	if m.more {
		ok.Status |= mysql.SERVER_MORE_RESULTS_EXISTS
	}
	return m.Sink.OK(ok)
}
