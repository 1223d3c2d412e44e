package privilege

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// ddl is one CREATE, DROP, ALTER, RENAME or TRUNCATE.
func (c *collector) ddl(s *sqlparser.DDL) {
	n := c.needs
	action := strings.ToLower(s.Action)
	switch {
	case s.ViewSpec != nil:
		c.view(s, action)
	case s.TriggerSpec != nil:
		c.trigger(s, action)
	case s.ProcedureSpec != nil:
		c.procedure(s.ProcedureSpec, action)
	case s.EventSpec != nil:
		n.add(onDatabase(s.EventSpec.EventName.Qualifier.String(), Event))
		if r := s.EventSpec.RenameName; !r.Name.IsEmpty() {
			n.add(onDatabase(r.Qualifier.String(), Event))
		}
		n.Definer = s.EventSpec.Definer
	case s.User.Name != "" || s.Authentication != nil || s.AccountLimits != nil:
		n.add(global(CreateUser)) // ALTER USER
	case action == sqlparser.CreateStr:
		c.create(s)
	case action == sqlparser.DropStr:
		for _, t := range s.FromTables {
			need := onTable(tableName(t), Drop)
			if s.Temporary {
				continue // it drops nothing but temporary tables
			}
			n.add(need)
		}
		for _, t := range s.FromViews {
			n.add(onTable(tableName(t), Drop))
		}
	case action == sqlparser.RenameStr:
		for i, from := range s.FromTables {
			n.add(onTable(tableName(from), Alter|Drop))
			if i < len(s.ToTables) {
				n.add(created(s.ToTables[i], Create|Insert))
			}
		}
	case action == sqlparser.TruncateStr:
		n.add(onTable(tableName(s.Table), Drop))
	default:
		c.alterClause(s, Alter)
	}
}

// created is the need for a table that the statement makes: a temporary one of that name does not count.
func created(t sqlparser.TableName, all Set) Need {
	need := onTable(tableName(t), all)
	need.Temporary = false
	return need
}

func (c *collector) create(s *sqlparser.DDL) {
	n := c.needs
	if s.Temporary {
		n.add(Need{On: Database, DB: s.Table.DbQualifier.String(), Name: s.Table.Name.String(), All: CreateTemporary})
	} else {
		all := Create
		if s.OptSelect != nil {
			all |= Insert
		}
		if s.OrReplace {
			all |= Drop
		}
		n.add(created(s.Table, all))
	}
	if s.OptLike != nil {
		for _, t := range s.OptLike.LikeTables {
			n.add(onTable(tableName(t), Select))
		}
	}
	if s.TableSpec != nil {
		c.foreignKeys(s.Table, s.TableSpec.Constraints)
	}
	if s.OptSelect != nil {
		c.walk(s.OptSelect.Select)
	}
}

// foreignKeys need REFERENCES on the tables that they point to.
func (c *collector) foreignKeys(table sqlparser.TableName, list []*sqlparser.ConstraintDefinition) {
	for _, def := range list {
		fk, ok := def.Details.(*sqlparser.ForeignKeyDefinition)
		if !ok {
			continue
		}
		parent := tableName(fk.ReferencedTable)
		if parent.DB == "" {
			parent.DB = table.DbQualifier.String()
		}
		need := onTable(parent, References)
		need.Temporary = false
		c.needs.add(need)
	}
}

// alterClause is one clause of ALTER TABLE, which needs ALTER, or CREATE INDEX and DROP INDEX.
func (c *collector) alterClause(s *sqlparser.DDL, alter Set) {
	n := c.needs
	if strings.EqualFold(s.Action, sqlparser.RenameStr) && len(s.ToTables) > 0 {
		from := s.Table
		if len(s.FromTables) > 0 {
			from = s.FromTables[0]
		}
		n.add(onTable(tableName(from), Alter|Drop), created(s.ToTables[0], Create|Insert))
		return
	}
	n.add(onTable(tableName(s.Table), alter))
	if s.TableSpec != nil && s.ConstraintAction != sqlparser.DropStr {
		c.foreignKeys(s.Table, s.TableSpec.Constraints)
	}
	if p := s.PartitionSpec; p != nil && p.Action == sqlparser.DropStr {
		n.add(onTable(tableName(s.Table), Drop))
	}
}

func (c *collector) view(s *sqlparser.DDL, action string) {
	all := CreateView
	if action == sqlparser.AlterStr || s.OrReplace {
		all |= Drop
	}
	c.needs.add(created(s.ViewSpec.ViewName, CreateView))
	if all&Drop != 0 {
		c.needs.add(created(s.ViewSpec.ViewName, Drop))
	}
	c.word = "ANY"
	c.walk(s.ViewSpec.ViewExpr)
	c.needs.Definer = s.ViewSpec.Definer
}

func (c *collector) trigger(s *sqlparser.DDL, action string) {
	n := c.needs
	n.add(Need{On: Global, Any: Super, Unsafe: true})
	if action != sqlparser.CreateStr {
		// The table is known to the catalog only.
		n.add(Need{On: Table, DB: s.TriggerSpec.TrigName.Qualifier.String(), Name: triggerMark + s.TriggerSpec.TrigName.Name.String(), All: Trigger})
		return
	}
	need := created(s.Table, Trigger)
	if need.DB == "" {
		need.DB = s.TriggerSpec.TrigName.Qualifier.String()
	}
	n.add(need)
	n.Definer = s.TriggerSpec.Definer
}

