package crashtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/row/rowtest"
)

const database = "lab"

// Columns of every table of the laboratory; a column may be added after them.
const (
	colID   = iota // int: the primary key; in keyless tables a number that is never used twice
	colN           // int
	colU           // int, nullable, unique in keyed tables
	colText        // text
	columnsMin
)

func intColumn(name string, nullable bool) catalog.ColumnDef {
	return catalog.ColumnDef{Name: name, SQLType: "int(11)", Nullable: nullable, Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
}

func textColumn(name string) catalog.ColumnDef {
	return catalog.ColumnDef{Name: name, SQLType: "text", Nullable: true, Type: mysql.MYSQL_TYPE_BLOB, Meta: 2, Collation: 63}
}

// newDef defines a table. ids of tables are given by the transaction.
func newDef(id uint32, name string, keyless bool) *catalog.TableDef {
	def := &catalog.TableDef{ID: id, DB: database, Name: name, Engine: "InnoDB",
		Columns: []catalog.ColumnDef{intColumn("id", false), intColumn("n", false), intColumn("u", true), textColumn("t")},
		Indexes: []catalog.IndexDef{{ID: 1, Name: "n", Parts: []catalog.IndexPart{{Column: colN}}}},
	}
	def.NextIndexID = 2
	if !keyless {
		def.Columns[colID].AutoIncrement = true
		def.Primary = []catalog.IndexPart{{Column: colID}}
		def.Indexes = append(def.Indexes, catalog.IndexDef{ID: 2, Name: "u", Unique: true, Parts: []catalog.IndexPart{{Column: colU}}})
		def.NextIndexID = 3
	}
	return def
}

// cloneDef copies what the laboratory changes of a definition.
func cloneDef(def *catalog.TableDef) *catalog.TableDef {
	c := *def
	c.Columns = slices.Clone(def.Columns)
	c.Indexes = slices.Clone(def.Indexes)
	c.Options = maps.Clone(def.Options)
	return &c
}

// record is a row in the laboratory's own terms.
type record struct {
	id, n int64
	u     any // int64 or nil
	text  string
}

// encode makes the row image; columns that were added later are derived from the others.
func encode(t *catalog.Table, r record) ([]byte, error) {
	vals := []any{r.id, r.n, r.u, r.text}
	for i := columnsMin; i < len(t.Columns); i++ {
		vals = append(vals, fmt.Sprintf("added %d", r.id))
	}
	return row.Encode(nil, t.Columns, vals)
}

func decode(t *catalog.Table, image []byte) (record, error) {
	vals, err := rowtest.Decode(t.Columns, image)
	if err != nil {
		return record{}, err
	}
	text, _ := vals[colText].(string)
	if b, ok := vals[colText].([]byte); ok {
		text = string(b)
	}
	return record{id: vals[colID].(int64), n: vals[colN].(int64), u: vals[colU], text: text}, nil
}
