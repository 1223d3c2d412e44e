package needs

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
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
		n.Add(privilege.NeedDatabase(s.EventSpec.EventName.Qualifier.String(), privilege.Event))
		if r := s.EventSpec.RenameName; !r.Name.IsEmpty() {
			n.Add(privilege.NeedDatabase(r.Qualifier.String(), privilege.Event))
		}
		n.Definer = s.EventSpec.Definer
	case s.User.Name != "" || s.Authentication != nil || s.AccountLimits != nil:
		n.Add(privilege.NeedGlobal(privilege.CreateUser)) // ALTER USER
	case action == sqlparser.CreateStr:
		c.create(s)
	case action == sqlparser.DropStr:
		for _, t := range s.FromTables {
			need := privilege.NeedTable(tableName(t), privilege.Drop)
			if s.Temporary {
				continue // it drops nothing but temporary tables
			}
			n.Add(need)
		}
		for _, t := range s.FromViews {
			n.Add(privilege.NeedTable(tableName(t), privilege.Drop))
		}
	case action == sqlparser.RenameStr:
		for i, from := range s.FromTables {
			n.Add(privilege.NeedTable(tableName(from), privilege.Alter|privilege.Drop))
			if i < len(s.ToTables) {
				n.Add(created(s.ToTables[i], privilege.Create|privilege.Insert))
			}
		}
	case action == sqlparser.TruncateStr:
		n.Add(privilege.NeedTable(tableName(s.Table), privilege.Drop))
	default:
		c.alterClause(s, privilege.Alter)
	}
}

// created is the need for a table that the statement makes: a temporary one of that name does not count.
func created(t sqlparser.TableName, all privilege.Set) privilege.Need {
	need := privilege.NeedTable(tableName(t), all)
	need.Temporary = false
	return need
}

