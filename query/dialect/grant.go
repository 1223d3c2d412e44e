package dialect

import (
	"strings"
)

// Privileges are the names of privileges that GRANT and REVOKE take. Package privilege says what they mean.
var Privileges = strings.Split("SELECT,INSERT,UPDATE,DELETE,CREATE,DROP,RELOAD,SHUTDOWN,PROCESS,FILE,GRANT OPTION,REFERENCES,INDEX,ALTER,"+
	"SHOW DATABASES,SUPER,CREATE TEMPORARY TABLES,LOCK TABLES,EXECUTE,REPLICATION SLAVE,REPLICATION REPLICA,BINLOG MONITOR,"+
	"REPLICATION CLIENT,CREATE VIEW,SHOW VIEW,CREATE ROUTINE,ALTER ROUTINE,CREATE USER,EVENT,TRIGGER,CREATE TABLESPACE,"+
	"DELETE HISTORY,SET USER,FEDERATED ADMIN,CONNECTION ADMIN,READ_ONLY ADMIN,READ ONLY ADMIN,REPLICATION SLAVE ADMIN,"+
	"REPLICATION REPLICA ADMIN,REPLICATION MASTER ADMIN,BINLOG ADMIN,BINLOG REPLAY,SLAVE MONITOR,REPLICA MONITOR,USAGE", ",")

// PrivilegeList are the privileges of a GRANT or REVOKE: all that there are at the level of its target, or those named.
type PrivilegeList struct {
	All       bool
	Names     []string // out of Privileges
	OnColumns []ColumnPrivilege
}

// ColumnPrivilege is a privilege, out of Privileges, on columns of a table.
type ColumnPrivilege struct {
	Name    string
	Columns []string
}

func (p *printer) privileges(l PrivilegeList) {
	if l.All {
		p.words("ALL PRIVILEGES")
		return
	}
	all := make([]ColumnPrivilege, 0, len(l.Names)+len(l.OnColumns))
	for _, name := range l.Names {
		all = append(all, ColumnPrivilege{Name: name})
	}
	list(p, append(all, l.OnColumns...), func(one ColumnPrivilege) {
		p.words(one.Name)
		for i, column := range one.Columns {
			opening := ","
			if i == 0 {
				opening = " ("
			}
			p.text.WriteString(opening + QuoteName(column))
		}
		if one.Columns != nil {
			p.text.WriteByte(')')
		}
	})
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
