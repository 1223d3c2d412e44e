package tables

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/schema"
)

// version is one version of a table as the SQL engine sees it. It is immutable.
type version struct {
	tbl    *catalog.Table
	schema sql.PrimaryKeySchema
	codec  *schema.Codec
	// all is 0, 1, 2 ...: the ordinals of every column.
	all []int
	// virtual says which columns are computed when they are read.
	virtual []bool
	// hasVirtual is set if any is.
	hasVirtual bool
	// stamps says which columns are TIMESTAMPs; hasStamps is set if any is.
	stamps    []bool
	hasStamps bool
	collation sql.CollationID
	indexes   []*index // the primary key first, if there is one
	facts     []ColumnFacts
}

func (v *version) def() *catalog.TableDef { return v.tbl.Def }

func newVersion(tbl *catalog.Table) (*version, error) {
	pks, err := schema.Schema(tbl.Def)
	if err != nil {
		return nil, err
	}
	codec, err := schema.NewCodec(tbl.Def, pks.Schema)
	if err != nil {
		return nil, err
	}
	v := &version{tbl: tbl, schema: pks, codec: codec, collation: collationOf(tbl.Def.Collation), facts: factsOf(tbl.Def)}
	v.all = make([]int, len(pks.Schema))
	v.virtual = make([]bool, len(pks.Schema))
	v.stamps = make([]bool, len(pks.Schema))
	for i, col := range pks.Schema {
		v.all[i] = i
		v.virtual[i] = col.Virtual
		v.hasVirtual = v.hasVirtual || col.Virtual
		v.stamps[i] = col.Type.Type() == sqltypes.Timestamp
		v.hasStamps = v.hasStamps || v.stamps[i]
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
		if i.v.schema.Schema[p.Column].Nullable {
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
	if v != nil && v.tbl == tbl {
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

func collationOf(name string) sql.CollationID {
	c, err := sql.ParseCollation("", name, false)
	if err != nil || c == sql.Collation_Unspecified {
		return sql.Collation_Default
	}
	return c
}
