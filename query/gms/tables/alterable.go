package tables

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
)

// alterable is a table as statements see it that ask for its definition or change it: columns, indexes, foreign keys and
// checks, and all rows together. It has no columns and no way to read that a single statement has chosen. Which table it is
// follows from the version that a name was resolved to; the definition itself is looked up anew by every method (see current),
// because one ALTER TABLE consists of several calls.
type alterable struct {
	p *Provider
	v *version
	// temp is set for a temporary table of the session.
	temp *tempTable
}

// current is the table in its newest version, with the changes of the running
// transaction. A table that has been renamed is found by its id.
func (t *alterable) current(ctx *sql.Context) (*alterable, error) {
	if t.temp != nil {
		v, err := t.temp.version()
		if err != nil {
			return nil, err
		}
		return &alterable{p: t.p, v: v, temp: t.temp}, nil
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	def := t.v.Def()
	tbl := cat.Table(def.DB, def.Name)
	if tbl == nil {
		if tbl = cat.TableByID(def.ID); tbl == nil {
			return nil, sql.ErrTableNotFound.New(def.Name)
		}
	}
	if tbl == t.v.Table {
		return t, nil
	}
	v, err := t.p.versions.of(tbl)
	if err != nil {
		return nil, err
	}
	return &alterable{p: t.p, v: v}, nil
}

// whole is the table with all its columns, for the SQL engine.
func (t *alterable) whole() *Table { return &Table{alterable: *t} }

// alter stores a changed definition of the table. edit gets a copy of the
// newest one, of which it may change everything but what the slices' elements
// share; it must replace slices that it edits.
func (t *alterable) alter(ctx *sql.Context, edit func(def *catalog.TableDef) error) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	def := *cur.v.Def()
	if err := edit(&def); err != nil {
		return err
	}
	if err := checkFulltexts(&def); err != nil {
		return err
	}
	if t.temp != nil {
		return t.temp.redefine(&def)
	}
	if err := lockTable(ctx, def.DB, def.Name, true); err != nil {
		return err
	}
	return change(ctx, catalog.Change{Tables: []*catalog.TableDef{&def}})
}

// ModifyTargetRowSize implements sql.TargetRowSizeAlterableTable.
func (t *alterable) ModifyTargetRowSize(ctx *sql.Context, size uint64) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		def.Options = withOption(def.Options, optRowSize, fmt.Sprint(size))
		return nil
	})
}

// Names in catalog.TableDef.Options.
const optRowSize = "target_row_size"

// withOption returns a copy of options with one more.
func withOption(options map[string]string, name, value string) map[string]string {
	out := make(map[string]string, len(options)+1)
	for k, v := range options {
		out[k] = v
	}
	out[name] = value
	return out
}

// ordinalOf finds a column by name in a definition.
func ordinalOf(def *catalog.TableDef, name string) int {
	for i := range def.Columns {
		if strings.EqualFold(def.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}
