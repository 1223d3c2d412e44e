package tables

import (
	"sync"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/relation"
	own "github.com/duramendb/duramen/query/relation"
)

// version is one version of a table as the SQL engine sees it: the relation and its indexes. It is immutable.
type version struct {
	*relation.Version
	indexes []*index   // the primary key first, if there is one
	own     *own.Table // of a table with partitions
}

func newVersion(tbl *catalog.Table) (*version, error) {
	r, err := relation.New(tbl)
	if err != nil {
		return nil, err
	}
	v := &version{Version: r}
	if tbl.Def.Partitioning != nil {
		v.own = own.Of(tbl)
	}
	if !tbl.Keyless() {
		v.indexes = append(v.indexes, newIndex(v, -1))
	}
	for i := range tbl.Def.Indexes {
		v.indexes = append(v.indexes, newIndex(v, i))
	}
	sortBy(v.indexes, (*index).class)
	return v, nil
}

// class orders indexes as MariaDB lists them.
func (i *index) class() int {
	switch {
	case i.ordinal < 0:
		return 0
	case i.IsFullText():
		return 4
	case !i.unique:
		return 3
	}
	for _, p := range i.parts {
		if i.v.Schema.Schema[p.Column].Nullable {
			return 2
		}
	}
	return 1
}

// versions keeps the versions in use, one per table: the schema of a table is
// asked for in every statement and changes hardly ever.
type versions struct {
	mu struct {
		sync.RWMutex
		byID map[uint32]*version
	}
}

func (c *versions) of(tbl *catalog.Table) (*version, error) {
	c.mu.RLock()
	v := c.mu.byID[tbl.ID()]
	c.mu.RUnlock()
	if v != nil && v.Table == tbl {
		return v, nil
	}
	v, err := newVersion(tbl)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.byID == nil {
		c.mu.byID = map[uint32]*version{}
	}
	c.mu.byID[tbl.ID()] = v
	return v, nil
}

// forget drops the version of a table that is gone.
func (c *versions) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.mu.byID, id)
}
