package tables

import "github.com/dolthub/go-mysql-server/sql"

// projection is the columns of a table that a statement reads. The zero value is all of them.
type projection struct {
	// ordinals are the columns' places in the schema of the table; nil means all.
	ordinals []int
	names    []string
	schema   sql.Schema
}

// projectionOn finds the columns of these names; nil means all.
func projectionOn(v *version, names []string) (projection, error) {
	if names == nil {
		return projection{}, nil
	}
	p := projection{ordinals: make([]int, len(names)), names: names, schema: make(sql.Schema, len(names))}
	for i, name := range names {
		at := v.Table.ColumnByName(name)
		if at < 0 {
			return projection{}, sql.ErrTableColumnNotFound.New(v.Def().Name, name)
		}
		p.ordinals[i], p.schema[i] = at, v.Schema.Schema[at]
	}
	return p, nil
}

// onlyColumn is the projection on one column.
func onlyColumn(v *version, ordinal int) projection {
	col := v.Schema.Schema[ordinal]
	return projection{ordinals: []int{ordinal}, names: []string{col.Name}, schema: sql.Schema{col}}
}

// all reports whether every column of the table is read.
func (p *projection) all() bool { return p.ordinals == nil }

// ordinal is the column at a place of the projected schema.
func (p *projection) ordinal(at int) int {
	if p.all() {
		return at
	}
	return p.ordinals[at]
}

// of takes the columns out of a row that has all.
func (p *projection) of(r sql.Row) sql.Row {
	if p.all() {
		return r
	}
	out := make(sql.Row, len(p.ordinals))
	for i, at := range p.ordinals {
		out[i] = r[at]
	}
	return out
}
