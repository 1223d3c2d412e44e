package dialect

import "strings"

// Scope is whose values a SET changes.
type Scope string

// The scopes.
const (
	NextTransaction Scope = "" // of SET TRANSACTION
	SessionScope    Scope = "SESSION"
	GlobalScope     Scope = "GLOBAL"
)

// parseSet finds the forms of SET that are not lists of variables.
func parseSet(p *Parser) (Statement, error) {
	switch {
	case p.Accept("STATEMENT"):
		return parseSetStatement(p)
	case p.Accept("TRANSACTION"):
		return parseSetTransaction(p, NextTransaction)
	case p.Accept("GLOBAL", "TRANSACTION"):
		return parseSetTransaction(p, GlobalScope)
	case p.Accept("SESSION", "TRANSACTION"), p.Accept("LOCAL", "TRANSACTION"):
		return parseSetTransaction(p, SessionScope)
	case p.Accept("NAMES"):
		return parseSetNames(p)
	case p.Accept("CHARACTER", "SET"), p.Accept("CHARSET"):
		return parseSetCharacterSet(p)
	}
	return nil, nil
}

// SetNames is SET NAMES.
type SetNames struct {
	Charset   Charset
	Collation string // "" for the character set's own
}

// Charset is the name of a character set; Default says that DEFAULT stands in its place.
type Charset struct {
	Name    string
	Default bool
}

func (c Charset) text() string {
	if c.Default {
		return "DEFAULT"
	}
	return QuoteString(c.Name)
}

func (s SetNames) String() string {
	collation := ""
	if s.Collation != "" {
		collation = "COLLATE " + QuoteString(s.Collation)
	}
	return words("SET NAMES", s.Charset.text(), collation)
}

// SetCharacterSet is SET CHARACTER SET.
type SetCharacterSet struct{ Charset Charset }

func (s SetCharacterSet) String() string { return "SET CHARACTER SET " + s.Charset.text() }

func (p *Parser) charset() (Charset, error) {
	t := p.Peek()
	if t.Kind == NoToken || t.Kind == Punct {
		return Charset{}, p.Syntax()
	}
	p.Pos++
	if t.Is("DEFAULT") {
		return Charset{Default: true}, nil
	}
	return Charset{Name: t.Text}, nil
}

// parseSetNames is SET NAMES charset [COLLATE collation]. What assigns variables, too, is not ours.
func parseSetNames(p *Parser) (Statement, error) {
	charset, err := p.charset()
	if err != nil {
		return nil, err
	}
	s := SetNames{Charset: charset}
	if p.Accept("COLLATE") {
		collation, err := p.charset()
		if err != nil {
			return nil, err
		}
		s.Collation = collation.Name
	}
	if p.Peek().Is(",") {
		return nil, nil
	}
	return s, p.Done()
}

// parseSetCharacterSet is SET CHARACTER SET charset. What assigns variables, too, is not ours.
func parseSetCharacterSet(p *Parser) (Statement, error) {
	charset, err := p.charset()
	if err != nil {
		return nil, err
	}
	if p.Peek().Is(",") {
		return nil, nil
	}
	return SetCharacterSet{charset}, p.Done()
}

// SetTransaction is SET TRANSACTION.
type SetTransaction struct {
	Scope     Scope
	Isolation Isolation
	Access    Access
}

func (s SetTransaction) String() string {
	level := ""
	if s.Isolation != "" {
		level = "ISOLATION LEVEL " + string(s.Isolation)
		if s.Access != "" {
			level += ","
		}
	}
	return words("SET", string(s.Scope), "TRANSACTION", level, string(s.Access))
}

// parseSetTransaction is SET [scope] TRANSACTION {ISOLATION LEVEL level | READ ONLY | READ WRITE}, ..., each at most once.
func parseSetTransaction(p *Parser, scope Scope) (Statement, error) {
	s := SetTransaction{Scope: scope}
	for {
		switch {
		case s.Isolation == "" && p.Accept("ISOLATION", "LEVEL"):
			s.Isolation = p.isolation()
			if s.Isolation == "" {
				return nil, p.Syntax()
			}
		case s.Access == "":
			if s.Access = p.access(); s.Access == "" {
				return nil, p.Syntax()
			}
		default:
			return nil, p.Syntax()
		}
		if !p.Accept(",") {
			return s, p.Done()
		}
	}
}

// SetStatement is SET STATEMENT ... FOR: variables for the time of one statement.
type SetStatement struct {
	Variables   []string // names, in small letters
	Assignments string   // as in SET
	Statement   string
}

func (s SetStatement) String() string { return "SET STATEMENT " + s.Assignments + "FOR " + s.Statement }

// parseSetStatement is SET STATEMENT variable = value, ... FOR statement.
func parseSetStatement(p *Parser) (Statement, error) {
	var s SetStatement
	first, depth := p.Pos, 0
	if p.Peek().Is("FOR") {
		return nil, p.Syntax()
	}
	for ; !p.End(); p.Pos++ {
		t := p.Peek()
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Is("=") && p.Pos > first:
			name := p.Tokens[p.Pos-1]
			if name.Is(":") && p.Pos > first+1 {
				name = p.Tokens[p.Pos-2]
			}
			if name.IsName() {
				s.Variables = append(s.Variables, strings.ToLower(name.Text))
			}
		case depth == 0 && t.Is("FOR"):
			p.Pos++
			var err error
			s.Assignments = p.SQL[p.Tokens[first].Start:t.Start]
			s.Statement, err = p.remainder()
			return s, err
		}
	}
	return nil, p.Syntax()
}
