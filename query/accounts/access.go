package accounts

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/duramendb/duramen/query/privilege"
)

// Subject is whose privileges are asked for: an account, as a client from somewhere has it, with the
// role that it has active.
type Subject struct {
	Account Name
	Client  Client
	Role    string // "" for none
	// System is the server itself, which may do everything; Account is then for whom.
	System bool
}

// Definer is the subject of a body that runs with its definer's privileges.
func Definer(n Name) Subject {
	if n.IsRole() {
		return Subject{Account: Name{Host: "\x00"}, Role: n.User}
	}
	return Subject{Account: n, Client: Client{Name: n.Host, IP: n.Host}}
}

// ActiveRoles are a role and all roles that it was given, directly or through others.
func (s *Set) ActiveRoles(role string) []string {
	if role == "" || s.Find(Name{User: role}) == nil {
		return nil
	}
	out := []string{role}
	for i := 0; i < len(out); i++ {
		for _, g := range s.Roles {
			if g.IsRole() && g.User == out[i] && !slices.Contains(out, g.Role) {
				out = append(out, g.Role)
			}
		}
	}
	return out
}

// HasRole reports whether a user or role was given a role itself.
func (s *Set) HasRole(n Name, role string) bool { return s.roleGrant(n, role) != nil }

// RoleAdmin reports whether a user may grant a role, itself or by its active role.
func (s *Set) RoleAdmin(sub Subject, role string) bool {
	if sub.System {
		return true
	}
	if g := s.roleGrant(sub.Account, role); g != nil && g.Admin {
		return true
	}
	for _, r := range s.ActiveRoles(sub.Role) {
		if g := s.roleGrant(Name{User: r}, role); g != nil && g.Admin {
			return true
		}
	}
	return false
}

func (s *Set) roleGrant(n Name, role string) *RoleGrant {
	for i := range s.Roles {
		if s.Roles[i].Name == n && s.Roles[i].Role == role {
			return &s.Roles[i]
		}
	}
	return nil
}

// Global are the privileges on *.*.
func (s *Set) Global(sub Subject) privilege.Set {
	if sub.System {
		return privilege.All
	}
	var p privilege.Set
	if a := s.Find(sub.Account); a != nil && !a.Role {
		p = a.Global
	}
	for _, r := range s.ActiveRoles(sub.Role) {
		p |= s.Find(Name{User: r}).Global
	}
	return p
}

// DB are the privileges that were granted on a database, without those on *.*. Of the grants that
// fit, only the most specific counts: by host, then by database; one to the anonymous user counts
// where none to the user fits.
func (s *Set) DB(sub Subject, db string) privilege.Set {
	p, ok := s.dbGrant(sub.Account.User, &sub.Client, db)
	if !ok {
		p, _ = s.dbGrant("", &sub.Client, db)
	}
	for _, r := range s.ActiveRoles(sub.Role) {
		of, _ := s.dbGrant(r, nil, db)
		p |= of
	}
	return p
}

// dbGrant finds the grant on a database that counts for a user, or for a role (without client).
func (s *Set) dbGrant(user string, c *Client, db string) (privilege.Set, bool) {
	best, found := DBGrant{}, false
	for _, g := range s.DBs {
		if g.User != user || g.IsRole() != (c == nil) || c != nil && !matchHost(g.Host, *c) || !matchDB(g.DB, db) {
			continue
		}
		if !found || firstDB(g, best) {
			best, found = g, true
		}
	}
	return best.Privs, found
}

// matchDB reports whether the pattern of a grant fits a database.
func matchDB(pattern, db string) bool {
	return wild(pattern, db) || isPattern(pattern) && pattern == db
}

// firstDB orders the grants on databases of one user.
func firstDB(a, b DBGrant) bool {
	if c := cmp.Or(hostSpecificity(a.Host).compare(hostSpecificity(b.Host)), specificityOf(a.DB).compare(specificityOf(b.DB))); c != 0 {
		return c > 0
	}
	return a.DB > b.DB
}

// dbGrants are an account's grants on databases, in MariaDB's order.
func (s *Set) dbGrants(n Name) []DBGrant {
	var out []DBGrant
	for _, g := range s.DBs {
		if g.Name == n {
			out = append(out, g)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return firstDB(out[i], out[j]) })
	return out
}

// fits reports whether a grant counts for a subject.
func (s *Set) fits(n Name, sub Subject, roles []string) bool {
	if n.IsRole() {
		return slices.Contains(roles, n.User)
	}
	return n.User == sub.Account.User && matchHost(n.Host, sub.Client)
}

