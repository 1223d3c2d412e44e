package infoschema

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
)

// mysql.tsv has the columns of those tables of the database mysql which are empty in a MariaDB that does
// not use what they are for (logs in tables, loaded time zones and help, plugins, servers, UDFs, a
// replica's position), as in every Duramen. Name, column, type, nullability, engine.
//
//go:embed mysql.tsv
var mysqlTSV string

var mysqlDefinitions = sync.OnceValue(func() map[string]*catalog.TableDef {
	defs := map[string]*catalog.TableDef{}
	eachLine(mysqlTSV, func(f []string) {
		def := defs[f[0]]
		if def == nil {
			def = &catalog.TableDef{DB: "mysql", Name: f[0], Engine: f[4], Collation: schemaCollation.Name()}
			defs[f[0]] = def
		}
		def.Columns = append(def.Columns, catalog.ColumnDef{Name: f[1], SQLType: f[2], Nullable: f[3] == "YES", Collation: uint16(schemaCollation)})
	})
	return defs
})

// MySQLPrefix goes before the name of a table of mysql under which information_schema has it too, so
// that it can be read although the database mysql is go-mysql-server's.
const MySQLPrefix = "mysql."

// MySQLTable is the definition of an always empty table of the database mysql, nil for other names.
func MySQLTable(name string) *catalog.TableDef { return mysqlDefinitions()[strings.ToLower(name)] }

// mysqlTable finds such a table by its name in information_schema.
func (d *Database) mysqlTable(name string) (sql.Table, bool) {
	if len(name) <= len(MySQLPrefix) || !strings.EqualFold(name[:len(MySQLPrefix)], MySQLPrefix) {
		return nil, false
	}
	def := MySQLTable(name[len(MySQLPrefix):])
	if def == nil {
		return nil, false
	}
	return &Table{db: d, def: def}, true
}
