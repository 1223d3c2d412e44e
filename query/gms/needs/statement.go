package needs

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/privilege"
)

// Of gives the needs of a statement. ok is false for one that the tables here do not know. The text is for
// its first word: CREATE INDEX and ALTER TABLE ... ADD INDEX are the same tree.
func Of(st sqlparser.Statement, text string) (n privilege.Needs, ok bool) {
	c := &collector{needs: &n}
	ok = c.statement(st, text)
	return n, ok && !c.deep
}

func (c *collector) statement(st sqlparser.Statement, text string) (ok bool) {
	n := c.needs
	switch s := st.(type) {
	case *sqlparser.Select, *sqlparser.SetOp, *sqlparser.ParenSelect:
		c.walk(s)
	case *sqlparser.Insert:
		c.insert(s)
	case *sqlparser.Update:
		c.update(s)
	case *sqlparser.Delete:
		c.delete(s)
	case *sqlparser.Load:
		c.load(s)
	case *sqlparser.Set:
		c.set(s)
	case *sqlparser.Call:
		n.Add(privilege.Need{On: privilege.Procedure, DB: s.ProcName.Qualifier.String(), Name: s.ProcName.Name.String(), All: privilege.Execute})
		c.walk(s.Params)
	case *sqlparser.Explain:
		return c.statement(s.Statement, "")
	case *sqlparser.DDL:
		c.ddl(s)
	case *sqlparser.AlterTable:
		alter := privilege.Alter
		if w, _, _ := strings.Cut(strings.TrimSpace(text), " "); strings.EqualFold(w, "CREATE") || strings.EqualFold(w, "DROP") {
			alter = privilege.Index
		}
		for _, clause := range s.Statements {
			c.alterClause(clause, alter)
		}
		if len(s.Statements) == 0 {
			n.Add(privilege.NeedTable(tableName(s.Table), privilege.Alter))
		}
		for _, p := range s.PartitionSpecs {
			if p != nil && p.Action == sqlparser.DropStr {
				n.Add(privilege.NeedTable(tableName(s.Table), privilege.Drop))
			}
		}
		n.List = unique(n.List)
	case *sqlparser.DBDDL:
		all := privilege.Create
		switch strings.ToLower(s.Action) {
		case sqlparser.DropStr:
			all = privilege.Drop
		case sqlparser.AlterStr:
			all = privilege.Alter
		}
		n.Add(privilege.NeedDatabase(s.DBName, all))
	case *sqlparser.Show:
		return c.show(s)
	case *sqlparser.Use:
		n.Add(privilege.Need{On: privilege.Database, DB: s.DBName.String(), Any: privilege.OnDatabase})
	case *sqlparser.LockTables:
		for _, t := range s.Tables {
			if a, isTable := t.Table.(*sqlparser.AliasedTableExpr); isTable {
				if name, isName := a.Expr.(sqlparser.TableName); isName {
					c.lock(tableName(name))
				}
			}
		}
	case *sqlparser.Analyze:
		for _, t := range s.Tables {
			n.Add(privilege.NeedTable(tableName(t), privilege.Select|privilege.Insert))
		}
	case *sqlparser.CreateUser, *sqlparser.RenameUser, *sqlparser.DropUser, *sqlparser.CreateRole, *sqlparser.DropRole:
		n.Add(privilege.NeedGlobal(privilege.CreateUser))
	case *sqlparser.GrantPrivilege:
		grant(n, s.ObjectType, s.PrivilegeLevel, s.Privileges)
		if s.WithGrantOption {
			n.List[len(n.List)-1].All |= privilege.Grant
		}
	case *sqlparser.RevokePrivilege:
		if s.Auth.AuthType == sqlparser.AuthType_REVOKE_ALL {
			n.Add(privilege.NeedGlobal(privilege.CreateUser))
			break
		}
		grant(n, s.ObjectType, s.PrivilegeLevel, s.Privileges)
	case *sqlparser.GrantRole, *sqlparser.RevokeRole:
		// MariaDB asks for the role's ADMIN OPTION, or for SUPER; the grant itself knows of the first.
	case *sqlparser.GrantProxy, *sqlparser.RevokeProxy:
		n.Add(privilege.NeedGlobal(privilege.Super))
	case *sqlparser.ShowGrants:
		if s.For != nil && !s.CurrentUser {
			n.Add(otherAccount(s.For.Name, s.For.Host))
		}
	case *sqlparser.Flush:
		n.Add(privilege.NeedGlobal(privilege.Reload))
	case *sqlparser.Binlog:
		n.Add(privilege.NeedGlobal(privilege.Super | privilege.BinlogReplay))
	case *sqlparser.PurgeBinaryLogs:
		n.Add(privilege.NeedGlobal(privilege.Super | privilege.BinlogAdmin))
	case *sqlparser.ChangeReplicationSource, *sqlparser.ChangeReplicationFilter, *sqlparser.StartReplica, *sqlparser.StopReplica:
		n.Add(privilege.NeedGlobal(privilege.Super | privilege.ReplicationSlaveAdmin))
	case *sqlparser.ResetReplica:
		n.Add(privilege.NeedGlobal(privilege.Reload))
	case *sqlparser.CreateSpatialRefSys:
		n.Add(privilege.NeedGlobal(privilege.Super))
	case *sqlparser.Kill, *sqlparser.Prepare, *sqlparser.Execute, *sqlparser.Deallocate, *sqlparser.Begin, *sqlparser.Commit,
		*sqlparser.Rollback, *sqlparser.Savepoint, *sqlparser.RollbackSavepoint, *sqlparser.ReleaseSavepoint,
		*sqlparser.UnlockTables, *sqlparser.ShowPrivileges:
		// Nothing, or what the statement finds out itself: whose connection, which statement.
	case *sqlparser.BeginEndBlock, *sqlparser.CaseStatement, *sqlparser.IfStatement, *sqlparser.Signal, *sqlparser.Resignal,
		*sqlparser.Declare, *sqlparser.OpenCursor, *sqlparser.CloseCursor, *sqlparser.FetchCursor, *sqlparser.Loop,
		*sqlparser.Repeat, *sqlparser.While, *sqlparser.Leave, *sqlparser.Return, *sqlparser.Iterate:
		// Inside of routines only; the statements in them are asked one by one, when they run.
	default:
		return false
	}
	return true
}

