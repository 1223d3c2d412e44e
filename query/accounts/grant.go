package accounts

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/privilege"
)

// GrantDB adds privileges on the databases that a pattern fits.
func (s *Set) GrantDB(n Name, db string, p privilege.Set) {
	i := slices.IndexFunc(s.DBs, func(g DBGrant) bool { return g.Name == n && g.DB == db })
	if i < 0 {
		s.DBs = append(s.DBs, DBGrant{Name: n, DB: db})
		i = len(s.DBs) - 1
	}
	s.DBs[i].Privs |= p
	s.prune()
}

// RevokeDB takes them; ok is false if nothing was granted there.
func (s *Set) RevokeDB(n Name, db string, p privilege.Set) (ok bool) {
	for i := range s.DBs {
		if g := &s.DBs[i]; g.Name == n && g.DB == db {
			g.Privs, ok = g.Privs&^p, true
		}
	}
	s.prune()
	return ok
}

// GrantTable adds privileges on a table, and on columns of it.
func (s *Set) GrantTable(n Name, db, table string, p privilege.Set, columns ...ColumnGrant) {
	i := slices.IndexFunc(s.Tables, func(g TableGrant) bool { return g.Name == n && g.DB == db && g.Table == table })
	if i < 0 {
		s.Tables = append(s.Tables, TableGrant{Name: n, DB: db, Table: table})
		i = len(s.Tables) - 1
	}
	g := &s.Tables[i]
	g.Privs |= p
	for _, c := range columns {
		g.grantColumn(c)
	}
	s.prune()
}

func (g *TableGrant) grantColumn(c ColumnGrant) {
	if known := g.column(c.Column); known != nil {
		known.Privs |= c.Privs
		return
	}
	g.Columns = append(g.Columns, c)
}

func (g *TableGrant) column(name string) *ColumnGrant {
	for i := range g.Columns {
		if strings.EqualFold(g.Columns[i].Column, name) {
			return &g.Columns[i]
		}
	}
	return nil
}

// OnColumns are the privileges that there are on some column.
func (g *TableGrant) OnColumns() (p privilege.Set) {
	for _, c := range g.Columns {
		p |= c.Privs
	}
	return p
}

// RevokeTable takes privileges on a table, then also on its columns, and those on single columns; ok is false if nothing was granted there.
func (s *Set) RevokeTable(n Name, db, table string, p privilege.Set, columns ...ColumnGrant) (ok bool) {
	for i := range s.Tables {
		g := &s.Tables[i]
		if g.Name != n || g.DB != db || g.Table != table {
			continue
		}
		if slices.ContainsFunc(columns, func(c ColumnGrant) bool { return g.column(c.Column) == nil }) {
			return false
		}
		ok = true
		g.Privs &^= p
		for j := range g.Columns {
			g.Columns[j].Privs &^= p
		}
		for _, c := range columns {
			g.column(c.Column).Privs &^= c.Privs
		}
	}
	s.prune()
	return ok
}

// GrantRoutine adds privileges on a routine. Names of routines have no case.
func (s *Set) GrantRoutine(n Name, db, routine string, function bool, p privilege.Set) {
	i := slices.IndexFunc(s.Routines, func(g RoutineGrant) bool { return g.is(n, db, routine, function) })
	if i < 0 {
		s.Routines = append(s.Routines, RoutineGrant{Name: n, DB: db, Routine: routine, Function: function})
		i = len(s.Routines) - 1
	}
	s.Routines[i].Privs |= p
	s.prune()
}

// RevokeRoutine takes them; ok is false if nothing was granted there.
func (s *Set) RevokeRoutine(n Name, db, routine string, function bool, p privilege.Set) (ok bool) {
	for i := range s.Routines {
		if g := &s.Routines[i]; g.is(n, db, routine, function) {
			g.Privs, ok = g.Privs&^p, true
		}
	}
	s.prune()
	return ok
}

func (g RoutineGrant) is(n Name, db, routine string, function bool) bool {
	return g.Name == n && g.DB == db && strings.EqualFold(g.Routine, routine) && g.Function == function
}

// prune removes grants of nothing.
func (s *Set) prune() {
	s.DBs = slices.DeleteFunc(s.DBs, func(g DBGrant) bool { return g.Privs == 0 })
	for i := range s.Tables {
		s.Tables[i].Columns = slices.DeleteFunc(s.Tables[i].Columns, func(c ColumnGrant) bool { return c.Privs == 0 })
	}
	s.Tables = slices.DeleteFunc(s.Tables, func(g TableGrant) bool { return g.Privs == 0 && len(g.Columns) == 0 })
	s.Routines = slices.DeleteFunc(s.Routines, func(g RoutineGrant) bool { return g.Privs == 0 })
}

// DropRoutine forgets the grants on a routine that was dropped.
func (s *Set) DropRoutine(db, routine string, function bool) (changed bool) {
	before := len(s.Routines)
	s.Routines = slices.DeleteFunc(s.Routines, func(g RoutineGrant) bool { return g.is(g.Name, db, routine, function) })
	return len(s.Routines) != before
}

// GrantRole gives a role; admin adds the right to give it to others.
func (s *Set) GrantRole(n Name, role string, admin bool) {
	if g := s.roleGrant(n, role); g != nil {
		g.Admin = g.Admin || admin
		return
	}
	s.Roles = append(s.Roles, RoleGrant{Name: n, Role: role, Admin: admin})
}

// RevokeRole takes a role, or only the right to give it; ok is false if it was not given.
func (s *Set) RevokeRole(n Name, role string, onlyAdmin bool) (ok bool) {
	g := s.roleGrant(n, role)
	if g == nil {
		return false
	}
	if onlyAdmin {
		g.Admin = false
		return true
	}
	s.Roles = slices.DeleteFunc(s.Roles, func(g RoleGrant) bool { return g.Name == n && g.Role == role })
	return true
}

// RoleCycle reports whether giving role to the role to would make a circle.
func (s *Set) RoleCycle(to, role string) bool { return slices.Contains(s.ActiveRoles(role), to) }
