package engines

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Refuse refuses a definition with what tables of the engine cannot have.
func (e *Engine) Refuse(def *catalog.TableDef) error {
	if !e.Memory {
		return nil
	}
	for i := range def.Columns {
		switch c := &def.Columns[i]; {
		case c.Generated != "":
			return mysqlerr.New(mysqlerr.UnsupportedEngineForGenerated, e.Name)
		case c.Type == mysql.MYSQL_TYPE_BLOB:
			return mysqlerr.New(mysqlerr.TableCantHandleBlob, e.Name)
		case c.Type == mysql.MYSQL_TYPE_GEOMETRY:
			return mysqlerr.New(mysqlerr.CheckNotImplemented, "GEOMETRY")
		}
	}
	for i := range def.Indexes {
		switch x := &def.Indexes[i]; {
		case x.Kind == catalog.Fulltext:
			return mysqlerr.New(mysqlerr.TableCantHandleFulltext, e.Name)
		case x.Hash: // whose digests are a generated column in MariaDB
			return mysqlerr.New(mysqlerr.UnsupportedEngineForGenerated, e.Name)
		}
	}
	return nil
}

// RefuseKeys refuses foreign keys from or to tables of engines that cannot have them: rows that are gone after a restart
// leave others without what they refer to. MariaDB makes a table without the key then.
func (l *List) RefuseKeys(cat *catalog.Snapshot) error {
	if !slices.ContainsFunc(l.all, func(e *Engine) bool { return e.Memory }) {
		return nil
	}
	for _, child := range cat.AllTables() {
		for i := range child.Def.ForeignKeys {
			key := &child.Def.ForeignKeys[i]
			parent := cat.TableLike(key.ParentDB, key.ParentTable)
			if l.Of(child.Def.Engine).Memory || parent != nil && l.Of(parent.Def.Engine).Memory {
				return mysqlerr.New(mysqlerr.CantCreateTable, child.Def.DB, child.Def.Name, `150 "Foreign key constraint is incorrectly formed"`)
			}
		}
	}
	return nil
}

// InKeys reports whether a table has foreign keys, or others have some that reference it.
func InKeys(cat *catalog.Snapshot, def *catalog.TableDef) bool {
	if len(def.ForeignKeys) > 0 {
		return true
	}
	for _, child := range cat.AllTables() {
		for i := range child.Def.ForeignKeys {
			key := &child.Def.ForeignKeys[i]
			if strings.EqualFold(key.ParentDB, def.DB) && strings.EqualFold(key.ParentTable, def.Name) {
				return true
			}
		}
	}
	return false
}
