package accounts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/privilege"
)

// ShowGrants prints what a user has (n with a host), or a role and the roles in it, as the rows of
// SHOW GRANTS. active is the role whose grants follow those of the user, "" for none.
func (s *Set) ShowGrants(n Name, active string) []string {
	var out []string
	if a := s.Find(n); a != nil && !a.Role {
		out = s.grantsOf(a)
	} else {
		active = n.User
	}
	for _, r := range s.ActiveRoles(active) {
		out = append(out, s.grantsOf(s.Find(Name{User: r}))...)
	}
	if a := s.Find(n); a != nil && !a.Role && a.DefaultRole != "" {
		out = append(out, "SET DEFAULT ROLE "+quote(a.DefaultRole)+" FOR "+quoteName(a.Name))
	}
	return out
}

// list is a set of privileges as GRANT lists it at a level: ALL PRIVILEGES, USAGE, or the names. GRANT OPTION is
// told at another place of the statement.
func list(p, level privilege.Set) string {
	p &^= privilege.Grant
	switch p {
	case 0:
		return "USAGE"
	case level &^ privilege.Grant:
		return "ALL PRIVILEGES"
	}
	return p.String()
}

// list is what GRANT lists on a table: of each privilege the one on the whole table before those on columns.
func (g *TableGrant) list() string {
	if len(g.Columns) == 0 || g.Privs|privilege.Grant == privilege.OnTable {
		return list(g.Privs, privilege.OnTable)
	}
	var out []string
	((g.Privs | g.OnColumns()) &^ privilege.Grant).Each(func(p privilege.Set) {
		if g.Privs.Has(p) {
			out = append(out, p.String())
		}
		var columns []string
		for _, c := range g.Columns {
			if c.Privs.Has(p) {
				columns = append(columns, quote(c.Column))
			}
		}
		if columns != nil {
			out = append(out, p.String()+" ("+strings.Join(columns, ", ")+")")
		}
	})
	return strings.Join(out, ", ")
}

// grantsOf are the statements that give one account what it has.
func (s *Set) grantsOf(a *Account) []string {
	var out []string
	to := " TO " + quoteName(a.Name)
	for _, g := range s.Roles {
		if g.Name == a.Name {
			out = append(out, "GRANT "+quote(g.Role)+to+option(g.Admin, "ADMIN"))
		}
	}
	global := "GRANT " + list(a.Global, privilege.All) + " ON *.*" + to
	if !a.Role {
		global += a.identified() + a.require()
	}
	if with := a.with(a.Global&privilege.Grant != 0); with != "" {
		global += " WITH" + with
	}
	out = append(out, global)
	for _, g := range s.dbGrants(a.Name) {
		out = append(out, "GRANT "+list(g.Privs, privilege.OnDatabase)+" ON "+quote(g.DB)+".*"+to+option(g.Privs&privilege.Grant != 0, "GRANT"))
	}
	for _, g := range s.Tables {
		if g.Name == a.Name {
			out = append(out, "GRANT "+g.list()+" ON "+quote(g.DB)+"."+quote(g.Table)+to+option(g.Privs&privilege.Grant != 0, "GRANT"))
		}
	}
	for _, function := range []bool{false, true} {
		for _, g := range s.Routines {
			if g.Name == a.Name && g.Function == function {
				kind := "PROCEDURE "
				if function {
					kind = "FUNCTION "
				}
				// MariaDB never writes ALL PRIVILEGES for a routine.
				out = append(out, "GRANT "+list(g.Privs, privilege.All)+" ON "+kind+quote(g.DB)+"."+quote(g.Routine)+to+option(g.Privs&privilege.Grant != 0, "GRANT"))
			}
		}
	}
	return out
}

func option(on bool, what string) string {
	if on {
		return " WITH " + what + " OPTION"
	}
	return ""
}

// ShowCreate is the statement of SHOW CREATE USER.
func (a *Account) ShowCreate() string {
	out := "CREATE USER " + quoteName(a.Name) + a.identified() + a.require()
	if with := a.with(false); with != "" {
		out += " WITH" + with
	}
	if a.Locked {
		out += " ACCOUNT LOCK"
	}
	switch {
	case a.Expired:
		out += " PASSWORD EXPIRE"
	case a.Lifetime == LifetimeNever:
		out += " PASSWORD EXPIRE NEVER"
	case a.Lifetime > 0:
		out += fmt.Sprintf(" PASSWORD EXPIRE INTERVAL %d DAY", a.Lifetime)
	}
	return out
}

// identified is the IDENTIFIED clause, with a space before it.
func (a *Account) identified() string {
	switch {
	case a.Plugin != "" && a.Plugin != NativePassword && a.Auth != "":
		return " IDENTIFIED VIA " + a.Plugin + " USING '" + escape(a.Auth) + "'"
	case a.Plugin != "" && a.Plugin != NativePassword:
		return " IDENTIFIED VIA " + a.Plugin
	case a.Auth != "":
		return " IDENTIFIED BY PASSWORD '" + escape(a.Auth) + "'"
	}
	return ""
}

// NativePassword is the plugin of accounts that say nothing else.
const NativePassword = "mysql_native_password"

// Values of Account.Require.
const (
	RequireSSL       = "SSL"       // any encrypted connection
	RequireX509      = "X509"      // with a certificate that the server's authorities signed
	RequireSpecified = "SPECIFIED" // with the cipher, issuer and subject that the account names
)

func (a *Account) require() string {
	switch a.Require {
	case RequireSSL, RequireX509:
		return " REQUIRE " + a.Require
	case RequireSpecified:
		out := " REQUIRE"
		for _, one := range [][2]string{{"ISSUER", a.Issuer}, {"SUBJECT", a.Subject}, {"CIPHER", a.Cipher}} {
			if one[1] != "" {
				out += " " + one[0] + " '" + escape(one[1]) + "'"
			}
		}
		return out
	}
	return ""
}

// with is what stands after WITH.
func (a *Account) with(grantOption bool) string {
	var b strings.Builder
	if grantOption {
		b.WriteString(" GRANT OPTION")
	}
	l := a.Limits
	for _, one := range []struct {
		name string
		n    uint64
	}{{"QUERIES_PER_HOUR", l.Queries}, {"UPDATES_PER_HOUR", l.Updates}, {"CONNECTIONS_PER_HOUR", l.Connections}} {
		if one.n != 0 {
			fmt.Fprintf(&b, " MAX_%s %d", one.name, one.n)
		}
	}
	if l.UserConnections != 0 {
		fmt.Fprintf(&b, " MAX_USER_CONNECTIONS %d", l.UserConnections)
	}
	if l.StatementTime != 0 {
		fmt.Fprintf(&b, " MAX_STATEMENT_TIME %.6f", l.StatementTime)
	}
	return b.String()
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteName(n Name) string {
	if n.IsRole() {
		return quote(n.User)
	}
	return quote(n.User) + "@" + quote(n.Host)
}

var escaper = strings.NewReplacer(`\`, `\\`, `'`, `''`)

func escape(s string) string { return escaper.Replace(s) }

// RolesOf are the rows of information_schema.APPLICABLE_ROLES: every role that a user can get at,
// with who has it.
func (s *Set) RolesOf(n Name) []RoleGrant {
	var out []RoleGrant
	seen := []Name{n}
	for i := 0; i < len(seen); i++ {
		for _, g := range s.Roles {
			if g.Name != seen[i] {
				continue
			}
			out = append(out, g)
			if role := (Name{User: g.Role}); !slices.Contains(seen, role) {
				seen = append(seen, role)
			}
		}
	}
	return out
}
