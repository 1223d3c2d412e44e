package query

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
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
	if st = s.parsed.get(sql); st != nil {
		return st, "", nil
	}
	ast, first, rest, err := s.parseText(sql)
	if err != nil {
		return nil, "", err
	}
	st = classify(first, ast)
	st.params = countParams(first, s.sqlModeLex)
	st.waitSeconds = lockWaitClause(sql)
	if rest == "" {
		s.parsed.put(sql, st)
	}
	return st, rest, nil
}

// parseText runs the parser of go-mysql-server; what only MariaDB's grammar has
// is rewritten and tried again.
func (s *Session) parseText(sql string) (ast sqlparser.Statement, first, rest string, err error) {
	ast, first, rest, err = s.parseVitess(sql)
	if err == nil || errors.Is(err, sqlparser.ErrEmpty) {
		return ast, first, rest, err
	}
	one, after := splitAtSemicolon(sql, s.sqlModeLex)
	if ast, ok := s.parseDeleteReturning(one); ok {
		return ast, trimSQL(one, s.sqlModeLex), trimSQL(after, s.sqlModeLex), nil
	}
	if rewritten := rewriteMariaDB(one, s.sqlModeLex); rewritten != one {
		if ast, _, _, err2 := s.parseVitess(rewritten); err2 == nil {
			return ast, rewritten, trimSQL(after, s.sqlModeLex), nil
		}
	}
	return nil, "", "", syntaxError(err, sql)
}

func (s *Session) parseVitess(sql string) (ast sqlparser.Statement, first, rest string, err error) {
	opts := sqlparser.ParserOptions{AnsiQuotes: s.sqlModeLex.ansiQuotes, PipesAsConcat: s.pipesAsConcat()}
	ast, end, err := sqlparser.ParseOneWithOptions(context.Background(), sql, opts)
	if err != nil {
		return nil, "", "", err
	}
	tables.Normalize(ast)
	nameDefaultCollations(ast)
	useExactSums(ast)
	first = sql
	if end > 0 && end < len(sql) {
		first, rest = sql[:end], sql[end:]
	}
	return ast, trimSQL(first, s.sqlModeLex), trimSQL(rest, s.sqlModeLex), nil
}

func (s *Session) pipesAsConcat() bool {
	mode, _ := s.vars.Value(varSQLMode).(string)
	return strings.Contains(mode, "PIPES_AS_CONCAT")
}

// countParams counts the placeholders of a statement.
func countParams(sql string, mode lexMode) int {
	if strings.IndexByte(sql, '?') < 0 {
		return 0
	}
	n := 0
	s := scanner{sql: sql, mode: mode}
	for {
		t, ok := s.next()
		if !ok {
			return n
		}
		if t.kind == tokPunct && t.text == "?" {
			n++
		}
	}
}

var (
	positionText = regexp.MustCompile(`at position (\d+)(?: near '(.*)')?`)
	waitClause   = regexp.MustCompile(`(?i)\b(for\s+update|lock\s+in\s+share\s+mode)\s+wait\s+(\d+)\s*$`)
)

// syntaxError words a parser's error as MariaDB does (1064): the text from the
// place of the error on, and its line.
func syntaxError(err error, sql string) error {
	pos := len(sql)
	if m := positionText.FindStringSubmatch(err.Error()); m != nil {
		n := 0
		fmt.Sscan(m[1], &n)
		pos = min(max(n-1, 0), len(sql))
		// The parser reports the place after the offending token.
		word := m[2]
		if word != "" && pos >= len(word) {
			if at := strings.LastIndex(strings.ToLower(sql[:pos]), strings.ToLower(word)); at >= 0 {
				pos = at
			}
		}
	}
	line := 1 + strings.Count(sql[:pos], "\n")
	near := sql[pos:]
	if len(near) > 80 {
		near = near[:80]
	}
	return mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, near, line).WithCause(err)
}

// lockWaitClause returns the n of FOR UPDATE WAIT n, -1 if there is none.
func lockWaitClause(sql string) int {
	m := waitClause.FindStringSubmatch(strings.TrimRight(sql, "; \n\t\r"))
	if m == nil {
		return -1
	}
	n := 0
	fmt.Sscan(m[2], &n)
	return n
}

// rewriteMariaDB turns syntax that only MariaDB has into what the parser knows.
// It is tried on statements that do not parse.
func rewriteMariaDB(sql string, mode lexMode) string {
	out := waitClause.ReplaceAllString(strings.TrimRight(sql, "; \n\t\r"), "$1")
	toks := tokens(out, mode, 0)
	var b strings.Builder
	last := 0
	cut := func(from, to int, with string) {
		b.WriteString(out[last:from])
		b.WriteString(with)
		last = to
	}
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		at := func(n int, word string) bool { return i+n < len(toks) && toks[i+n].is(word) }
		switch {
		case t.is("IDENTIFIED") && at(1, "VIA"): // IDENTIFIED VIA plugin [USING|AS 'hash']
			cut(toks[i+1].start, toks[i+1].end, "WITH")
			i++
		case t.is("USING") && i >= 3 && toks[i-2].is("VIA") && i+1 < len(toks) && toks[i+1].kind == tokString:
			cut(t.start, t.end, "AS")
		case t.is("USING") && i >= 3 && toks[i-2].is("WITH") && toks[i-3].is("IDENTIFIED"):
			cut(t.start, t.end, "AS")
		case t.is("IDENTIFIED") && at(1, "BY") && at(2, "PASSWORD") && i+3 < len(toks): // a hash
			cut(toks[i+1].start, toks[i+2].end, "WITH mysql_native_password AS")
			i += 2
		case t.is("SHARE") && at(1, "MODE") && (at(2, "NOWAIT") || at(2, "SKIP")): // LOCK IN SHARE MODE NOWAIT
			j := i - 1
			for j > 0 && !toks[j].is("LOCK") {
				j--
			}
			cut(toks[j].start, toks[i+1].end, "FOR SHARE")
			i++
		case t.is("WAIT") && i+1 < len(toks) && isNumber(toks[i+1].text) && i > 0: // DDL ... WAIT n
			cut(t.start, toks[i+1].end, "")
			i++
		case t.is("NOWAIT") && len(toks) > 0 && (toks[0].is("ALTER") || toks[0].is("DROP") || toks[0].is("CREATE") || toks[0].is("TRUNCATE") || toks[0].is("RENAME")):
			cut(t.start, t.end, "")
		}
	}
	b.WriteString(out[last:])
	return b.String()
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
