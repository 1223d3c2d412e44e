package query

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/sysvar"
)

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
	case c.accept("DEFAULT", "ROLE"):
		return s.parseSetDefaultRole(c)
	case c.accept("ROLE"):
		return s.parseSetRole(c)
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
