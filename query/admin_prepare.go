package query

import (
	"context"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// parsePrepare is PREPARE name FROM 'text' | @variable.
func (s *Session) parsePrepare(c *dialect.Parser) adminRun {
	name := c.Next()
	if !name.IsName() || !c.Accept("FROM") {
		return failRun(c.Syntax())
	}
	source := c.Next()
	if !c.End() {
		return failRun(c.Syntax())
	}
	return okRun(func(ctx context.Context) error {
		text, err := s.statementText(source)
		if err != nil {
			return err
		}
		return s.prepareNamed(ctx, name.Text, text)
	})
}

// statementText is a string literal, or the value of a user variable.
func (s *Session) statementText(t dialect.Token) (string, error) {
	if t.Kind == dialect.String {
		return t.Text, nil
	}
	if v, ok := strings.CutPrefix(t.Text, "@"); ok && t.Kind == dialect.Word {
		text, _ := s.UserVar(v)
		return text, nil
	}
	return "", mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, t.Text, 1)
}

// parseExecute is EXECUTE name [USING values], EXECUTE IMMEDIATE text [USING values].
func (s *Session) parseExecute(c *dialect.Parser) adminRun {
	immediate := c.Accept("IMMEDIATE")
	name := c.Next()
	var using []dialect.Token
	if c.Accept("USING") {
		for {
			using = append(using, c.Next())
			if !c.Accept(",") {
				break
			}
		}
	}
	if !c.End() {
		return failRun(c.Syntax())
	}
	return func(ctx context.Context, sink ResultSink, more bool) (*adminRows, error) {
		params, err := s.usingValues(ctx, using)
		if err != nil {
			return nil, err
		}
		if !immediate {
			return sentAlready, s.executeNamed(ctx, name.Text, params, sink, more)
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

func (s *Session) usingValues(ctx context.Context, using []dialect.Token) ([]sqltypes.Value, error) {
	c := s.newContext(ctx, "")
	var out []sqltypes.Value
	for _, t := range using {
		name, isVar := strings.CutPrefix(t.Text, "@")
		switch {
		case t.Kind == dialect.String:
			out = append(out, sqltypes.NewVarChar(t.Text))
		case t.Kind == dialect.Word && isVar:
			v, err := s.userVarValue(c, name)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		case t.Kind == dialect.Word && dialect.IsNumber(t.Text):
			out = append(out, sqltypes.MakeTrusted(sqltypes.Int64, []byte(t.Text)))
		case t.Is("NULL"):
			out = append(out, sqltypes.NULL)
		default:
			return nil, mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, t.Text, 1)
		}
	}
	return out, nil
}

// parseDeallocate is DEALLOCATE PREPARE name.
func (s *Session) parseDeallocate(c *dialect.Parser) adminRun {
	if !c.Accept("PREPARE") {
		return failRun(c.Syntax())
	}
	name := c.Next().Text
	return okRun(func(context.Context) error { return s.deallocate(name) })
}
