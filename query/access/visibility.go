package access

import (
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// What a user may not use, lists of objects do not show: the rows of information_schema and of SHOW go through here.

// Visibility says whether the user may see a row; get gives the text of one of its columns.
type Visibility func(a *Rights, get func(column string) string) bool

// byTable shows what belongs to a table on which the user has some privilege.
func byTable(schema, table string) Visibility {
	return func(a *Rights, get func(string) string) bool { return a.TableVisible(get(schema), get(table)) }
}

// byColumn shows what is about a column on which the user has some privilege, or on whose table.
func byColumn(schema, table, column string) Visibility {
	return func(a *Rights, get func(string) string) bool {
		return a.ColumnVisible(get(schema), get(table), get(column))
	}
}

// byAccount shows what is about the user's own account, and everything to who may read the accounts.
func byAccount(column string) Visibility {
	return func(a *Rights, get func(string) string) bool {
		return a.Database("mysql")&privilege.Select != 0 || a.self(get(column))
	}
}

func byRoutine(schema, name, kind string) Visibility {
	return func(a *Rights, get func(string) string) bool {
		return a.RoutineVisible(get(schema), get(name), strings.EqualFold(get(kind), "FUNCTION"))
	}
}

// RoutineVisible reports whether the user may know of a routine.
func (a *Rights) RoutineVisible(db, name string, function bool) bool {
	return a.Table("mysql", "proc")&privilege.Select != 0 ||
		(a.Database(db)|a.held.Routine(db, name, function))&(privilege.Execute|privilege.AlterRoutine|privilege.CreateRoutine) != 0
}

func withPrivilegeOn(schema, table string, p privilege.Set) Visibility {
	return func(a *Rights, get func(string) string) bool {
		if table == "" {
			return a.Database(get(schema))&p != 0
		}
		return a.Table(get(schema), get(table))&p != 0
	}
}

// toProcess shows the rows to who has PROCESS.
func toProcess(a *Rights, _ func(string) string) bool { return a.May(privilege.Process) }

// schemaVisible is for a column with the name of a database.
func schemaVisible(column string) Visibility {
	return func(a *Rights, get func(string) string) bool {
		return a.May(privilege.ShowDatabases) || a.Visible(get(column))
	}
}

// schemaTables are the tables of information_schema whose rows are not for everybody.
var schemaTables = map[string]Visibility{
	"tables": byTable("TABLE_SCHEMA", "TABLE_NAME"), "columns": byColumn("TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME"),
	"views": byTable("TABLE_SCHEMA", "TABLE_NAME"), "statistics": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"key_column_usage": byTable("TABLE_SCHEMA", "TABLE_NAME"), "table_constraints": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"partitions": byTable("TABLE_SCHEMA", "TABLE_NAME"), "referential_constraints": byTable("CONSTRAINT_SCHEMA", "TABLE_NAME"),
	"check_constraints": byTable("CONSTRAINT_SCHEMA", "TABLE_NAME"), "geometry_columns": byTable("F_TABLE_SCHEMA", "F_TABLE_NAME"),
	"st_geometry_columns": byTable("TABLE_SCHEMA", "TABLE_NAME"), "columns_extensions": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"table_constraints_extensions": byTable("CONSTRAINT_SCHEMA", "TABLE_NAME"), "tables_extensions": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"view_table_usage": byTable("VIEW_SCHEMA", "VIEW_NAME"), "view_routine_usage": byTable("TABLE_SCHEMA", "TABLE_NAME"),
	"column_statistics": byTable("SCHEMA_NAME", "TABLE_NAME"),
	"schemata":          schemaVisible("SCHEMA_NAME"), "schemata_extensions": schemaVisible("SCHEMA_NAME"),
	"routines":   byRoutine("ROUTINE_SCHEMA", "ROUTINE_NAME", "ROUTINE_TYPE"),
	"parameters": byRoutine("SPECIFIC_SCHEMA", "SPECIFIC_NAME", "ROUTINE_TYPE"),
	"triggers":   withPrivilegeOn("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE", privilege.Trigger),
	"events":     withPrivilegeOn("EVENT_SCHEMA", "", privilege.Event),
	"processlist": func(a *Rights, get func(string) string) bool {
		return a.May(privilege.Process) || get("USER") == a.s.Info.User
	},
	"user_privileges": byAccount("GRANTEE"), "schema_privileges": byAccount("GRANTEE"),
	"table_privileges": byAccount("GRANTEE"), "column_privileges": byAccount("GRANTEE"),
	"user_attributes": func(a *Rights, get func(string) string) bool {
		return a.Database("mysql")&privilege.Select != 0 || a.self(get("USER")+"@"+get("HOST"))
	},
	"files": toProcess, "tablespaces": toProcess, "tablespaces_extensions": toProcess,
}

// OfSchemaTable says who sees a row of a table of information_schema; nil is everybody.
func OfSchemaTable(table string) Visibility {
	table = strings.ToLower(table)
	if strings.HasPrefix(table, "innodb_") && table != "innodb_ft_default_stopword" {
		return toProcess
	}
	return schemaTables[table]
}

// OfShow says who sees a row of a SHOW of a kind; nil is everybody.
func OfShow(kind string) Visibility { return showRows[strings.ToLower(kind)] }

// showRows are the kinds of SHOW that go-mysql-server answers whose rows are not for everybody; get knows
// the columns by their names, and the database that the statement is about as "".
var showRows = map[string]Visibility{
	"tables": func(a *Rights, get func(string) string) bool { return a.TableVisible(get(""), get("0")) },
	"table status": func(a *Rights, get func(string) string) bool {
		return a.TableVisible(get(""), get("Name"))
	},
	"databases": schemaVisible("0"), "schemas": schemaVisible("0"),
	"triggers": func(a *Rights, get func(string) string) bool {
		return a.Table(get(""), get("Table"))&privilege.Trigger != 0
	},
	"events": withPrivilegeOn("Db", "", privilege.Event),
	"procedure status": func(a *Rights, get func(string) string) bool {
		return a.RoutineVisible(get("Db"), get("Name"), false)
	},
	"function status": func(a *Rights, get func(string) string) bool {
		return a.RoutineVisible(get("Db"), get("Name"), true)
	},
	"processlist": func(a *Rights, get func(string) string) bool {
		return a.May(privilege.Process) || get("User") == a.s.Info.User
	},
}

// deniedTable is the error for a table that the user may not see.
func (a *Rights) deniedTable(word, db, table string) error {
	return mysqlerr.New(mysqlerr.TableAccessDenied, word, a.named.User, a.named.Host, db, table)
}

// SeesObject reports whether the user may see the definition of an object: a trigger needs TRIGGER on its
// table, an event EVENT. Views are checked with the statement.
func (a *Rights) SeesObject(kind, db, name string) bool {
	switch kind {
	case "trigger":
		return a.Table(db, name)&privilege.Trigger != 0
	case "procedure":
		return a.RoutineVisible(db, name, false)
	}
	return a.Database(db)&privilege.Event != 0
}
