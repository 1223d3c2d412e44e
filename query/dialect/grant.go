package dialect

import (
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Privileges are the names of privileges that GRANT and REVOKE take. Package privilege says what they mean.
var Privileges = strings.Split("SELECT,INSERT,UPDATE,DELETE,CREATE,DROP,RELOAD,SHUTDOWN,PROCESS,FILE,GRANT OPTION,REFERENCES,INDEX,ALTER,"+
	"SHOW DATABASES,SUPER,CREATE TEMPORARY TABLES,LOCK TABLES,EXECUTE,REPLICATION SLAVE,REPLICATION REPLICA,BINLOG MONITOR,"+
	"REPLICATION CLIENT,CREATE VIEW,SHOW VIEW,CREATE ROUTINE,ALTER ROUTINE,CREATE USER,EVENT,TRIGGER,CREATE TABLESPACE,"+
	"DELETE HISTORY,SET USER,FEDERATED ADMIN,CONNECTION ADMIN,READ_ONLY ADMIN,READ ONLY ADMIN,REPLICATION SLAVE ADMIN,"+
	"REPLICATION REPLICA ADMIN,REPLICATION MASTER ADMIN,BINLOG ADMIN,BINLOG REPLAY,SLAVE MONITOR,REPLICA MONITOR,USAGE", ",")

// privilegeWords are the names as words; those that begin others come after them.
var privilegeWords = func() [][]string {
	var byLength [5][][]string
	for _, name := range Privileges {
		words := strings.Fields(name)
		byLength[len(words)] = append(byLength[len(words)], words)
	}
	var out [][]string
	for n := len(byLength) - 1; n > 0; n-- {
		out = append(out, byLength[n]...)
	}
	return out
}()

// PrivilegeList are the privileges of a GRANT or REVOKE: all that there are at the level of its target, or those named.
type PrivilegeList struct {
	All   bool
	Names []string // out of Privileges
}

func (p *printer) privileges(l PrivilegeList) {
	if l.All {
		p.words("ALL PRIVILEGES")
		return
	}
	list(p, l.Names, func(name string) { p.words(name) })
}

// privilege takes the name of a privilege, "" if none stands there.
func (p accountParser) privilege() string {
	for _, words := range privilegeWords {
		if p.Accept(words...) {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// privileges takes a list of privileges and stands at ON, or takes nothing where the list is one of roles.
func (p accountParser) privileges() (l PrivilegeList, ok bool, err error) {
	start, first := p.Pos, p.Peek()
	// A role may have the name of a privilege, in quotes or where that is not reserved.
	roles := func() (PrivilegeList, bool, error) {
		if first.Kind == Word && IsReserved(first.Text) {
			return PrivilegeList{}, false, p.Syntax()
		}
		p.Pos = start
		return PrivilegeList{}, false, nil
	}
	if p.Accept("ALL") {
		p.Accept("PRIVILEGES")
		if p.Peek().Is("(") {
			return l, false, columnPrivileges()
		}
		if !p.Peek().Is("ON") {
			return l, false, p.Syntax()
		}
		return PrivilegeList{All: true}, true, nil
	}
	for {
		if p.Accept("PROXY") {
			return l, false, mysqlerr.New(mysqlerr.NotSupportedYet, "PROXY")
		}
		name := p.privilege()
		if name == "" {
			return roles()
		}
		l.Names = append(l.Names, name)
		if p.Peek().Is("(") {
			return l, false, columnPrivileges()
		}
		if p.Accept(",") {
			continue
		}
		if !p.Peek().Is("ON") {
			return roles()
		}
		return l, true, nil
	}
}

func columnPrivileges() error {
	return mysqlerr.New(mysqlerr.NotSupportedYet, "privileges on columns (grant them on a view of these columns)")
}

// TargetKind is what a privilege is granted on.
type TargetKind byte

// What privileges are granted on.
const (
	OnEverything TargetKind = iota // *.*
	OnDatabase                     // db.*, or * for the current database
	OnTable                        // [db.]name
	OnFunction
	OnProcedure
)

// Target is what stands after ON.
type Target struct {
	Kind TargetKind
	DB   string // "" for the current database; a pattern with OnDatabase
	Name string
}

func (p *printer) target(t Target) {
	p.words("ON")
	switch t.Kind {
	case OnEverything:
		p.words("*.*")
		return
	case OnFunction:
		p.words("FUNCTION")
	case OnProcedure:
		p.words("PROCEDURE")
	}
	name := "*"
	if t.Kind != OnDatabase {
		name = QuoteName(t.Name)
	}
	if t.DB != "" {
		name = QuoteName(t.DB) + "." + name
	}
	p.words(name)
}

// target takes ON [TABLE | FUNCTION | PROCEDURE] target.
func (p accountParser) target() (t Target, err error) {
	if !p.Accept("ON") {
		return t, p.Syntax()
	}
	kind := OnTable
	after := p.peekAt(1)
	qualified := after.Is(".") // before a point, every word is a name
	name := qualified || after.Is("TO") || after.Is("FROM")
	switch {
	case !qualified && p.Accept("TABLE"):
	case !qualified && p.Accept("PROCEDURE"):
		kind = OnProcedure
	case !name && p.Accept("FUNCTION"):
		kind = OnFunction
	case !name && p.Peek().Is("PACKAGE"):
		return t, mysqlerr.New(mysqlerr.NotSupportedYet, "PACKAGE")
	}
	switch {
	case kind == OnTable && p.Accept("*", ".", "*"):
		return Target{Kind: OnEverything}, nil
	case kind == OnTable && p.Accept("*"):
		return Target{Kind: OnDatabase}, nil
	}
	if t := p.Peek(); t.Kind == Word && IsReserved(t.Text) && !p.peekAt(1).Is(".") {
		return Target{}, p.Syntax()
	}
	first, err := p.identifier()
	if err != nil {
		return t, err
	}
	if !p.Accept(".") {
		return Target{Kind: kind, Name: first}, nil
	}
	if kind == OnTable && p.Accept("*") {
		return Target{Kind: OnDatabase, DB: first}, nil
	}
	second, err := p.identifier()
	return Target{Kind: kind, DB: first, Name: second}, err
}

// peekAt is the token n places after the next.
func (p accountParser) peekAt(n int) Token {
	if p.Pos+n < len(p.Tokens) {
		return p.Tokens[p.Pos+n]
	}
	return Token{}
}

// identifier takes a name that is not empty.
func (p accountParser) identifier() (string, error) {
	t := p.Peek()
	if !t.IsName() || t.Text == "" {
		return "", p.Syntax()
	}
	p.Next()
	return t.Text, nil
}

// Grant is GRANT privileges ON target TO user [IDENTIFIED ...], ... [REQUIRE ...] [WITH ...].
type Grant struct {
	Privileges PrivilegeList
	On         Target
	To         []User
	Require    Require
	Limits     Limits
	Option     bool // WITH GRANT OPTION
}

func (s Grant) String() string { return textOf(s) }

func (s Grant) print(p *printer) {
	p.words("GRANT")
	p.privileges(s.Privileges)
	p.target(s.On)
	p.words("TO")
	p.users(s.To)
	p.require(s.Require)
	if s.Option || s.Limits != (Limits{}) {
		p.words("WITH")
		p.wordsIf(s.Option, "GRANT OPTION")
		p.limits(s.Limits)
	}
}

// Hashed is the statement without passwords in clear text.
func (s Grant) Hashed(hash Hash) (Grant, error) {
	users, err := hashedUsers(s.To, hash)
	s.To = users
	return s, err
}

// parseGrant is a GRANT of privileges or of roles.
func parseGrant(p accountParser) (Statement, error) {
	var s Grant
	var ok bool
	var err error
	if s.Privileges, ok, err = p.privileges(); err != nil {
		return nil, err
	} else if !ok {
		return parseGrantRole(p)
	}
	if s.On, err = p.target(); err != nil {
		return nil, err
	}
	if !p.Accept("TO") {
		return nil, p.Syntax()
	}
	if s.To, err = p.users(); err != nil {
		return nil, err
	}
	if s.Require, err = p.require(); err != nil {
		return nil, err
	}
	if p.Accept("WITH") {
		if !p.atLimit() && !p.Peek().Is("GRANT") {
			return nil, p.Syntax()
		}
		for {
			if p.Accept("GRANT", "OPTION") {
				s.Option = true
				continue
			}
			if !p.atLimit() {
				break
			}
			if err := p.limit(&s.Limits); err != nil {
				return nil, err
			}
		}
	}
	return s, p.Done()
}

// Revoke is REVOKE privileges ON target FROM account, ...
type Revoke struct {
	Privileges PrivilegeList
	On         Target
	From       []Account
}

func (s Revoke) String() string { return textOf(s) }

func (s Revoke) print(p *printer) {
	p.words("REVOKE")
	p.privileges(s.Privileges)
	p.target(s.On)
	p.words("FROM")
	p.accounts(s.From)
}

// RevokeEverything is REVOKE ALL PRIVILEGES, GRANT OPTION FROM account, ...: the roles go, too.
type RevokeEverything struct{ From []Account }

func (s RevokeEverything) String() string { return textOf(s) }

func (s RevokeEverything) print(p *printer) {
	p.words("REVOKE ALL PRIVILEGES, GRANT OPTION FROM")
	p.accounts(s.From)
}

// parseRevoke is a REVOKE of privileges or of roles.
func parseRevoke(p accountParser) (Statement, error) {
	if p.Accept("ADMIN", "OPTION", "FOR") {
		return parseRevokeRole(p, true)
	}
	if p.Accept("ALL", "PRIVILEGES", ",", "GRANT", "OPTION", "FROM") || p.Accept("ALL", ",", "GRANT", "OPTION", "FROM") {
		from, err := p.accounts()
		if err != nil {
			return nil, err
		}
		return RevokeEverything{From: from}, p.Done()
	}
	var s Revoke
	var ok bool
	var err error
	if s.Privileges, ok, err = p.privileges(); err != nil {
		return nil, err
	} else if !ok {
		return parseRevokeRole(p, false)
	}
	if s.On, err = p.target(); err != nil {
		return nil, err
	}
	if !p.Accept("FROM") {
		return nil, p.Syntax()
	}
	if s.From, err = p.accounts(); err != nil {
		return nil, err
	}
	return s, p.Done()
}

// ShowGrants is SHOW GRANTS [FOR account].
type ShowGrants struct{ For Account }

func (s ShowGrants) String() string { return textOf(s) }

func (s ShowGrants) print(p *printer) {
	p.words("SHOW GRANTS")
	if s.For.Form != NoAccount {
		p.words("FOR")
		p.account(s.For)
	}
}

func parseShowGrants(p accountParser) (Statement, error) {
	a, err := p.after("FOR")
	if err != nil {
		return nil, err
	}
	return ShowGrants{For: a}, p.Done()
}
