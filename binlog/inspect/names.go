package inspect

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
)

// column is a column of a table map with what is known of it from elsewhere.
type column struct {
	event.ColumnMeta
	// known: Unsigned and Charset are right; otherwise nothing told.
	known bool
}

// tableMap is a table map that rows events refer to.
type tableMap struct {
	info    *event.TableMapInfo
	columns []column
}

// label is how the column is called: by its name, or by its place as mariadb-binlog does.
func (c *column) label(i int) string {
	if c.Name == "" {
		return fmt.Sprintf("@%d", i+1)
	}
	return c.Name
}

// dictionary follows the table definitions in the log's private catalog records.
type dictionary struct {
	tables map[uint64]*catalog.TableDef
}

func newDictionary() *dictionary {
	return &dictionary{tables: map[uint64]*catalog.TableDef{}}
}

// change takes in a catalog record.
func (d *dictionary) change(payload []byte) error {
	c, err := catalog.ParseChange(payload)
	if err != nil {
		return err
	}
	for _, id := range c.DropTables {
		delete(d.tables, uint64(id))
	}
	for _, t := range c.Tables {
		if t != nil {
			d.tables[uint64(t.ID)] = t
		}
	}
	return nil
}

// resolve joins a table map with the definition of its table. A definition of
// another shape is not the one that the map was made of.
func (d *dictionary) resolve(info *event.TableMapInfo) *tableMap {
	tm := &tableMap{info: info, columns: make([]column, len(info.Columns))}
	def := d.tables[info.TableID]
	if def != nil && (len(def.Columns) != len(info.Columns) || !strings.EqualFold(def.DB, info.Schema) || !strings.EqualFold(def.Name, info.Table)) {
		def = nil
	}
	for i := range info.Columns {
		c := &tm.columns[i]
		c.ColumnMeta = info.Columns[i]
		c.known = info.Metadata >= event.RowMetadataMinimal
		if def == nil {
			continue
		}
		from := &def.Columns[i]
		c.known = true
		c.Name, c.Unsigned, c.Charset, c.Values = from.Name, from.Unsigned, from.Collation, from.EnumValues
	}
	return tm
}

// plain forgets what mariadb-binlog does not know either.
func (tm *tableMap) plain() {
	for i := range tm.columns {
		c := &tm.columns[i]
		c.ColumnMeta = event.ColumnMeta{Type: c.Type, Meta: c.Meta, Nullable: c.Nullable}
		c.known = false
	}
}
