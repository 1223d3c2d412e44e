package account

import (
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Views, procedures, triggers and events have a definer. It is written into the statement that makes them,
// as MariaDB does: into what is stored, and into the log.

// headTokens are so many that the head of a CREATE, up to what it makes, is among them.
const headTokens = 24

// createHead stands after CREATE [OR REPLACE] [ALGORITHM = x], nil if the text is no CREATE.
func createHead(text string, mode dialect.Mode) *dialect.Parser {
	if first := dialect.Tokens(text, mode, 1); len(first) == 0 || !first[0].Is("CREATE") {
		return nil
	}
	p := &dialect.Parser{Tokens: dialect.Tokens(text, mode, headTokens), SQL: text}
	p.Accept("CREATE")
	p.Accept("OR", "REPLACE")
	if p.Accept("ALGORITHM", "=") {
		p.Next()
	}
	return p
}

// NameDefiner adds the DEFINER clause to a CREATE VIEW, PROCEDURE, TRIGGER or EVENT that has none, and
// writes out DEFINER = CURRENT_USER. Other statements stay as they are.
func NameDefiner(text string, mode dialect.Mode, own accounts.Name) string {
	p := createHead(text, mode)
	if p == nil {
		return text
	}
	clause := "DEFINER=" + dialect.QuoteName(own.User) + "@" + dialect.QuoteName(own.Host)
	at := p.Peek()
	if p.Accept("DEFINER", "=") {
		if !p.Peek().Is("CURRENT_USER") {
			return text
		}
		end := p.Next().End
		if p.Accept("(", ")") {
			end = p.Tokens[p.Pos-1].End
		}
		return text[:at.Start] + clause + text[end:]
	}
	if p.Accept("SQL", "SECURITY") {
		p.Next()
	}
	if !p.AcceptAny("VIEW", "PROCEDURE", "TRIGGER", "EVENT") {
		return text
	}
	return text[:at.Start] + clause + " " + text[at.Start:]
}

// Named reads an account as it stands in a DEFINER clause.
func Named(text string) accounts.Name {
	user, host := dialect.NewParser(text, dialect.Mode{}).Account()
	return accounts.Name{User: user, Host: strings.ToLower(host)}
}

// CheckDefiner checks the definer of what a statement is about to make: another than oneself needs
// SET USER, and one that does not exist is worth the note that it returns.
func CheckDefiner(set *accounts.Set, sub accounts.Subject, definer string) (note *mysqlerr.Error, err error) {
	n := Named(definer)
	if n == sub.Account {
		return nil, nil
	}
	if set.Global(sub)&(privilege.SetUser|privilege.Super) == 0 {
		return nil, mysqlerr.New(mysqlerr.SpecificAccessDenied, "SUPER, SET USER")
	}
	if set.Find(n) == nil {
		return mysqlerr.New(mysqlerr.NoSuchUser, n.User, n.Host), nil
	}
	return nil, nil
}

// DefinerSubject finds the subject of a body that runs with its definer's privileges: error 1449 if there
// is no such account. The host of a definer that earlier servers wrote is that of the client.
func DefinerSubject(set *accounts.Set, definer string) (accounts.Subject, error) {
	n := Named(definer)
	if set.Find(n) == nil {
		a := set.Login(n.User, accounts.ClientOf(n.Host))
		if a == nil || a.User != n.User {
			return accounts.Subject{}, mysqlerr.New(mysqlerr.NoSuchUser, n.User, n.Host)
		}
		n = a.Name
	}
	return accounts.Definer(n), nil
}

// ViewSubject is whose privileges count in a view, by its definition: its definer's, or those of who asks with SQL SECURITY INVOKER.
// A definer that is no account is nobody: 1449 where it is checked, and no privileges.
func ViewSubject(set *accounts.Set, create string, asks accounts.Subject) accounts.Subject {
	p := createHead(create, dialect.Mode{})
	if p == nil || !p.Accept("DEFINER", "=") {
		return asks
	}
	from := p.Peek().Start
	p.Account()
	definer, err := DefinerSubject(set, create[from:p.Tokens[min(p.Pos, len(p.Tokens))-1].End])
	if p.Accept("SQL", "SECURITY", "INVOKER") {
		return asks
	}
	if err != nil {
		return accounts.Subject{}
	}
	return definer
}
