package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/txn"
)

// A full-text index is its definition: MATCH looks at the rows of the table (package query/fulltext). go-mysql-server keeps tables of its own for
// each, and keeps them up to date. It is told of full-text indexes only while it plans a statement, so that it finds the index of a MATCH; what it
// makes of that is replaced (package semantics), and the definition of an index comes to CreateIndex with FulltextConstraint.
//
// Up to version 0.1 there were such tables. Those of an index that was made then are named by its options; nobody reads or writes them, and they go with
// the index or the table.

// FulltextConstraint is what is written to the definition of an index where it is a full-text index, for CreateIndex: of what go-mysql-server calls one
// it makes the index itself.
const FulltextConstraint sql.IndexConstraint = 200

// sideTables are the tables that an index was made with by an earlier version.
func sideTables(cat *catalog.Snapshot, def *catalog.TableDef) (out []*catalog.Table) {
	for i := range def.Indexes {
		for option, name := range def.Indexes[i].Options {
			if !strings.HasPrefix(option, optSide) {
				continue
			}
			if t := cat.Table(def.DB, name); t != nil && t.Local && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// optSide begins the names, in catalog.IndexDef.Options, of what earlier versions noted of a full-text index.
const optSide = "fulltext_"

// dropSides drops those tables that an index which goes had, and that no other index of its table has.
func dropSides(ctx *sql.Context, old, def *catalog.TableDef) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	still := sideTables(cat, def)
	var c catalog.Change
	for _, t := range sideTables(cat, old) {
		if !slices.Contains(still, t) {
			c.DropTables = append(c.DropTables, t.ID())
		}
	}
	if c.DropTables == nil {
		return nil
	}
	return change(ctx, c)
}

// textTypes are the types of columns that a full-text index can have.
var textTypes = map[string]bool{"char": true, "varchar": true, "tinytext": true, "text": true, "mediumtext": true, "longtext": true, "json": true}

// checkFulltext refuses columns that a full-text index cannot have: of no text, and of two collations.
func checkFulltext(def *catalog.TableDef, parts []catalog.IndexPart) error {
	var first *charset.Collation
	for _, p := range parts {
		c := &def.Columns[p.Column]
		coll, ok := charset.ByID(c.Collation)
		switch name, _, _ := strings.Cut(c.SQLType, "("); {
		case !ok, coll.Set().Name() == "binary", !textTypes[strings.ToLower(name)], first != nil && coll != first:
			return mysqlerr.New(mysqlerr.BadFTColumn, c.Name)
		case c.Virtual:
			return mysqlerr.New(mysqlerr.UnsupportedActionOnGeneratedColumn)
		}
		first = coll
	}
	return nil
}

// checkFulltexts is checkFulltext for all indexes of a table.
func checkFulltexts(def *catalog.TableDef) error {
	for i := range def.Indexes {
		if def.Indexes[i].Kind != catalog.Fulltext {
			continue
		}
		if err := checkFulltext(def, def.Indexes[i].Parts); err != nil {
			return err
		}
	}
	return nil
}

// Documents are the columns of a full-text index, in its order, by their names; nil for an index that is none.
func Documents(idx sql.Index) []string {
	i, ok := idx.(*index)
	if !ok || i.kind != catalog.Fulltext {
		return nil
	}
	var names []string
	for _, p := range i.parts {
		names = append(names, i.v.Def().Columns[p.Column].Name)
	}
	return names
}

// Whole is the table with some of its columns and all of its rows, as the running statement sees them, of which none is locked.
func (t *Table) Whole(ctx *sql.Context, columns []string) (*Table, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	cur, err := t.WithProjections(ctx, columns)
	if err != nil {
		return nil, err
	}
	own := *cur.(*Table)
	mode := own.accessMode(s).Mode
	if mode != txn.Snapshot {
		mode = txn.Latest
	}
	own.access = &Access{Mode: mode}
	return &own, nil
}

// planned is how an index is shown to go-mysql-server: a full-text index only while a statement is planned, else as one that it leaves alone.
func (i *index) planned(planning bool) *index {
	if i.kind != catalog.Fulltext || planning {
		return i
	}
	other := *i
	other.kind = kindSpatial
	return &other
}

// FullTextTableNames implements fulltext.Index: a MATCH that is bound looks for them, and finds the table itself.
func (i *index) FullTextTableNames(*sql.Context) (fulltext.IndexTableNames, error) {
	name := i.v.Def().Name
	return fulltext.IndexTableNames{Config: name, Position: name, DocCount: name, GlobalCount: name, RowCount: name}, nil
}

// FullTextKeyColumns implements fulltext.Index.
func (i *index) FullTextKeyColumns(*sql.Context) (fulltext.KeyColumns, error) {
	return fulltext.KeyColumns{Type: fulltext.KeyType_None}, nil
}
