package query

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

// parseSet finds the forms of SET that go-mysql-server does not know.
func (s *Session) parseSet(c *dialect.Parser) adminRun {
	switch {
	case c.Accept("STATEMENT"):
		return s.parseSetStatement(c)
	case c.Accept("TRANSACTION"):
		return s.parseSetTransaction(c, "")
	case c.Accept("GLOBAL", "TRANSACTION"):
		return s.parseSetTransaction(c, "GLOBAL")
	case c.Accept("SESSION", "TRANSACTION"), c.Accept("LOCAL", "TRANSACTION"):
		return s.parseSetTransaction(c, "SESSION")
	case c.Accept("NAMES"):
		return s.parseSetNames(c)
	case c.Accept("CHARACTER", "SET"), c.Accept("CHARSET"):
		return s.parseSetNames(c)
	}
	return nil
}

// parseSetNames is SET NAMES charset [COLLATE collation], SET CHARACTER SET charset.
func (s *Session) parseSetNames(c *dialect.Parser) adminRun {
	name := c.Next()
	if name.Kind == dialect.Punct || name.Text == "" {
		return failRun(c.Syntax())
	}
	collation := ""
	if c.Accept("COLLATE") {
		collation = c.Next().Text
	}
	if !c.End() {
		return nil
	}
	return okRun(func(context.Context) error {
		charset := name.Text
		if name.Kind != dialect.String && name.Is("DEFAULT") {
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

// parseSetStatement is SET STATEMENT var=value, ... FOR statement.
func (s *Session) parseSetStatement(c *dialect.Parser) adminRun {
	start, depth := c.Pos, 0
	for ; !c.End(); c.Pos++ {
		t := c.Peek()
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is("FOR"):
			assign := c.SQL[c.Tokens[start].Start:t.Start]
			c.Pos++
			inner := c.Rest()
			var names []string
			for i := start; i+1 < len(c.Tokens) && c.Tokens[i].Start < t.Start; i++ {
				if c.Tokens[i+1].Is("=") && c.Tokens[i].IsName() {
					names = append(names, strings.ToLower(c.Tokens[i].Text))
				}
			}
			return func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error) {
				return sentAlready, s.setStatement(ctx, names, assign, inner, moreSink{sink, more})
			}
		}
	}
	return failRun(c.Syntax())
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
		err = parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	return err
}

// discardSink takes results that nobody wants.
type discardSink struct{}

func (discardSink) Columns([]Column) error     { return nil }
func (discardSink) Row([]sqltypes.Value) error { return nil }
func (discardSink) EndRows(Status) error       { return nil }
func (discardSink) OK(OK) error                { return nil }
