package query

import (
	"context"
	"errors"

	"github.com/duramendb/duramen/query/clienttext"

	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/native"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// Execute runs the statements of one COM_QUERY and gives their results to sink
// in order. The first error ends it; results before it have been sent.
func (s *Session) Execute(ctx context.Context, text string, sink result.Sink) error {
	sent := text
	text, wrong := session.TextsOf(s.Session).FromClient(sent)
	run := s.Begin(ctx, text)
	defer s.End()
	err := s.sql.Protect(func() error {
		if wrong != nil {
			return wrong
		}
		return s.executeAll(run, text, s.sinkFor(sink))
	})
	return s.toResults(s.sql.MapError(run, err))
}

func (s *Session) executeAll(ctx context.Context, text string, sink result.Sink) error {
	rest := dialect.Trim(dialect.OpenComments(text, s.LexMode), s.LexMode)
	if rest == "" {
		if text == "" || trimOnlySpace(text) {
			return mysqlerr.New(mysqlerr.EmptyQuery)
		}
		return s.SendOK(sink, result.OK{}, false) // nothing but comments
	}
	for first := true; rest != ""; first = false {
		if err := s.checkAccount(rest); err != nil {
			return err
		}
		var err error
		client := s.Vars.Str("character_set_client")
		if rest, err = s.executeFirst(ctx, rest, sink); !first {
			notLean(s) // those before may have left something
		}
		if err != nil {
			return err
		}
		if rest != "" && client != s.Vars.Str("character_set_client") { // what follows is read by another one
			if rest, err = session.TextsOf(s.Session).FromClient(clienttext.Sent(rest, client)); err != nil {
				return err
			}
		}
	}
	return nil
}

// executeFirst runs the first statement of sql and returns the rest.
func (s *Session) executeFirst(ctx context.Context, sql string, sink result.Sink) (rest string, err error) {
	s.sql.BeginPlanning()
	if st := s.own().Known(sql); st != nil {
		return "", s.own().RunKnown(ctx, st, sink)
	}
	if found := s.native().FindText(ctx, sql); found != nil {
		if err = found.Run(ctx, sink, false); !errors.Is(err, native.ErrStale) {
			return "", err
		}
		defer s.EndIdle() // its table is another one by now
	}
	defer notLean(s) // whatever runs within this one
	text := s.textOf(sql)
	defer text.Drop()
	own, after := s.own().Find(text)
	if own != nil && s.doesNatively(ctx, own, text) {
		own = nil
	}
	if own != nil {
		if after != "" && !s.multi {
			return "", parse.SyntaxError(errors.New("one statement expected"), after)
		}
		if own.Err != nil {
			s.Warnings.Clear()
			return "", own.Err
		}
		if after == "" {
			s.own().Keep(sql, own.Statement)
		}
		if err := s.sql.Rights().CheckOwn(own.Statement); err != nil {
			return "", err
		}
		return after, s.own().Run(ctx, own.Statement, sink, after != "")
	}
	if n, next := callOf(text); n != nil {
		return s.call(ctx, n, text, next, sink)
	}
	found, after, err := s.native().Find(ctx, text)
	switch {
	case found == nil && err == nil:
		if err := s.native().Forced(sql); err != nil {
			return "", err
		}
		if r := s.Replicated; r != nil && r.Random != nil { // the numbers would be others
			return "", mysqlerr.NotYet("RAND() of a primary in this statement")
		}
		return s.sql.RunFirst(ctx, text, s.multi, sink)
	case after != "" && !s.multi:
		return "", parse.SyntaxError(errors.New("one statement expected"), after)
	case err != nil:
		return "", s.native().Refuse(sql, err)
	}
	if err = found.Run(ctx, sink, after != ""); errors.Is(err, native.ErrStale) {
		defer s.EndIdle()
		return s.executeFirst(ctx, sql, sink) // its table is another one by now
	}
	return after, err
}

// doesNatively reports whether a statement of the server's own is a DO whose expressions SQL of our own understands, or finds to be wrong.
func (s *Session) doesNatively(ctx context.Context, own *admin.Found, text *source.Text) bool {
	if _, do := own.Statement.(dialect.Do); !do {
		return false
	}
	found, _, err := s.native().Find(ctx, text)
	return found != nil || err != nil
}

// textOf is a text that is read as the session's variables say. Its tree counts as the statement's memory.
// notLean is the end of a statement of which it is not known what waits for the end of its context.
func notLean(s *Session) { s.Lean = false }

func (s *Session) textOf(sql string) *source.Text {
	return source.New(sql, s.LexMode, session.TreeMemory(s.Session))
}

func trimOnlySpace(text string) bool {
	for _, c := range text {
		if c != ' ' && c != ';' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