// triggerMark begins the Name of a need on the table of a trigger, whose name follows.
const triggerMark = "\x00trigger "

// TriggerOf tells whether a need is about the table of a trigger, and of which.
func (n Need) TriggerOf() (trigger string, ok bool) { return strings.CutPrefix(n.Name, triggerMark) }

func (c *collector) procedure(s *sqlparser.ProcedureSpec, action string) {
	name := s.ProcName
	if action == sqlparser.CreateStr {
		c.needs.add(onDatabase(name.Qualifier.String(), CreateRoutine))
		c.needs.Definer = s.Definer
		return
	}
	c.needs.add(Need{On: Procedure, DB: name.Qualifier.String(), Name: name.Name.String(), All: AlterRoutine})
}

// show is a SHOW that go-mysql-server answers.
func (c *collector) show(s *sqlparser.Show) bool {
	table := tableName(s.Table)
	db := s.Database
	if s.ShowTablesOpt != nil && s.ShowTablesOpt.DbName != "" {
		db = s.ShowTablesOpt.DbName
	}
	if table.DB == "" {
		table.DB = db
	}
	if table.DB != "" && db == "" {
		db = table.DB
	}
	rule, ok := shows[strings.ToLower(s.Type)]
	if !ok {
		return false
	}
	c.needs.add(rule(db, table)...)
	c.walk(s.Filter)
	c.walk(s.ShowTablesOpt)
	c.walk(s.ShowIndexFilterOpt)
	c.walk(s.ShowCollationFilterOpt)
	return true
}

func nothing(string, TableName) []Need { return nil }

// listing the objects of a database needs some privilege on it or on something in it, or any global one.
func listingOf(db string, _ TableName) []Need { return []Need{{On: Database, DB: db, Any: All}} }

// anyOnDatabase is some privilege on a database or on something in it.
func anyOnDatabase(db string, _ TableName) []Need {
	return []Need{{On: Database, DB: db, Any: OnDatabase}}
}

// describing a table needs any privilege on it or on one of its columns.
func describing(_ string, t TableName) []Need {
	n := onTable(t, 0)
	n.Any, n.ByColumn, n.Word = OnTable, true, "SELECT"
	return []Need{n}
}

// ShowCreateTable needs any privilege on the table as a whole.
func showCreate(_ string, t TableName) []Need {
	n := onTable(t, 0)
	n.Any, n.Word = OnTable, "SHOW"
	return []Need{n}
}

func showCreateView(_ string, t TableName) []Need {
	view := onTable(t, ShowView)
	return []Need{onTable(t, Select), view}
}

// shows are the kinds of SHOW by go-mysql-server's names.
var shows = map[string]func(db string, t TableName) []Need{
	"tables": listingOf, "table status": listingOf, "triggers": listingOf, "create database": anyOnDatabase,
	"create schema": anyOnDatabase,
	"events":        func(db string, _ TableName) []Need { return []Need{onDatabase(db, Event)} },
	"create event":  func(_ string, t TableName) []Need { return []Need{onDatabase(t.DB, Event)} },
	"create table":  showCreate, "create view": showCreateView,
	"columns": describing, "fields": describing, "index": describing, "indexes": describing, "keys": describing,
	"create trigger": func(_ string, t TableName) []Need {
		return []Need{{On: Table, DB: t.DB, Name: triggerMark + t.Name, All: Trigger, Hidden: true}}
	},
	"create procedure": func(_ string, t TableName) []Need {
		return []Need{{On: Procedure, DB: t.DB, Name: t.Name, Any: Execute | AlterRoutine, Hidden: true}}
	},
	"create function": func(_ string, t TableName) []Need {
		return []Need{{On: Function, DB: t.DB, Name: t.Name, Any: Execute | AlterRoutine, Hidden: true}}
	},
	"databases": nothing, "schemas": nothing, "procedure status": nothing, "function status": nothing, "status": nothing,
	"variables": nothing, "warnings": nothing, "errors": nothing, "engines": nothing, "plugins": nothing, "charset": nothing,
	"character set": nothing, "collation": nothing, "processlist": nothing, "count": nothing, "open tables": nothing, "profiles": nothing,
	"binary logs":    func(string, TableName) []Need { return []Need{global(Super | BinlogMonitor)} },
	"master status":  func(string, TableName) []Need { return []Need{global(Super | BinlogMonitor)} },
	"replica status": func(string, TableName) []Need { return []Need{global(Super | SlaveMonitor)} },
	"slave status":   func(string, TableName) []Need { return []Need{global(Super | SlaveMonitor)} },
	"engine":         func(string, TableName) []Need { return []Need{global(Process)} },
}

// otherAccount is what looking at an account needs that is not one's own.
func otherAccount(user, host string) Need {
	return Need{On: Database, DB: "mysql", All: Select, Account: user + "@" + host}
}
