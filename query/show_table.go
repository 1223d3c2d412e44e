package query

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/ddltext"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// SHOW CREATE TABLE and SHOW COLUMNS are written from the catalog, in MariaDB's
// words (package ddltext): go-mysql-server writes MySQL 8's, and says some types differently.

// storedTable finds a table of the catalog in the session's transaction, and checks
// that the user may see it. nil is for views, temporary and virtual tables.
func (s *Session) storedTable(ctx context.Context, use tableUse) (*catalog.Table, error) {
	db := s.dbOf(use)
	if db == "" || virtualDatabase(db) || s.temp.Has(db, use.name) {
		return nil, nil
	}
	tx := s.ensureTxn()
	if err := tx.LockTable(ctx, db, use.name, txn.Shared); err != nil {
		return nil, err
	}
	tbl := tx.Catalog().Table(db, use.name)
	if tbl == nil || tbl.Local {
		return nil, nil
	}
	if !s.maySee(ctx, db, use.name) {
		return nil, mysqlerr.New(mysqlerr.TableAccessDenied, "SHOW", s.info.User, s.info.Host, db, use.name)
	}
	return tbl, nil
}

// maySee reports whether the user has any privilege on a table.
func (s *Session) maySee(ctx context.Context, db, table string) bool {
	users := s.engine.gms.Analyzer.Catalog.MySQLDb
	c := s.newContext(ctx, "")
	for _, p := range []sql.PrivilegeType{
		sql.PrivilegeType_Select, sql.PrivilegeType_Insert, sql.PrivilegeType_Update, sql.PrivilegeType_Delete,
		sql.PrivilegeType_Create, sql.PrivilegeType_Alter, sql.PrivilegeType_Drop, sql.PrivilegeType_Index, sql.PrivilegeType_References,
	} {
		if users.UserHasPrivileges(c, sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{Database: db, Table: table}, p)) {
			return true
		}
	}
	return false
}

// parseShowColumns is SHOW [FULL] COLUMNS FROM table [FROM db] [LIKE | WHERE].
func (s *Session) parseShowColumns(c *dialect.Parser, full bool) adminRun {
	if !c.AcceptAny("FROM", "IN") {
		return nil
	}
	use, ok := tableAt(c)
	if !ok {
		return nil
	}
	if c.AcceptAny("FROM", "IN") {
		use.db = c.Next().Text
	}
	return s.columnsRun(c, use, full)
}

// columnsRun answers SHOW COLUMNS for stored tables; others are left to
// go-mysql-server (nil).
func (s *Session) columnsRun(c *dialect.Parser, use tableUse, full bool) adminRun {
	db := s.dbOf(use)
	system := systemTable(db, use.name)
	if system == nil && (db == "" || virtualDatabase(db) || s.temp.Has(db, use.name) || s.ensureTxn().Catalog().Table(db, use.name) == nil && !s.isView(db, use.name)) {
		s.endIdle()
		return nil
	}
	names := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if full {
		names = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	keep, err := filterAt(c, names)
	if err != nil {
		return failRun(err)
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		def := system
		if def == nil {
			tbl, err := s.storedTable(ctx, use)
			if err != nil {
				return nil, err
			}
			if def = s.viewDef(ctx, db, use.name); tbl != nil {
				def = tbl.Def
			}
		}
		if def == nil {
			return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, use.name)
		}
		out := &adminRows{names: names}
		for i := range def.Columns {
			if def.Columns[i].Hidden {
				continue
			}
			row := columnRow(def, i, full)
			ok, err := keep(row)
			if err != nil {
				return nil, err
			}
			if ok {
				out.rows = append(out.rows, row)
			}
		}
		return out, nil
	})
}

// endIdle ends a transaction that was begun only to look at the catalog.
func (s *Session) endIdle() {
	if s.tx != nil && !s.inTransaction() {
		s.rollbackAll()
	}
}

func columnRow(def *catalog.TableDef, i int, full bool) []any {
	c := &def.Columns[i]
	null := "NO"
	if c.Nullable {
		null = "YES"
	}
	row := []any{c.Name, ddltext.Type(c.SQLType), null, ddltext.Key(def, i), ddltext.PlainDefault(c), ddltext.Extra(c)}
	if !full {
		return row
	}
	var coll any
	if name := ddltext.Collation(c); name != "" {
		coll = name
	}
	return append(append(slices.Insert(row, 2, coll), "select,insert,update,references"), c.Comment)
}

// parseShowCreateTable is SHOW CREATE TABLE name.
func (s *Session) parseShowCreateTable(c *dialect.Parser) adminRun {
	use, ok := tableAt(c)
	if !ok || !c.End() {
		return nil
	}
	db := s.dbOf(use)
	if text := logTables[strings.ToLower(use.name)]; strings.EqualFold(db, "mysql") && text != "" {
		return rowsRun(func(context.Context) (*adminRows, error) {
			return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{use.name, text}}}, nil
		})
	}
	if def := systemTable(db, use.name); def != nil {
		return rowsRun(func(context.Context) (*adminRows, error) { return createdSystemTable(def), nil })
	}
	if db != "" && !virtualDatabase(db) && s.isView(db, use.name) && !s.temp.Has(db, use.name) {
		use.db = db
		return rowsRun(func(context.Context) (*adminRows, error) { return s.createdView(s.ensureTxn().Catalog(), use) })
	}
	if db == "" || virtualDatabase(db) || s.temp.Has(db, use.name) || s.ensureTxn().Catalog().Table(db, use.name) == nil {
		s.endIdle()
		return nil
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		tbl, err := s.storedTable(ctx, use)
		if err != nil {
			return nil, err
		}
		if tbl == nil {
			return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, use.name)
		}
		text, err := s.showCreateText(tbl)
		return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{tbl.Def.Name, text}}}, err
	})
}

func (s *Session) showCreateText(tbl *catalog.Table) (string, error) {
	next := uint64(0)
	for _, c := range tbl.Def.Columns {
		if c.AutoIncrement {
			var err error
			if next, err = s.ensureTxn().PeekAutoIncrement(tbl); err != nil {
				return "", err
			}
		}
	}
	return ddltext.Table(tbl.Def, next), nil
}
