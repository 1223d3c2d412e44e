package dialect

// Scope is whose values a SET changes.
type Scope string

// The scopes.
const (
	NextTransaction Scope = "" // of SET TRANSACTION
	SessionScope    Scope = "SESSION"
	GlobalScope     Scope = "GLOBAL"
)

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

// SetStatement is SET STATEMENT ... FOR: variables for the time of one statement.
type SetStatement struct {
	Variables   []string // names, in small letters
	Assignments string   // as in SET
	Statement   string
}

func (s SetStatement) String() string { return "SET STATEMENT " + s.Assignments + "FOR " + s.Statement }