func (c *collector) create(s *sqlparser.DDL) {
	n := c.needs
	if s.Temporary {
		n.Add(privilege.Need{On: privilege.Database, DB: s.Table.DbQualifier.String(), Name: s.Table.Name.String(), All: privilege.CreateTemporary})
	} else {
		all := privilege.Create
		if s.OptSelect != nil {
			all |= privilege.Insert
		}
		if s.OrReplace {
			all |= privilege.Drop
		}
		n.Add(created(s.Table, all))
	}
	if s.OptLike != nil {
		for _, t := range s.OptLike.LikeTables {
			n.Add(privilege.NeedTable(tableName(t), privilege.Select))
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
		need := privilege.NeedTable(parent, privilege.References)
		need.Temporary = false
		c.needs.Add(need)
	}
}

// alterClause is one clause of ALTER TABLE, which needs ALTER, or CREATE INDEX and DROP INDEX.
func (c *collector) alterClause(s *sqlparser.DDL, alter privilege.Set) {
	n := c.needs
	if strings.EqualFold(s.Action, sqlparser.RenameStr) && len(s.ToTables) > 0 {
		from := s.Table
		if len(s.FromTables) > 0 {
			from = s.FromTables[0]
		}
		n.Add(privilege.NeedTable(tableName(from), privilege.Alter|privilege.Drop), created(s.ToTables[0], privilege.Create|privilege.Insert))
		return
	}
	n.Add(privilege.NeedTable(tableName(s.Table), alter))
	if s.TableSpec != nil && s.ConstraintAction != sqlparser.DropStr {
		c.foreignKeys(s.Table, s.TableSpec.Constraints)
	}
	if p := s.PartitionSpec; p != nil && p.Action == sqlparser.DropStr {
		n.Add(privilege.NeedTable(tableName(s.Table), privilege.Drop))
	}
}

func (c *collector) view(s *sqlparser.DDL, action string) {
	all := privilege.CreateView
	if action == sqlparser.AlterStr || s.OrReplace {
		all |= privilege.Drop
	}
	c.needs.Add(created(s.ViewSpec.ViewName, privilege.CreateView))
	if all&privilege.Drop != 0 {
		c.needs.Add(created(s.ViewSpec.ViewName, privilege.Drop))
	}
	c.word = "ANY"
	c.walk(s.ViewSpec.ViewExpr)
	c.needs.Definer = s.ViewSpec.Definer
}

func (c *collector) trigger(s *sqlparser.DDL, action string) {
	n := c.needs
	n.Add(privilege.Need{On: privilege.Global, Any: privilege.Super, Unsafe: true})
	if action != sqlparser.CreateStr {
		// The table is known to the catalog only.
		n.Add(privilege.Need{On: privilege.Table, DB: s.TriggerSpec.TrigName.Qualifier.String(), Name: privilege.TriggerMark + s.TriggerSpec.TrigName.Name.String(), All: privilege.Trigger})
		return
	}
	need := created(s.Table, privilege.Trigger)
	if need.DB == "" {
		need.DB = s.TriggerSpec.TrigName.Qualifier.String()
	}
	n.Add(need)
	n.Definer = s.TriggerSpec.Definer
}

func (c *collector) procedure(s *sqlparser.ProcedureSpec, action string) {
	name := s.ProcName
	if action == sqlparser.CreateStr {
		c.needs.Add(privilege.NeedDatabase(name.Qualifier.String(), privilege.CreateRoutine))
		c.needs.Definer = s.Definer
		return
	}
	c.needs.Add(privilege.Need{On: privilege.Procedure, DB: name.Qualifier.String(), Name: name.Name.String(), All: privilege.AlterRoutine})
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
	c.needs.Add(rule(db, table)...)
	c.walk(s.Filter)
	c.walk(s.ShowTablesOpt)
	c.walk(s.ShowIndexFilterOpt)
	c.walk(s.ShowCollationFilterOpt)
	return true
}

func nothing(string, privilege.TableName) []privilege.Need { return nil }

// shows are the kinds of SHOW by go-mysql-server's names.
var shows = map[string]func(db string, t privilege.TableName) []privilege.Need{
	"tables": privilege.ListingOf, "table status": privilege.ListingOf, "triggers": privilege.ListingOf, "create database": privilege.AnyOnDatabase,
	"create schema": privilege.AnyOnDatabase,
	"events": func(db string, _ privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedDatabase(db, privilege.Event)}
	},
	"create event": func(_ string, t privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedDatabase(t.DB, privilege.Event)}
	},
	"create table": privilege.ShowCreate, "create view": privilege.ShowCreateView,
	"columns": privilege.Describing, "fields": privilege.Describing, "index": privilege.Describing, "indexes": privilege.Describing, "keys": privilege.Describing,
	"create trigger": func(_ string, t privilege.TableName) []privilege.Need {
		return []privilege.Need{{On: privilege.Table, DB: t.DB, Name: privilege.TriggerMark + t.Name, All: privilege.Trigger, Hidden: true}}
	},
	"create procedure": func(_ string, t privilege.TableName) []privilege.Need {
		return []privilege.Need{{On: privilege.Procedure, DB: t.DB, Name: t.Name, Any: privilege.Execute | privilege.AlterRoutine, Hidden: true}}
	},
	"create function": func(_ string, t privilege.TableName) []privilege.Need {
		return []privilege.Need{{On: privilege.Function, DB: t.DB, Name: t.Name, Any: privilege.Execute | privilege.AlterRoutine, Hidden: true}}
	},
	"databases": nothing, "schemas": nothing, "procedure status": nothing, "function status": nothing, "status": nothing,
	"variables": nothing, "warnings": nothing, "errors": nothing, "engines": nothing, "plugins": nothing, "charset": nothing,
	"character set": nothing, "collation": nothing, "processlist": nothing, "count": nothing, "open tables": nothing, "profiles": nothing,
	"binary logs": func(string, privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedGlobal(privilege.Super | privilege.BinlogMonitor)}
	},
	"master status": func(string, privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedGlobal(privilege.Super | privilege.BinlogMonitor)}
	},
	"replica status": func(string, privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedGlobal(privilege.Super | privilege.SlaveMonitor)}
	},
	"slave status": func(string, privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedGlobal(privilege.Super | privilege.SlaveMonitor)}
	},
	"engine": func(string, privilege.TableName) []privilege.Need {
		return []privilege.Need{privilege.NeedGlobal(privilege.Process)}
	},
}

// otherAccount is what looking at an account needs that is not one's own.
func otherAccount(user, host string) privilege.Need {
	return privilege.Need{On: privilege.Database, DB: "mysql", All: privilege.Select, Account: user + "@" + host}
}
