package query

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/fault"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/nesting"
	"github.com/duramendb/duramen/query/tables"
)

// Sizes of a session's parse cache: statements longer than the limit are not
// kept, and a full cache is emptied by halves.
const (
	cachedStatementsMax  = 64
	cachedStatementBytes = 2 << 10
)

// parseCache keeps the parsed statements of one session by their text. Syntax
// trees are not shared between sessions: planning may write to them.
type parseCache struct {
	recent, old map[string]*statement
	triggers    map[string]sqlparser.Statement
}

func (c *parseCache) get(text string) *statement {
	if st := c.recent[text]; st != nil {
		return st
	}
	st := c.old[text]
	if st != nil {
		c.put(text, st)
	}
	return st
}

func (c *parseCache) put(text string, st *statement) {
	if len(text) > cachedStatementBytes || st.kind == kindDDL || st.kind == kindCall {
		return
	}
	if c.recent == nil || len(c.recent) >= cachedStatementsMax/2 {
		c.old, c.recent = c.recent, make(map[string]*statement, cachedStatementsMax/2)
	}
	c.recent[text] = st
}

func (c *parseCache) clear() { *c = parseCache{} }

func (c *parseCache) trigger(text string) (sqlparser.Statement, bool) {
	st, ok := c.triggers[text]
	return st, ok
}

func (c *parseCache) putTrigger(text string, st sqlparser.Statement) {
	if c.triggers == nil || len(c.triggers) >= cachedStatementsMax {
		c.triggers = map[string]sqlparser.Statement{}
	}
	c.triggers[text] = st
}

// parseOne parses the first statement of sql, in which executable comments are
// open already. rest is what follows it.
func (s *Session) parseOne(sql string) (st *statement, rest string, err error) {
	inMySQL := strings.EqualFold(s.DB(), "mysql") // see serveSystemTables
	if st = s.parsed.get(sql); st != nil && !inMySQL {
		return st, "", nil
	}
	ast, first, rest, err := s.parseText(sql)
	if err != nil {
		return nil, "", err
	}
	if placeholdersOf(first, s.sqlModeLex).count > 0 { // only PREPARE takes them
		return nil, "", dialect.SyntaxError(sql, placeholdersOf(sql, s.sqlModeLex).first)
	}
	st = classify(first, ast)
	st.lockClause(sql)
	if rest == "" && !inMySQL {
		s.parsed.put(sql, st)
	}
	return st, rest, nil
}

// parseText runs the parser of go-mysql-server; what only MariaDB's grammar has
// is rewritten and tried again.
func (s *Session) parseText(sql string) (ast sqlparser.Statement, first, rest string, err error) {
	ast, first, rest, err = s.parseVitess(sql)
	if err == nil {
		err = s.refuse(first, ast)
		return ast, first, rest, err
	}
	if errors.Is(err, sqlparser.ErrEmpty) || nesting.Refused(err) {
		return ast, first, rest, err
	}
	one, after := dialect.Split(sql, s.sqlModeLex)
	if ast, ok := s.parseDeleteReturning(one); ok {
		return ast, dialect.Trim(one, s.sqlModeLex), dialect.Trim(after, s.sqlModeLex), nil
	}
	if r := s.rewriteMariaDB(one); r.text != one {
		r.text = s.nameDefiner(r.text)
		ast, _, _, err2 := s.parseVitess(r.text)
		if err2 == nil {
			if err := s.refuse(one, ast); err != nil {
				return nil, "", "", err
			}
			if r.alter.Apply(ast) {
				r.text = dialect.Trim(one, s.sqlModeLex) // replicas understand the conditions
			}
			return ast, r.text, dialect.Trim(after, s.sqlModeLex), nil
		}
		if nesting.Refused(err2) {
			return nil, "", "", err2
		}
	}
	return nil, "", "", syntaxError(err, sql)
}

func (s *Session) parseVitess(sql string) (ast sqlparser.Statement, first, rest string, err error) {
	sql = s.nameDefiner(sql)
	sql = looseSelects(keepBackslashes(sql, s.sqlModeLex), s.sqlModeLex)
	opts := sqlparser.ParserOptions{AnsiQuotes: s.sqlModeLex.AnsiQuotes, PipesAsConcat: s.sqlModeLex.PipesAsConcat}
	ast, end, err := nesting.ParseOne(sql, opts)
	if err != nil {
		s.parserFault(err)
		return nil, "", "", nesting.ParseError(err)
	}
	if err := nesting.Check(ast); err != nil {
		return nil, "", "", err
	}
	tables.Normalize(ast)
	nameDefaultCollations(ast)
	function.UseExactSums(ast)
	useStoredCharset(ast)
	serveSystemTables(ast, sql, s.DB())
	first = sql
	if end > 0 && end < len(sql) {
		first, rest = sql[:end], sql[end:]
	}
	first = dialect.Trim(first, s.sqlModeLex)
	endBody(ast, len(first))
	return ast, first, dialect.Trim(rest, s.sqlModeLex), nil
}

// parserFault tells the log that the parser has panicked over a text.
func (s *Session) parserFault(err error) {
	var f *fault.Fault
	if errors.As(err, &f) {
		s.engine.contained(s.info.ID, f)
	}
}

// parseUnder parses what was written under another sql_mode: the statement of a trigger.
func (s *Session) parseUnder(sqlMode, text string) (sqlparser.Statement, error) {
	own := s.sqlModeLex
	defer func() { s.sqlModeLex = own }()
	s.sqlModeLex = dialect.ModeOf(sqlMode)
	ast, _, _, err := s.parseText(text)
	return ast, err
}

var (
	positionText = regexp.MustCompile(`at position (\d+)(?: near '(.*)')?`)
)

// syntaxError words a parser's error as MariaDB does (1064): the text from the
// place of the error on, and its line.
func syntaxError(err error, sql string) error {
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

// lockClause applies what the parser does not know of a lock clause at the end of a
// query: WAIT n, and NOWAIT or SKIP LOCKED after LOCK IN SHARE MODE.
func (st *statement) lockClause(sql string) {
	if !st.locking || st.kind != kindRead {
		return
	}
	sql = strings.TrimRight(sql, "; \n\t\r")
	if m := waitClause.FindStringSubmatch(sql); m != nil {
		st.waitSeconds, _ = strconv.Atoi(m[2]) // digits; the largest int for what is larger
	}
	if m := shareClause.FindStringSubmatch(sql); m != nil {
		for i := range st.tables {
			if st.tables[i].strength == readShared {
				st.tables[i].wait = waitNot
				if strings.EqualFold(m[1][:4], "skip") {
					st.tables[i].wait = waitSkip
				}
			}
		}
	}
}

var shareClause = regexp.MustCompile(`(?i)\block\s+in\s+share\s+mode\s+(nowait|skip\s+locked)\s*$`)
