package query

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/sysvar"
)

// setNamesTo is SET NAMES and SET CHARACTER SET; a collation of "" is the character set's own.
func (s answering) setNamesTo(to dialect.Charset, collation string) error {
	charset := to.Name
	if to.Default {
		charset = s.engine.Globals.Str("character_set_client")
	}
	v, err := charsetValue("character_set_client", charset)
	if err != nil {
		return err
	}
	cs, err := sql.ParseCharacterSet(v.(string))
	if err != nil {
		return mysqlerr.New(mysqlerr.UnknownCharacterSet, charset)
	}
	coll := column.DefaultCollation(cs)
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
}

// setStatement is SET STATEMENT ... FOR.
func (s answering) setStatement(ctx context.Context, st dialect.SetStatement, sink result.Sink) error {
	type saved struct {
		d *sysvar.Def
		v any
	}
	var old []saved
	for _, name := range st.Variables {
		d, ok := sysvar.Lookup(name)
		if !ok {
			return mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
		}
		if d.Scope == sysvar.Global {
			return mysqlerr.New(mysqlerr.GlobalVariable, name)
		}
		old = append(old, saved{d, s.Vars.Stored(d)})
	}
	defer func() {
		for _, o := range old {
			s.Vars.Store(o.d, o.v)
		}
	}()
	if _, err := s.executeFirst(ctx, "SET SESSION "+st.Assignments, discardSink{}); err != nil {
		return err
	}
	rest, err := s.executeFirst(ctx, st.Statement, sink)
	if err == nil && rest != "" {
		err = parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	return err
}

// discardSink takes results that nobody wants.
type discardSink struct{}

func (discardSink) Columns([]result.Column) error { return nil }
func (discardSink) Row(result.Row) error          { return nil }
func (discardSink) EndRows(result.Status) error   { return nil }
func (discardSink) OK(result.OK) error            { return nil }
