package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrExists and ErrNotFound are wrapped by Apply when a change does not fit
// the version it is applied to.
var (
	ErrExists   = errors.New("catalog: name is taken")
	ErrNotFound = errors.New("catalog: no such entry")
)

// Snapshot is one immutable version of the catalog. Look-ups ignore the case
// of names.
type Snapshot struct {
	databases   map[string]*DatabaseDef
	tables      map[tableName]*Table
	byID        map[uint32]*Table
	objects     map[objectName]*ObjectDef
	nextTableID uint32
	version     uint64
}

// Empty returns the catalog without entries.
func Empty() *Snapshot {
	return &Snapshot{databases: map[string]*DatabaseDef{}, tables: map[tableName]*Table{},
		byID: map[uint32]*Table{}, objects: map[objectName]*ObjectDef{}, nextTableID: 1}
}

// Version counts the changes since the catalog was loaded.
func (s *Snapshot) Version() uint64 { return s.version }

// NextTableID is greater than the id of every table there ever was.
func (s *Snapshot) NextTableID() uint32 { return s.nextTableID }

// Database finds a database by its name, exactly as it was written; nil if there is none.
func (s *Snapshot) Database(name string) *DatabaseDef {
	if d := s.databases[fold(name)]; d != nil && d.Name == name {
		return d
	}
	return nil
}

// DatabaseLike finds the database whose name differs from name in the case of letters at most; nil if there is none. There are no two of these.
func (s *Snapshot) DatabaseLike(name string) *DatabaseDef { return s.databases[fold(name)] }

// Databases lists the databases by name.
func (s *Snapshot) Databases() []*DatabaseDef {
	return slices.SortedFunc(maps.Values(s.databases), func(a, b *DatabaseDef) int { return strings.Compare(a.Name, b.Name) })
}

// Table finds a table by its name, exactly as it was written; nil if there is none.
func (s *Snapshot) Table(db, name string) *Table {
	if t := s.TableLike(db, name); t != nil && t.Def.Name == name && t.Def.DB == db {
		return t
	}
	return nil
}

// TableLike finds the table whose name differs from db and name in the case of letters at most; nil if there is none. There are no two of these.
func (s *Snapshot) TableLike(db, name string) *Table {
	if t := s.tables[tableName{db, name}]; t != nil { // names that are lower case already
		return t
	}
	return s.tables[foldTable(db, name)]
}

// TableByID finds a table by id; nil if there is none.
func (s *Snapshot) TableByID(id uint32) *Table { return s.byID[id] }

// Tables lists the tables of a database by name.
func (s *Snapshot) Tables(db string) []*Table {
	folded := fold(db)
	var out []*Table
	for n, t := range s.tables {
		if n.db == folded && t.Def.DB == db {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *Table) int { return strings.Compare(a.Def.Name, b.Def.Name) })
	return out
}

// AllTables lists all tables by id.
func (s *Snapshot) AllTables() []*Table {
	return slices.SortedFunc(maps.Values(s.byID), func(a, b *Table) int { return int(int64(a.Def.ID) - int64(b.Def.ID)) })
}

// Object finds an object; nil if there is none. The name of its database has to be the exact one, its own may have letters of another case: views are
// written in small letters by the SQL engine that makes them.
func (s *Snapshot) Object(kind, db, name string) *ObjectDef {
	if o := s.objects[foldObject(kind, db, name)]; o != nil && o.DB == db {
		return o
	}
	return nil
}

// Objects lists the objects of a kind in a database ("" for server-wide ones) by name.
func (s *Snapshot) Objects(kind, db string) []*ObjectDef {
	folded := fold(db)
	var out []*ObjectDef
	for n, o := range s.objects {
		if n.kind == kind && n.db == folded && o.DB == db {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *ObjectDef) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Apply returns the version after c. Removing what is not there is no error
// (a change may be applied twice), a name taken by another table is.
func (s *Snapshot) Apply(c Change, coll Collations) (*Snapshot, error) {
	n := &Snapshot{databases: s.databases, tables: s.tables, byID: s.byID, objects: s.objects,
		nextTableID: c.nextTableID(s.nextTableID), version: s.version + 1}
	if len(c.DropDatabases)+len(c.Databases) > 0 {
		n.databases = maps.Clone(s.databases)
		for _, name := range c.DropDatabases {
			delete(n.databases, fold(name))
		}
		for _, d := range c.Databases {
			n.databases[fold(d.Name)] = &d
		}
	}
	if len(c.DropObjects)+len(c.Objects) > 0 {
		n.objects = maps.Clone(s.objects)
		for _, k := range c.DropObjects {
			delete(n.objects, foldObject(k.Kind, k.DB, k.Name))
		}
		for _, o := range c.Objects {
			n.objects[foldObject(o.Kind, o.DB, o.Name)] = &o
		}
	}
	if len(c.DropTables)+len(c.Tables) > 0 {
		n.tables, n.byID = maps.Clone(s.tables), maps.Clone(s.byID)
		if err := n.applyTables(c, coll); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (s *Snapshot) applyTables(c Change, coll Collations) error {
	remove := func(id uint32) {
		if t := s.byID[id]; t != nil {
			delete(s.byID, id)
			delete(s.tables, foldTable(t.Def.DB, t.Def.Name))
		}
	}
	for _, id := range c.DropTables {
		remove(id)
	}
	for _, d := range c.Tables { // all old names go before the new ones come: two tables may swap names
		remove(d.ID)
	}
	for _, d := range c.Tables {
		t, err := NewTable(d, coll)
		if err != nil {
			return err
		}
		name := foldTable(d.DB, d.Name)
		if other := s.tables[name]; other != nil {
			return fmt.Errorf("%w: table %s.%s (ids %d and %d)", ErrExists, d.DB, d.Name, other.Def.ID, d.ID)
		}
		s.byID[d.ID], s.tables[name] = t, t
	}
	return nil
}
