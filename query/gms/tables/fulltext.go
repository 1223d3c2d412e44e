package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/duramendb/duramen/catalog"
)

// A full-text index consists of tables that the SQL engine fills and reads;
// the index definition holds their names. They are ordinary tables here, but
// replicas never see them.

// isFulltextSide reports whether a table's name is that of a full-text index's
// table, as CreateFulltextTableNames makes them.
func isFulltextSide(name string) bool {
	for _, suffix := range []string{"_FTS_CONFIG", "_FTS_POSITION", "_FTS_DOC_COUNT", "_FTS_GLOBAL_COUNT", "_FTS_ROW_COUNT"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// configUses counts the full-text indexes that share a configuration table.
func configUses(cat *catalog.Snapshot, db, name string) (n int) {
	if !isFulltextSide(name) {
		return 0
	}
	for _, t := range cat.Tables(db) {
		for i := range t.Def.Indexes {
			if idx := &t.Def.Indexes[i]; idx.Kind == kindFulltext && strings.EqualFold(idx.Options[optConfig], name) {
				n++
			}
		}
	}
	return n
}

// fulltextTables are the tables of a table's full-text indexes.
func fulltextTables(cat *catalog.Snapshot, def *catalog.TableDef) (out []*catalog.Table) {
	for i := range def.Indexes {
		idx := &def.Indexes[i]
		if idx.Kind != kindFulltext {
			continue
		}
		for _, option := range []string{optConfig, optPosition, optDocCount, optGlobalCount, optRowCount} {
			if t := cat.Table(def.DB, idx.Options[option]); t != nil && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// hasFulltext reports whether the table has a full-text index.
func (v *version) hasFulltext() bool {
	for _, idx := range v.indexes {
		if idx.IsFullText() {
			return true
		}
	}
	return false
}

// keyColumnsFromOptions reads which columns identify a row in the tables of a
// full-text index.
func keyColumnsFromOptions(o map[string]string, sch sql.Schema) fulltext.KeyColumns {
	k := fulltext.KeyColumns{Type: fulltext.KeyType_None, Name: o[optKeyName]}
	if n, err := strconv.Atoi(o[optKeyType]); err == nil {
		k.Type = fulltext.KeyType(n)
	}
	if o[optKeyColumns] == "" {
		return k
	}
	for _, name := range strings.Split(o[optKeyColumns], ",") {
		if at := sch.IndexOfColName(name); at >= 0 {
			k.Positions = append(k.Positions, at)
		}
	}
	return k
}

func fulltextOptions(k fulltext.KeyColumns, names fulltext.IndexTableNames, sch sql.Schema) map[string]string {
	cols := make([]string, len(k.Positions))
	for i, at := range k.Positions {
		cols[i] = sch[at].Name
	}
	return map[string]string{
		optConfig:      names.Config,
		optPosition:    names.Position,
		optDocCount:    names.DocCount,
		optGlobalCount: names.GlobalCount,
		optRowCount:    names.RowCount,
		optKeyType:     strconv.Itoa(int(k.Type)),
		optKeyName:     k.Name,
		optKeyColumns:  strings.Join(cols, ","),
	}
}

// CreateFulltextIndex implements fulltext.IndexAlterableTable.
func (t *alterable) CreateFulltextIndex(ctx *sql.Context, def sql.IndexDef, keyCols fulltext.KeyColumns, names fulltext.IndexTableNames) error {
	return t.addIndex(ctx, def, kindFulltext, func(v *version) map[string]string {
		return fulltextOptions(keyCols, names, v.Schema.Schema)
	})
}

// withFulltext makes an editor that also keeps the tables of the full-text indexes.
func (t *Table) withFulltext(ctx *sql.Context, e *editor) (sql.TableEditor, error) {
	db := &Database{p: t.p, def: &catalog.DatabaseDef{Name: t.Database()}}
	editable := func(name string) (fulltext.EditableTable, error) {
		tbl, ok, err := db.GetTableInsensitive(ctx, name)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("table %s of a full-text index of %s: %w", name, t.Name(), sql.ErrTableNotFound.New(name))
		}
		side := *tbl.(*Table)
		side.byKey = true
		return &side, nil
	}
	var sets []fulltext.TableSet
	var config fulltext.EditableTable
	for _, idx := range t.v.indexes {
		if !idx.IsFullText() {
			continue
		}
		set := fulltext.TableSet{Index: idx}
		for option, to := range map[string]*fulltext.EditableTable{
			optConfig: &config, optPosition: &set.Position, optDocCount: &set.DocCount,
			optGlobalCount: &set.GlobalCount, optRowCount: &set.RowCount,
		} {
			var err error
			if *to, err = editable(idx.options[option]); err != nil {
				return nil, err
			}
		}
		sets = append(sets, set)
	}
	ft, err := fulltext.CreateEditor(ctx, e.Table, config, sets...)
	if err != nil {
		return nil, err
	}
	return fulltext.CreateMultiTableEditor(ctx, e, ft)
}

// rebuildFulltext fills the tables of the full-text indexes anew after the
// table has been copied, and drops those of an index that is gone.
func (t *alterable) rebuildFulltext(ctx *sql.Context) error {
	if !t.v.hasFulltext() {
		return nil
	}
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	db := &Database{p: t.p, def: &catalog.DatabaseDef{Name: t.v.Def().DB}}
	drop := func(o map[string]string, names ...string) error {
		for _, n := range names {
			if err := db.DropTable(ctx, o[n]); err != nil && !sql.ErrTableNotFound.Is(err) {
				return err
			}
		}
		return nil
	}
	for _, idx := range t.v.indexes {
		if !idx.IsFullText() {
			continue
		}
		if _, err := cur.v.indexNamed(idx.name); err == nil {
			continue
		}
		if err := drop(idx.options, optPosition, optDocCount, optGlobalCount, optRowCount); err != nil {
			return err
		}
		if !cur.v.hasFulltext() {
			if err := drop(idx.options, optConfig); err != nil {
				return err
			}
		}
	}
	if !cur.v.hasFulltext() {
		return nil
	}
	return fulltext.RebuildTables(ctx, cur.whole(), db)
}
