package infoschema

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/types/charset"
)

// mysql.tsv has the columns of the tables of the database mysql: of those which are empty in a MariaDB that does
// not use what they are for (logs in tables, loaded time zones and help, plugins, servers, UDFs, a
// replica's position), as in every Duramen, and of those that show the accounts, whose rows are Server.Rows under
// MySQLPrefix and their name. Table, column, type, nullability, engine (VIEW for a view); for the accounts also
// collation, key and default, as in COLUMNS.
//
//go:embed mysql.tsv
var mysqlTSV string

// UserView is MariaDB's definition of the view mysql.user.
//
//go:embed user_view.sql
var UserView string

var mysqlDefinitions = sync.OnceValue(func() map[string]*catalog.TableDef {
	defs := map[string]*catalog.TableDef{}
	eachLine(mysqlTSV, func(f []string) {
		def := defs[f[0]]
		if def == nil {
			def = &catalog.TableDef{DB: "mysql", Name: f[0], Engine: f[4], Collation: schemaCollation.Name()}
			defs[f[0]] = def
		}
		part := catalog.IndexPart{Column: len(def.Columns)}
		def.Columns = append(def.Columns, mysqlColumn(f))
		switch {
		case len(f) <= 5:
		case f[6] == "PRI":
			def.Primary = append(def.Primary, part)
		case f[6] == "MUL":
			def.Indexes = append(def.Indexes, catalog.IndexDef{Name: f[1], Parts: []catalog.IndexPart{part}})
		}
	})
	return defs
})

func mysqlColumn(f []string) catalog.ColumnDef {
	c := catalog.ColumnDef{Name: f[1], SQLType: f[2], Nullable: f[3] == "YES", Collation: uint16(schemaCollation)}
	if members, ok := strings.CutPrefix(c.SQLType[strings.IndexByte(c.SQLType, '(')+1:], "'"); ok { // of ENUM and SET
		c.EnumValues = strings.Split(strings.TrimSuffix(members, "')"), "','")
	}
	if len(f) <= 5 {
		return c
	}
	if coll, ok := charset.ByName(f[5]); ok {
		c.Collation = coll.ID()
	}
	if f[7] != "" && f[7] != "NULL" {
		c.HasDefault, c.Default, c.DefaultLiteral = true, f[7], !ddltext.IsNow(f[7])
	}
	return c
}

// MySQLPrefix goes before the name of a table of mysql under which information_schema has it too, so
// that it can be read although the database mysql is go-mysql-server's.
const MySQLPrefix = "mysql."

// MySQLTable is the definition of a table of the database mysql, nil for those that are not there.
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
	return d.table(def, MySQLPrefix+def.Name), true
}

// AccountTables are the tables of mysql that show the accounts.
func AccountTables() []string {
	return []string{"columns_priv", "db", "global_priv", "procs_priv", "proxies_priv", "roles_mapping", "tables_priv", "user"}
}

// CreateEvent is the CREATE EVENT of an event, with its times in the server's time zone.
func CreateEvent(e sql.EventDefinition) string {
	return ddltext.CreateEvent(e.ConvertTimesFromUTCToTz(sql.SystemTimezoneOffset()))
}