// TableGrants are the grants on tables and views that count for a subject, those on one table
// joined. Of a user's own grants on a table, that of the most specific host counts.
func (s *Set) TableGrants(sub Subject) []TableGrant {
	roles := s.ActiveRoles(sub.Role)
	var out []TableGrant
	for _, g := range s.Tables {
		if !s.fits(g.Name, sub, roles) || !g.IsRole() && s.hiddenTable(g, sub) {
			continue
		}
		i := slices.IndexFunc(out, func(o TableGrant) bool { return o.DB == g.DB && o.Table == g.Table })
		if i < 0 {
			g.Columns = slices.Clone(g.Columns)
			out = append(out, g)
			continue
		}
		out[i].Privs |= g.Privs
		for _, c := range g.Columns {
			out[i].grantColumn(c)
		}
	}
	return out
}

// hiddenTable reports whether another grant of the same user on the table has a more specific host.
func (s *Set) hiddenTable(g TableGrant, sub Subject) bool {
	return slices.ContainsFunc(s.Tables, func(o TableGrant) bool {
		return !o.IsRole() && o.User == g.User && o.DB == g.DB && o.Table == g.Table &&
			matchHost(o.Host, sub.Client) && hostSpecificity(o.Host).compare(hostSpecificity(g.Host)) > 0
	})
}

// Table are the privileges that were granted on one table, without those on its database.
func (s *Set) Table(sub Subject, db, table string) privilege.Set {
	for _, g := range s.TableGrants(sub) {
		if g.DB == db && g.Table == table {
			return g.Privs
		}
	}
	return 0
}

// Column are the privileges that were granted on one column of a table, without those on the table.
func (s *Set) Column(sub Subject, db, table, column string) privilege.Set {
	for _, g := range s.TableGrants(sub) {
		if g.DB != db || g.Table != table {
			continue
		}
		if c := g.column(column); c != nil {
			return c.Privs
		}
	}
	return 0
}

// RoutineGrants are the grants on routines that count for a subject.
func (s *Set) RoutineGrants(sub Subject) []RoutineGrant {
	roles := s.ActiveRoles(sub.Role)
	var out []RoutineGrant
	for _, g := range s.Routines {
		if s.fits(g.Name, sub, roles) {
			out = append(out, g)
		}
	}
	return out
}

// Routine are the privileges that were granted on one routine, without those on its database.
func (s *Set) Routine(sub Subject, db, routine string, function bool) privilege.Set {
	var p privilege.Set
	for _, g := range s.RoutineGrants(sub) {
		if g.Function == function && g.DB == db && strings.EqualFold(g.Routine, routine) {
			p |= g.Privs
		}
	}
	return p
}

// May reports whether a subject has privileges on a table, from any level.
func (s *Set) May(sub Subject, db, table string, want privilege.Set) bool {
	have := s.Global(sub)
	if have.Has(want) {
		return true
	}
	if db != "" {
		have |= s.DB(sub, db)
	}
	if table != "" && !have.Has(want) {
		have |= s.Table(sub, db, table)
	}
	return have.Has(want)
}

// IsPattern reports whether the database of a GRANT is a pattern of several names.
func IsPattern(db string) bool { return isPattern(db) }

// Unescape is the name that a pattern without wildcards fits.
func Unescape(db string) string {
	var b strings.Builder
	for i := 0; i < len(db); i++ {
		if db[i] == '\\' && i+1 < len(db) {
			i++
		}
		b.WriteByte(db[i])
	}
	return b.String()
}

// PatternDB are the privileges on all databases that a pattern fits: those granted on the very same
// pattern, and those on %.
func (s *Set) PatternDB(sub Subject, pattern string) privilege.Set {
	roles := s.ActiveRoles(sub.Role)
	var p privilege.Set
	for _, g := range s.DBs {
		if s.fits(g.Name, sub, roles) && (g.DB == "%" || g.DB == pattern) {
			p |= g.Privs
		}
	}
	return p
}

// InheritedDBs are all grants on databases; those of roles have what the roles in them were granted.
func (s *Set) InheritedDBs() []DBGrant {
	all := New()
	for _, g := range s.DBs {
		for _, n := range s.heirs(g.Name) {
			all.GrantDB(n, g.DB, g.Privs)
		}
	}
	return all.DBs
}

// InheritedTables is InheritedDBs for grants on tables.
func (s *Set) InheritedTables() []TableGrant {
	all := New()
	for _, g := range s.Tables {
		for _, n := range s.heirs(g.Name) {
			all.GrantTable(n, g.DB, g.Table, g.Privs, g.Columns...)
		}
	}
	return all.Tables
}

// heirs are an account, and, of a role, the roles that it is active in.
func (s *Set) heirs(n Name) []Name {
	out := []Name{n}
	for _, a := range s.Accounts {
		if n.IsRole() && a.Role && a.Name != n && slices.Contains(s.ActiveRoles(a.User), n.User) {
			out = append(out, a.Name)
		}
	}
	return out
}
