package nesting

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Parser is go-mysql-server's parser with Check after it, for the texts that
// go-mysql-server itself parses: views, triggers, routines, checks, defaults.
type Parser struct {
	sql.MysqlParser
	// Begin is called before each text that is parsed for a statement.
	Begin func(ctx context.Context)
	// Parsed is called with what was parsed, which it may change, and its text.
	Parsed func(ast sqlparser.Statement, text string)
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
	ast, err = p.parsed(ast, query, err)
	return ast, first, rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (p *Parser) ParseOneWithOptions(ctx context.Context, query string, o sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	p.Begin(ctx)
	ast, end, err := p.MysqlParser.ParseOneWithOptions(ctx, query, o)
	ast, err = p.parsed(ast, query, err)
	return ast, end, err
}

// ParseOne is sqlparser.ParseOneWithOptions. A text over which the parser panics is one that it does not
// take; the error is the fault.
func ParseOne(sql string, o sqlparser.ParserOptions) (ast sqlparser.Statement, end int, err error) {
	defer func() {
		if r := recover(); r != nil {
			thrown, f := fault.Of(r)
			if ast, end, err = nil, 0, thrown; f != nil {
				err = f
			}
		}
	}()
	ast, end, err = sqlparser.ParseOneWithOptions(context.Background(), sql, o)
	if f := parserFault(err); f != nil {
		return nil, 0, f
	}
	return ast, end, err
}

// parserFault is the panic that the parser has made an error of; nil for errors of other kinds.
func parserFault(err error) *fault.Fault {
	if err == nil || !strings.Contains(err.Error(), "handler caught panic") {
		return nil
	}
	return &fault.Fault{Panic: err.Error(), Foreign: true}
}

// ParseText is ParseOne for a text of one statement that a part of a client's is put into.
func ParseText(sql string) (sqlparser.Statement, error) {
	ast, _, err := ParseOne(sql, sqlparser.ParserOptions{})
	return ast, err
}

func (p *Parser) parsed(ast sqlparser.Statement, text string, err error) (sqlparser.Statement, error) {
	if ast, err = checked(ast, err); err == nil {
		p.Parsed(ast, text)
	}
	return ast, err
}

func checked(ast sqlparser.Statement, err error) (sqlparser.Statement, error) {
	if f := parserFault(err); f != nil {
		panic(f) // what it was: the session contains it
	}
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
