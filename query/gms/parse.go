package gms

import (
	"strings"

	"github.com/duramendb/duramen/query/clienttext"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/placeholder"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/types/charset"
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
	recent, old map[string]*syntax.Statement
	triggers    map[string]sqlparser.Statement
}

func (c *parseCache) get(text string) *syntax.Statement {
	if st := c.recent[text]; st != nil {
		return st
	}
	st := c.old[text]
	if st != nil {
		c.put(text, st)
	}
	return st
}

func (c *parseCache) put(text string, st *syntax.Statement) {
	if len(text) > cachedStatementBytes || st.Kind == statement.Definition || st.Kind == statement.Call {
		return
	}
	if c.recent == nil || len(c.recent) >= cachedStatementsMax/2 {
		c.old, c.recent = c.recent, make(map[string]*syntax.Statement, cachedStatementsMax/2)
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
func (s *Session) parseOne(text *source.Text) (st *syntax.Statement, rest string, err error) {
	sql := text.SQL
	inMySQL := strings.EqualFold(s.DB(), "mysql") // see serveSystemTables
	if st = s.parsed.get(sql); st != nil && !inMySQL {
		return st, "", nil
	}
	st, rest, err = s.classify(text, TreeBytes(sql))
	if err != nil {
		return nil, "", err
	}
	if placeholder.Of(st.Text, s.LexMode).Count > 0 { // only PREPARE takes them
		return nil, "", dialect.SyntaxError(sql, placeholder.Of(sql, s.LexMode).First)
	}
	if rest == "" && !inMySQL {
		s.parsed.put(sql, st)
	}
	return st, rest, nil
}

// classify parses the first statement of a text. bytes is what the other parser's tree is estimated to take, and counts until the text is dropped.
func (s *Session) classify(text *source.Text, bytes int64) (st *syntax.Statement, rest string, err error) {
	if err := checkClient(s, text.SQL); err != nil {
		return nil, "", err
	}
	st, err = syntax.Classify(text)
	if err != nil {
		return nil, "", err
	}
	if err := parse.CheckForeignMode(text, s.Vars.Str("sql_mode")); err != nil {
		return nil, "", err
	}
	if len(text.SQL) >= largeTextBytes {
		text.Drop() // before the other parser makes a tree that is larger
		err := text.Hold(bytes)
		if err == nil && st.Kind == statement.Definition { // whose tokens are looked at
			err = text.HoldTokens()
		}
		if err != nil {
			return nil, "", err
		}
	}
	ast, first, rest, err := s.reader().Text(text)
	if err != nil {
		return nil, "", err
	}
	if set, ok := ast.(*sqlparser.Set); ok {
		if err := globalDefaults(s.Server.Globals, set); err != nil {
			return nil, "", err
		}
	}
	return st.With(first, ast), rest, nil
}

// checkClient refuses texts of clients that have no UTF-8 whose literals are not told by their characters.
func checkClient(s *Session, text string) error {
	set, ok := charset.SetByName(s.Vars.Str("character_set_client"))
	if !ok || !clienttext.Foreign(set) || set.IsASCII([]byte(text)) || clienttext.Plain(text, s.LexMode) {
		return nil
	}
	return mysqlerr.NotYet("this statement with characters of " + set.Name())
}

// textOf is a text that is read as the session's variables say, which is to be dropped.
func (s *Session) textOf(sql string) *source.Text {
	return source.New(sql, s.LexMode, session.TreeMemory(&s.Session))
}

// innerText is a text of the server's own, or of a definition, that a statement needs to be read. It was read before.
func innerText(s *Session, sql string) *source.Text { return source.New(sql, s.LexMode, nil) }

// reader reads texts as the session's variables say.
func (s *Session) reader() *parse.Reader {
	return &parse.Reader{
		DB: s.DB(), System: serveSystemTables,
		Definer: func(sql string) string {
			return account.NameDefiner(sql, s.LexMode, s.Authority.Subject().Account)
		},
		Fault: func(f *fault.Fault) { s.engine.contained(s.Info.ID, f) },
	}
}

// parseText parses the first statement of a text; first is its own text, rest what follows.
func (s *Session) parseText(sql string) (ast sqlparser.Statement, first, rest string, err error) {
	return s.reader().Text(innerText(s, sql))
}

// parseUnder parses what was written under another sql_mode: the statement of a trigger.
func (s *Session) parseUnder(sqlMode, text string) (sqlparser.Statement, error) {
	own := s.LexMode
	defer func() { s.LexMode = own }()
	s.LexMode = dialect.ModeOf(sqlMode)
	ast, _, _, err := s.parseText(text)
	return ast, err
}