// unique leaves out repeated needs.
func unique(list []privilege.Need) []privilege.Need {
	var out []privilege.Need
	for _, x := range list {
		seen := false
		for i := range out {
			seen = seen || out[i] == x
		}
		if !seen {
			out = append(out, x)
		}
	}
	return out
}

// target is the table that a statement changes, in a query block of which the rest of the statement reads.
func (c *collector) target(t sqlparser.TableName, need privilege.Need) {
	c.needs.Add(need)
	c.block.add(aliased{TableName: tableName(t), alias: t.Name.String(), base: true})
}

func (c *collector) insert(s *sqlparser.Insert) {
	need := privilege.NeedTable(tableName(s.Table), privilege.Insert)
	if s.Action == sqlparser.ReplaceStr {
		need.All |= privilege.Delete
	}
	if len(s.OnDup) > 0 {
		need.All |= privilege.Update
	}
	need.ByColumn = len(s.Columns) > 0
	given := privilege.Insert | need.All&privilege.Update
	if len(s.Returning) > 0 {
		given |= privilege.Select
	}
	c.needs.Add(need)
	c.scoped(s.With, func() { c.walk(s.Rows) })
	c.scoped(nil, func() {
		c.block.add(aliased{TableName: tableName(s.Table), alias: s.Table.Name.String(), base: true})
		if need.ByColumn {
			for _, col := range s.Columns {
				given.Each(func(p privilege.Set) { c.column(p, col.String(), sqlparser.TableName{}) })
			}
		}
		for _, a := range s.OnDup {
			c.column(privilege.Select, a.Name.Name.String(), sqlparser.TableName{})
			c.column(privilege.Update, a.Name.Name.String(), sqlparser.TableName{})
			c.walk(a.Expr)
		}
		c.walk(s.Returning)
	})
}

// single is the table of an UPDATE or DELETE that is about one table only.
func single(exprs sqlparser.TableExprs) (*sqlparser.AliasedTableExpr, sqlparser.TableName, bool) {
	if len(exprs) != 1 {
		return nil, sqlparser.TableName{}, false
	}
	a, ok := exprs[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return nil, sqlparser.TableName{}, false
	}
	t, ok := a.Expr.(sqlparser.TableName)
	return a, t, ok
}

func (c *collector) update(s *sqlparser.Update) {
	c.scoped(s.With, func() {
		if a, t, ok := single(s.TableExprs); ok && !c.block.cte(t.Name.String()) {
			need := privilege.NeedTable(tableName(t), privilege.Update)
			need.ByColumn = true
			c.needs.Add(need)
			c.block.add(aliased{TableName: tableName(t), alias: aliasOr(a.As.String(), t.Name.String()), base: true})
		} else {
			tables, conditions := splitFrom(s.TableExprs)
			for _, t := range tables {
				c.walk(t)
			}
			c.walk(conditions)
			for _, t := range c.block.targets(assigned(s.Exprs)) {
				need := privilege.NeedTable(t, privilege.Update)
				need.ByColumn = true
				c.needs.Add(need)
			}
		}
		for _, e := range s.Exprs {
			c.column(privilege.Update, e.Name.Name.String(), e.Name.Qualifier)
			c.walk(e.Expr)
		}
		c.walk(s.Where)
		c.walk(s.OrderBy)
		c.walk(s.Limit)
		c.walk(s.Returning)
	})
}

