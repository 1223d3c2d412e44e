package nesting

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Parser is go-mysql-server's parser with Check behind it, for the texts that
// go-mysql-server itself parses: views, triggers, routines, checks, defaults.
type Parser struct {
	sql.MysqlParser
	// Begin is called before each text that is parsed for a statement.
	Begin func(ctx context.Context)
}

var _ sql.Parser = (*Parser)(nil)

// ParseSimple implements sql.Parser.
func (p *Parser) ParseSimple(query string) (sqlparser.Statement, error) {
	return checked(p.MysqlParser.ParseSimple(query))
}

// Parse implements sql.Parser.
func (p *Parser) Parse(ctx *sql.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

// ParseWithOptions implements sql.Parser.
func (p *Parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, o sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	p.Begin(ctx)
	ast, first, rest, err := p.MysqlParser.ParseWithOptions(ctx, query, delimiter, multi, o)
	ast, err = checked(ast, err)
	return ast, first, rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (p *Parser) ParseOneWithOptions(ctx context.Context, query string, o sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	p.Begin(ctx)
	ast, end, err := p.MysqlParser.ParseOneWithOptions(ctx, query, o)
	ast, err = checked(ast, err)
	return ast, end, err
}

func checked(ast sqlparser.Statement, err error) (sqlparser.Statement, error) {
	if err != nil {
		return nil, ParseError(err)
	}
	if err := Check(ast); err != nil {
		return nil, err
	}
	return ast, nil
}

// ParseError is a parser's error; that of the parser's own bound of parentheses
// within parentheses (200) becomes 1436.
func ParseError(err error) error {
	if strings.Contains(err.Error(), "max nesting level reached") {
		return tooDeep()
	}
	return err
}

// Refused reports whether an error is one of this package's, not a syntax error.
func Refused(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e)
}
