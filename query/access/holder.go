package access

import (
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
)

// holder is somebody's privileges: those that were granted at each level, without those of the levels above.
type holder interface {
	Global() privilege.Set
	Database(db string) privilege.Set
	Table(db, table string) privilege.Set
	Column(db, table, column string) privilege.Set
	Routine(db, routine string, function bool) privilege.Set
	// Within reports whether there is a privilege on some object in a database.
	Within(db string) bool
}

// granted is the holder of what a set of accounts says of somebody.
type granted struct {
	set *accounts.Set
	sub accounts.Subject
}

func (g granted) Global() privilege.Set { return g.set.Global(g.sub) }

func (g granted) Database(db string) privilege.Set { return g.set.DB(g.sub, db) }

func (g granted) Table(db, table string) privilege.Set {
	return g.set.Table(g.sub, db, table)
}

func (g granted) Column(db, table, column string) privilege.Set {
	return g.set.Column(g.sub, db, table, column)
}

func (g granted) Routine(db, routine string, function bool) privilege.Set {
	return g.set.Routine(g.sub, db, routine, function)
}

func (g granted) Within(db string) bool {
	if g.Database(db) != 0 {
		return true
	}
	for _, t := range g.set.TableGrants(g.sub) {
		if t.DB == db {
			return true
		}
	}
	for _, r := range g.set.RoutineGrants(g.sub) {
		if r.DB == db {
			return true
		}
	}
	return false
}
