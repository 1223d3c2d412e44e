package parse

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/nesting"
	"github.com/duramendb/duramen/query/gms/tables"
)

// Reader parses texts.
type Reader struct {
	Mode dialect.Mode // set by Text
	DB   string       // the current database
	// Definer puts the account that is meant in place of CURRENT_USER in a DEFINER clause.
	Definer func(sql string) string
	// System makes what reads or writes the system tables do so by the server's own means.
	System func(ast sqlparser.Statement, sql, db string)
	// Fault is told of panics of the parser.
	Fault func(*fault.Fault)
}

// Text runs the parser of go-mysql-server; what only MariaDB's grammar has
// is rewritten and tried again.
func (p *Reader) Text(text *source.Text) (ast sqlparser.Statement, first, rest string, err error) {
	p.Mode = text.Mode
	if ast, first, rest, ok := p.procedure(text); ok {
		return ast, first, rest, nil
	}
	if mentions(text.SQL, "window") {
		if st, _, err := text.Statement(); err == nil {
			if err := framedWindow(st); err != nil {
				return nil, "", "", err
			}
		}
	}
	if plain, changed, err := collated(text, nil); err != nil {
		return nil, "", "", err
	} else if changed {
		return p.inPlace(text, plain)
	}
	if plain, changed, err := constructed(text); err != nil {
		return nil, "", "", err
	} else if changed {
		return p.inPlace(text, plain)
	}
	if err := comparedHex(text); err != nil {
		return nil, "", "", err
	}
	if plain, changed, err := temporalLiterals(text); err != nil {
		return nil, "", "", err
	} else if changed {
		return p.inPlace(text, plain)
	}
	return p.text(text)
}

// inPlace parses another text in place of the first statement of one, whose text remains the statement's.
func (p *Reader) inPlace(text *source.Text, plain string) (ast sqlparser.Statement, first, rest string, err error) {
	one, after := dialect.Split(text.SQL, p.Mode)
	if ast, _, _, err = p.text(source.New(plain[:len(plain)-len(after)], p.Mode, nil)); err != nil {
		return nil, "", "", err
	}
	return ast, dialect.Trim(p.Definer(one), p.Mode), dialect.Trim(after, p.Mode), nil
}

// Collated parses a definition, in which the collations are those that d makes them; changed is false for a statement that names none.
func (p *Reader) Collated(text *source.Text, d *Defaults) (ast sqlparser.Statement, changed bool, err error) {
	p.Mode = text.Mode
	named, changed, err := collated(text, d)
	if err != nil || !changed {
		return nil, false, err
	}
	ast, _, _, err = p.inPlace(text, named)
	return ast, true, err
}

func (p *Reader) text(text *source.Text) (ast sqlparser.Statement, first, rest string, err error) {
	sql := text.SQL
	ast, first, rest, err = p.parseVitess(sql)
	if err == nil {
		if err = refuse(first, p.Mode, ast); err == nil {
			return ast, first, rest, nil
		}
		if text.HoldTokens() == nil {
			if ast, ok := p.createWithoutQuery(text); ok {
				return ast, first, rest, nil
			}
		}
		return nil, "", "", err
	}
	if errors.Is(err, sqlparser.ErrEmpty) {
		return ast, first, rest, err
	}
	if err := text.HoldTokens(); err != nil {
		return nil, "", "", err
	}
	one, after := dialect.Split(sql, p.Mode)
	if nesting.Refused(err) {
		if ast, ok := p.createWithoutQuery(text); ok {
			return ast, dialect.Trim(one, p.Mode), dialect.Trim(after, p.Mode), nil
		}
		return ast, first, rest, err
	}
	if ast, ok := p.parseDeleteReturning(one); ok {
		return ast, dialect.Trim(one, p.Mode), dialect.Trim(after, p.Mode), nil
	}
	if r := rewriteMariaDB(one, p.Mode); r.text != one {
		r.text = p.Definer(r.text)
		ast, _, _, err2 := p.parseVitess(r.text)
		if err2 == nil {
			if err := refuse(one, p.Mode, ast); err != nil {
				return nil, "", "", err
			}
			if r.quantified {
				if err := quantify(ast); err != nil {
					return nil, "", "", err
				}
			}
			if r.alter.apply(ast) || r.engines || r.quantified {
				r.text = dialect.Trim(one, p.Mode) // replicas understand the conditions, and the engine is found there
			}
			return ast, r.text, dialect.Trim(after, p.Mode), nil
		}
		if nesting.Refused(err2) {
			return nil, "", "", err2
		}
	}
	if ast, ok := p.createWithoutQuery(text); ok {
		return ast, dialect.Trim(one, p.Mode), dialect.Trim(after, p.Mode), nil
	}
	return nil, "", "", refusal(text, err)
}

func (p *Reader) parseVitess(sql string) (ast sqlparser.Statement, first, rest string, err error) {
	sql = p.Definer(sql)
	sql = looseSelects(keepBackslashes(nationalTexts(sql, p.Mode), p.Mode), p.Mode)
	opts := sqlparser.ParserOptions{AnsiQuotes: p.Mode.AnsiQuotes, PipesAsConcat: p.Mode.PipesAsConcat}
	ast, end, err := nesting.ParseOne(sql, opts)
	if err != nil {
		p.NoteFault(err)
		return nil, "", "", nesting.ParseError(err)
	}
	if err := nesting.Check(ast); err != nil {
		return nil, "", "", err
	}
	tables.Normalize(ast)
	nameDefaultCollations(ast)
	useStoredCharset(ast)
	if mentions(sql, "group") {
		groupByConstants(ast)
	}
	if mentions(sql, "group_concat") {
		joinGroups(ast)
	}
	if mentions(sql, "against") {
		if err := withModes(ast); err != nil {
			return nil, "", "", err
		}
	}
	if mentions(sql, "delete") {
		if err := deletedTables(ast); err != nil {
			return nil, "", "", err
		}
	}
	if mentions(sql, "json_table") {
		jsonTablesBeside(ast)
	}
	NameItems(ast, sql)
	FirstQueries(ast)
	p.System(ast, sql, p.DB)
	first = sql
	if end > 0 && end < len(sql) {
		first, rest = sql[:end], sql[end:]
	}
	first = dialect.Trim(first, p.Mode)
	endBody(ast, len(first))
	return ast, first, dialect.Trim(rest, p.Mode), nil
}

// mentions reports whether a word, in small letters, is in a text, in letters of either case: if it is not, its tree need not be walked through.
func mentions(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// NoteFault tells the log that the parser has panicked over a text.
func (p *Reader) NoteFault(err error) {
	var f *fault.Fault
	if errors.As(err, &f) {
		p.Fault(f)
	}
}

var (
	positionText = regexp.MustCompile(`at position (\d+)(?: near '(.*)')?`)
)

// SyntaxError words a parser's error as MariaDB does (1064): the text from the
// place of the error on, and its line.
func SyntaxError(err error, sql string) error {
	pos := len(sql)
	if m := positionText.FindStringSubmatch(err.Error()); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits; the largest int for what is larger
		pos = min(max(n-1, 0), len(sql))
		// The parser reports the place after the offending token.
		word := m[2]
		if word != "" && pos >= len(word) {
			if at := strings.LastIndex(strings.ToLower(sql[:pos]), strings.ToLower(word)); at >= 0 {
				pos = min(at, len(sql)) // letters may have grown
			}
		}
	}
	return dialect.SyntaxError(sql, pos).WithCause(err)
}
