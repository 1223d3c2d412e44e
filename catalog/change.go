package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Change is the difference between two versions of the catalog: removals
// first, then puts. Tables are identified by id (a put with a known id
// replaces, and may rename), everything else by name. It is the payload of the
// private catalog event, as JSON. The zero value changes nothing.
type Change struct {
	DropObjects   []ObjectKey   `json:",omitempty"`
	DropTables    []uint32      `json:",omitempty"`
	DropDatabases []string      `json:",omitempty"`
	Databases     []DatabaseDef `json:",omitempty"`
	Tables        []*TableDef   `json:",omitempty"`
	Objects       []ObjectDef   `json:",omitempty"`
	// NextTableID is a lower bound for the ids of later tables; 0 says nothing.
	NextTableID uint32 `json:",omitempty"`
	// Counters sets auto-increment counters: the next value of a table, by id.
	// It may lower them (ALTER TABLE ... AUTO_INCREMENT).
	Counters map[uint32]uint64 `json:",omitempty"`
}

// ObjectKey names an object. Names ignore case, kinds do not.
type ObjectKey struct{ Kind, DB, Name string }

// Empty reports whether c changes nothing.
func (c *Change) Empty() bool {
	return len(c.DropObjects) == 0 && len(c.DropTables) == 0 && len(c.DropDatabases) == 0 &&
		len(c.Databases) == 0 && len(c.Tables) == 0 && len(c.Objects) == 0 &&
		c.NextTableID == 0 && len(c.Counters) == 0
}

// nextTableID is the next table id after c, if it is next before.
func (c *Change) nextTableID(next uint32) uint32 {
	next = max(next, c.NextTableID)
	for _, id := range c.DropTables {
		next = max(next, id+1)
	}
	for _, d := range c.Tables {
		next = max(next, d.ID+1)
	}
	return next
}

// Marshal is the form stored in the log.
func (c *Change) Marshal() ([]byte, error) { return json.Marshal(c) }

// ParseChange reads what Marshal wrote.
func ParseChange(b []byte) (Change, error) {
	var c Change
	if err := json.Unmarshal(b, &c); err != nil {
		return Change{}, fmt.Errorf("catalog change: %w", err)
	}
	if slices.Contains(c.Tables, nil) {
		return Change{}, errors.New("catalog change: a table without a definition")
	}
	return c, nil
}

// Merge adds the effect of next, which follows c.
func (c *Change) Merge(next Change) {
	for _, k := range next.DropObjects {
		name := foldObject(k.Kind, k.DB, k.Name)
		c.Objects = slices.DeleteFunc(c.Objects, func(o ObjectDef) bool { return foldObject(o.Kind, o.DB, o.Name) == name })
		c.DropObjects = append(c.DropObjects, k)
	}
	for _, id := range next.DropTables {
		c.Tables = slices.DeleteFunc(c.Tables, func(t *TableDef) bool { return t.ID == id })
		delete(c.Counters, id)
		c.DropTables = append(c.DropTables, id)
	}
	for _, db := range next.DropDatabases {
		c.Databases = slices.DeleteFunc(c.Databases, func(d DatabaseDef) bool { return foldEqual(d.Name, db) })
		c.DropDatabases = append(c.DropDatabases, db)
	}
	for _, d := range next.Databases {
		c.Databases = slices.DeleteFunc(c.Databases, func(o DatabaseDef) bool { return foldEqual(o.Name, d.Name) })
		c.Databases = append(c.Databases, d)
	}
	for _, t := range next.Tables {
		c.Tables = slices.DeleteFunc(c.Tables, func(o *TableDef) bool { return o.ID == t.ID })
		c.Tables = append(c.Tables, t)
	}
	for _, o := range next.Objects {
		name := foldObject(o.Kind, o.DB, o.Name)
		c.Objects = slices.DeleteFunc(c.Objects, func(x ObjectDef) bool { return foldObject(x.Kind, x.DB, x.Name) == name })
		c.Objects = append(c.Objects, o)
	}
	c.NextTableID = max(c.NextTableID, next.NextTableID)
	for id, n := range next.Counters {
		if c.Counters == nil {
			c.Counters = map[uint32]uint64{}
		}
		c.Counters[id] = n
	}
}

// Clone returns a copy that Merge can change without changing c.
func (c *Change) Clone() Change {
	var n Change
	n.Merge(*c)
	return n
}
