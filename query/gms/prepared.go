package gms

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/setop"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/value"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/placeholder"
	"github.com/duramendb/duramen/query/result"
)

// Prepared is a statement that was parsed before it runs.
type Prepared struct {
	Columns []result.Column // nil for a statement without rows, or whose columns are known only when it runs

	Holders placeholder.Set
	st      *syntax.Statement
}

// Prepare parses a statement, and finds out the columns of its result.
func (s *Session) Prepare(ctx context.Context, text *source.Text) (*Prepared, error) {
	p := &Prepared{}
	return p, s.prepare(ctx, p, text)
}

// prepare parses the text into a tree of the statement's own: planning may
// write to trees, so it is not shared with the parse cache.
func (s *Session) prepare(ctx context.Context, p *Prepared, text *source.Text) error {
	st, rest, err := s.classify(text, 0) // which the session counts as long as the statement is there
	if err != nil {
		return err
	}
	if rest != "" {
		return parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	p.st = st
	first, ast := st.Text, st.AST
	p.Holders = placeholder.Of(first, s.LexMode)
	if err := definedHolders(p.Holders.Count, ast); err != nil {
		return err
	}
	c := s.contextOf(ctx, newRunning(p.st, nil), first)
	if err := s.authorize(p.st); err != nil {
		return err
	}
	if !p.st.Result {
		return nil
	}
	if err := (&planned{s: s, c: c, st: p.st}).exactNames(s.engine.Store.Catalog().Current()); err != nil {
		return err
	}
	s.BeginPlanning()
	written, err := joinedStars(s, c, p.st)
	if err != nil {
		return err
	}
	first, ast = written.Text, written.AST
	binder := planbuilder.New(c, s.engine.gms.Analyzer.Catalog, s.engine.gms.EventScheduler)
	defer parse.HoldGroupParameters(ast)()
	return s.engine.planning(c, func() error {
		defer computed.Rewrite(ast)()
		node, _, err := binder.BindOnly(ast, first, nil)
		if err != nil {
			return err
		}
		if node, err = setop.Settle(c, node); err != nil {
			return err
		}
		if schema, _ := column.Explained(node, node.Schema(c), nil, nil, ""); !types.IsOkResultSchema(schema) {
			if err := checkTypes(schema); err != nil {
				return err
			}
			p.Columns = column.Of(c, schema, column.Origins(c, node))
		}
		return nil
	})
}

// RunPrepared runs a prepared statement.
func (s *Session) RunPrepared(ctx context.Context, p *Prepared, params []result.Value, sink result.Sink) error {
	r := newRunning(p.st, sink)
	r.params = params
	return s.runStatement(ctx, r, value.Bindings(params), s.wireResult(sink, false))
}

// RunFirst runs the first statement of a text, and returns the rest. several says that there may be one.
func (s *Session) RunFirst(ctx context.Context, text *source.Text, several bool, sink result.Sink) (rest string, err error) {
	st, rest, err := s.parseOne(text)
	if err != nil {
		s.Warnings.Clear()
		return "", err
	}
	if rest != "" && !several {
		return "", parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	return rest, s.runStatement(ctx, newRunning(st, sink), nil, s.wireResult(sink, rest != ""))
}

// CreateOrReplace is CREATE OR REPLACE: a DROP and a CREATE as one statement, logged as the whole that it was.
func (s *Session) CreateOrReplace(ctx context.Context, drop, create, whole string, sink result.Sink, more bool) error {
	first, _, err := s.parseOne(innerText(s, drop))
	if err != nil {
		return err
	}
	text := s.textOf(create)
	defer text.Drop()
	st, _, err := s.parseOne(text)
	if err != nil {
		return err
	}
	st.Before, st.Logged = first, whole
	return s.runStatement(ctx, newRunning(st, sink), nil, s.wireResult(sink, more))
}

// definedHolders refuses placeholders where a definition keeps the text that they stand in: nothing gives
// them a value when it runs.
func definedHolders(count int, ast sqlparser.Statement) error {
	d, ok := ast.(*sqlparser.DDL)
	switch {
	case !ok || count == 0:
		return nil
	case d.ViewSpec != nil:
		return mysqlerr.New(mysqlerr.ViewSelectVariable)
	case len(parse.Bodies(d)) > 0:
		return mysqlerr.NotYet("a parameter in a body")
	}
	return nil
}
