package query

import (
	"errors"

	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/types/charset"
)

// named is a sink whose columns have names in the character set of results.
type named struct {
	result.Sink
	s *Session
}

// Columns implements result.Sink.
func (n *named) Columns(cols []result.Column) error { return n.Sink.Columns(n.s.columnsFor(cols)) }

// namedLocal is one that fetches files.
type namedLocal struct {
	result.LocalInfileSink
	s *Session
}

// Columns implements result.Sink.
func (n *namedLocal) Columns(cols []result.Column) error {
	return n.LocalInfileSink.Columns(n.s.columnsFor(cols))
}

// sinks are those of the command that runs, of which a session has one at a time.
type sinks struct {
	plain named
	local namedLocal
}

// sinkFor is a sink for the results of the command that runs, until its end.
func (s *Session) sinkFor(sink result.Sink) result.Sink {
	switch of := sink.(type) {
	case *named, *namedLocal: // of a statement that runs others
		return of
	case result.LocalInfileSink:
		s.sinks.local = namedLocal{of, s}
		return &s.sinks.local
	}
	s.sinks.plain = named{sink, s}
	return &s.sinks.plain
}

// columnsFor are columns as clients are told of them: with names in the character set of results, and the collation of SET NAMES.
func (s *Session) columnsFor(cols []result.Column) []result.Column {
	var out []result.Column
	if is, shown, ok := s.sql.ShownCollation(); ok {
		out = append(out, cols...)
		for i := range out {
			if out[i].Charset == is {
				out[i].Charset = shown
			}
		}
		cols = out
	}
	set := session.TextsOf(s.Session).Results()
	if set == nil {
		return cols
	}
	same := func(name string) bool { return session.SameIn(set, name) }
	for i := range cols {
		c := &cols[i]
		if same(c.Name) && same(c.OrgName) && same(c.Table) && same(c.OrgTable) && same(c.Schema) {
			continue
		}
		if out == nil {
			out = append(out, cols...)
		}
		for _, name := range []*string{&out[i].Name, &out[i].OrgName, &out[i].Table, &out[i].OrgTable, &out[i].Schema} {
			*name = string(session.TextsOf(s.Session).ToResults([]byte(*name)))
		}
	}
	if out == nil {
		return cols
	}
	return out
}

// toResults is an error whose message is in the character set of results.
func (s *Session) toResults(err error) error {
	if err == nil {
		return nil
	}
	var e *mysqlerr.Error
	if !errors.As(err, &e) {
		return err
	}
	message := e.Message
	if client, ok := charset.SetByName(s.Vars.Str("character_set_client")); ok {
		message = clienttext.Shown(message, client)
	}
	if set := session.TextsOf(s.Session).Results(); set != nil && !session.SameIn(set, message) {
		message = clienttext.Message(message, set)
	}
	if message == e.Message {
		return err
	}
	out := *e
	out.Message = message
	return &out
}