// assigned are the qualifiers of the assigned columns; nil if one has none.
func assigned(exprs sqlparser.AssignmentExprs) []sqlparser.TableName {
	var out []sqlparser.TableName
	for _, e := range exprs {
		if e.Name.Qualifier.Name.IsEmpty() {
			return nil
		}
		out = append(out, e.Name.Qualifier)
	}
	return out
}

// targets are the tables of the block that the names mean; all if there are none.
func (b *block) targets(named []sqlparser.TableName) []privilege.TableName {
	var out []privilege.TableName
	for _, t := range b.tables {
		if !t.base {
			continue
		}
		hit := named == nil
		for _, n := range named {
			hit = hit || strings.EqualFold(n.Name.String(), t.alias)
		}
		if hit {
			out = append(out, t.TableName)
		}
	}
	return out
}

func (c *collector) delete(s *sqlparser.Delete) {
	c.scoped(s.With, func() {
		if a, t, ok := single(s.TableExprs); ok && len(s.Targets) == 0 {
			c.needs.Add(privilege.NeedTable(tableName(t), privilege.Delete))
			c.block.add(aliased{TableName: tableName(t), alias: aliasOr(a.As.String(), t.Name.String()), base: true})
		} else {
			tables, conditions := splitFrom(s.TableExprs)
			for _, t := range tables {
				c.walk(t)
			}
			c.walk(conditions)
			for _, t := range c.block.targets(s.Targets) {
				c.needs.Add(privilege.NeedTable(t, privilege.Delete))
			}
		}
		c.walk(s.Where)
		c.walk(s.OrderBy)
		c.walk(s.Limit)
		c.walk(s.Returning)
	})
}

func (c *collector) load(s *sqlparser.Load) {
	if !bool(s.Local) {
		c.needs.Add(privilege.Need{On: privilege.Global, All: privilege.File, File: true})
	}
	need := privilege.NeedTable(tableName(s.Table), privilege.Insert)
	if strings.Contains(strings.ToLower(s.IgnoreOrReplace), "replace") {
		need.All |= privilege.Delete
	}
	c.scoped(nil, func() {
		c.target(s.Table, need)
		c.walk(s.SetExprs)
	})
}

// set needs what its variables need, and what their values read.
func (c *collector) set(s *sqlparser.Set) {
	for _, e := range s.Exprs {
		if c.setsNew(e.Name) {
			c.walk(e.Expr)
			continue
		}
		name, scope := e.Name.Name.String(), e.Scope
		if scope == sqlparser.SetScope_None {
			if col, found, _, err := sqlparser.VarScopeForColName(e.Name); err == nil {
				name, scope = col.Name.String(), found
			}
		}
		switch scope {
		case sqlparser.SetScope_Global, sqlparser.SetScope_Persist, sqlparser.SetScope_PersistOnly:
			c.needs.Add(privilege.Variable(name, true)...)
		case sqlparser.SetScope_Session, sqlparser.SetScope_None:
			c.needs.Add(privilege.Variable(name, false)...)
		}
		c.walk(e.Expr)
	}
}

func (c *collector) lock(t privilege.TableName) { c.needs.Add(privilege.Locking(t)...) }

// grant needs what is granted, and the right to grant it.
func grant(n *privilege.Needs, kind sqlparser.GrantObjectType, level sqlparser.PrivilegeLevel, privs []sqlparser.Privilege) {
	all := privilege.Grant
	for _, p := range privs {
		all |= granted(p)
	}
	need := privilege.Need{All: all}
	switch {
	case level.Database == "*" && level.TableRoutine == "*":
		need.On, need.File = privilege.Global, true
	case level.TableRoutine == "*":
		need.On, need.DB = privilege.Database, level.Database
		need.All &= privilege.OnDatabase
	default:
		need.On, need.DB, need.Name = privilege.Table, level.Database, level.TableRoutine
		switch kind {
		case sqlparser.GrantObjectType_Procedure:
			need.On, need.All = privilege.Procedure, need.All&privilege.OnRoutine
		case sqlparser.GrantObjectType_Function:
			need.On, need.All = privilege.Function, need.All&privilege.OnRoutine
		default:
			need.All &= privilege.OnTable
		}
	}
	n.Add(need)
}
