package query

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

func noteWarning(number int, text string) *sql.Warning {
	return &sql.Warning{Level: "Note", Code: number, Message: text}
}

// mayShow checks that the session's user may see what another account has: its own account and its active
// role, or anything with SELECT on database mysql.
func (s *Session) mayShow(n accounts.Name) error {
	sub := accounts.Subject{Account: s.privs.account, Client: s.privs.client, Role: s.privs.role}
	if n == sub.Account {
		return nil
	}
	if n.IsRole() && n.User == sub.Role {
		return nil
	}
	return s.requireMySQL(privilege.Select)
}

// parseShowGrants is SHOW GRANTS [FOR user | role | CURRENT_USER | CURRENT_ROLE].
func (s *Session) parseShowGrants(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	who, active, own := named{Name: s.privs.account}, s.privs.role, true
	if c.Accept("FOR") {
		if c.Peek().Is("CURRENT_ROLE") && s.privs.role == "" {
			return failRun(mysqlerr.New(mysqlerr.NonexistingGrant, s.privs.account.User, s.privs.account.Host))
		}
		var err error
		if who, err = c.account(); err != nil {
			return failRun(err)
		}
		own = false
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return rowsRun(func(context.Context) (*adminRows, error) {
		set := s.engine.accountSet()
		n := who.resolve(set)
		if err := s.mayShow(n); err != nil {
			return nil, err
		}
		if set.Find(n) == nil {
			return nil, mysqlerr.New(mysqlerr.NonexistingGrant, n.User, n.Host)
		}
		if !own {
			active = ""
		}
		title := "Grants for " + n.User
		if !n.IsRole() {
			title += "@" + n.Host
		}
		out := &adminRows{names: []string{title}}
		for _, line := range set.ShowGrants(n, active) {
			out.rows = append(out.rows, []any{line})
		}
		return out, nil
	})
}

// parseShowCreateUser is SHOW CREATE USER [user].
func (s *Session) parseShowCreateUser(cur *dialect.Parser) adminRun {
	c := s.accountParser(cur)
	who := named{Name: s.privs.account}
	if !c.End() {
		var err error
		if who, err = c.account(); err != nil {
			return failRun(err)
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return rowsRun(func(context.Context) (*adminRows, error) {
		set := s.engine.accountSet()
		n := who.user()
		if err := s.mayShow(n); err != nil {
			return nil, err
		}
		a := set.Find(n)
		if a == nil {
			return nil, mysqlerr.New(mysqlerr.PasswordNoMatch)
		}
		return &adminRows{names: []string{"CREATE USER for " + a.User + "@" + a.Host}, rows: [][]any{{a.ShowCreate()}}}, nil
	})
}

// checkAccountStatement refuses what only the session's own parsers may run: statements about
// accounts inside of procedures, and changes of the tables of database mysql.
func (s *Session) checkAccountStatement(st *statement) error {
	switch st.ast.(type) {
	case *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole,
		*sqlparser.GrantPrivilege, *sqlparser.GrantRole, *sqlparser.GrantProxy, *sqlparser.RevokePrivilege, *sqlparser.RevokeRole,
		*sqlparser.RevokeProxy, *sqlparser.ShowGrants:
		return mysqlerr.New(mysqlerr.NotSupportedYet, "statements about accounts in this place")
	}
	if st.kind != kindWrite && st.kind != kindDDL {
		return nil
	}
	for _, t := range st.tables {
		db, name := servedTable(s.dbOf(t), t.name)
		if t.strength != readExclusive || !isSystemDatabase(db) {
			continue
		}
		if st.kind == kindDDL || systemTable(db, name) != nil {
			return errSystemTable
		}
	}
	return nil
}

func isSystemDatabase(name string) bool { return strings.EqualFold(name, "mysql") }
