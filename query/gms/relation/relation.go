// Package relation has a version of a table: its definition, the types and facts of its columns, how its images become rows, and the
// time zone of its TIMESTAMPs. Who reads rows for SQL has them from here; that its values are go-mysql-server's is why it stands
// inside the door of query/gms.
package relation

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/row"
)

// Version is one version of a table: its definition, the types of its columns, and how its rows are read. It is immutable.
type Version struct {
	Table  *catalog.Table
	Schema sql.PrimaryKeySchema
	Codec  *schema.Codec
	// All is 0, 1, 2 ...: the ordinals of every column.
	All []int
	// Virtual says which columns are computed when they are read.
	Virtual []bool
	// hasVirtual is set if any is.
	hasVirtual bool
	// Stamps says which columns are TIMESTAMPs; hasStamps is set if any is.
	Stamps    []bool
	hasStamps bool
	Collation sql.CollationID
	facts     []relation.Facts
}

// New makes the version of a table that is defined like this.
func New(tbl *catalog.Table) (*Version, error) {
	pks, err := schema.Schema(tbl.Def)
	if err != nil {
		return nil, err
	}
	codec, err := schema.NewCodec(tbl.Def, pks.Schema)
	if err != nil {
		return nil, err
	}
	v := &Version{Table: tbl, Schema: pks, Codec: codec, Collation: CollationOf(tbl.Def.Collation), facts: relation.FactsOf(tbl.Def)}
	v.All = make([]int, len(pks.Schema))
	v.Virtual = make([]bool, len(pks.Schema))
	v.Stamps = make([]bool, len(pks.Schema))
	for i, col := range pks.Schema {
		v.All[i] = i
		v.Virtual[i] = col.Virtual
		v.hasVirtual = v.hasVirtual || col.Virtual
		v.Stamps[i] = col.Type.Type() == sqltypes.Timestamp
		v.hasStamps = v.hasStamps || v.Stamps[i]
	}
	return v, nil
}

// Def is the table's definition.
func (v *Version) Def() *catalog.TableDef { return v.Table.Def }

// ColumnFacts are what is known of a column; nil if the table has no such column.
func (v *Version) ColumnFacts(column string) *relation.Facts {
	if at := v.Table.ColumnByName(column); at >= 0 {
		return &v.facts[at]
	}
	return nil
}

// Decode makes a SQL row of the given columns of an image, with TIMESTAMPs in zone z.
func (v *Version) Decode(image []byte, ordinals []int, z *Zone) (sql.Row, error) {
	vals, err := row.DecodeSome(make([]any, 0, len(ordinals)), v.Table.Columns, image, ordinals)
	if err != nil {
		return nil, err
	}
	for n, at := range ordinals {
		if z != nil && v.Stamps[at] {
			if vals[n], err = z.load(vals[n]); err != nil {
				return nil, err
			}
		}
		if vals[n], err = v.Codec.FromStore(at, vals[n]); err != nil {
			return nil, err
		}
	}
	return vals, nil
}

// CollationOf is a collation by its name, the default for one that is not known.
func CollationOf(name string) sql.CollationID {
	if c, ok := collation.Named(name); ok {
		return c
	}
	return sql.Collation_Default
}
