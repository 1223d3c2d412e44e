package query

import (
	"context"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/mysqlerr"
)

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
