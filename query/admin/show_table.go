package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// SHOW CREATE TABLE and SHOW COLUMNS are written from the catalog, in MariaDB's
// words (package ddltext): go-mysql-server writes MySQL 8's, and says some types differently.

// storedTable finds a table of the catalog in the session's transaction, and checks
// that the user may see it. nil is for views, temporary and virtual tables.
func (s showing) storedTable(ctx context.Context, use statement.Use) (*catalog.Table, error) {
	db := s.DBOf(use)
	if db == "" || session.VirtualDatabase(db) || s.Temp.Has(db, use.Name) {
		return nil, nil
	}
	tx := s.EnsureTxn()
	if err := tx.LockTable(ctx, db, use.Name, txn.Describe); err != nil {
		return nil, err
	}
	tbl := tx.Catalog().Table(db, use.Name)
	if tbl == nil || tbl.Local {
		return nil, nil
	}
	if !s.SQL.Rights().TableVisible(db, use.Name) {
		return nil, mysqlerr.New(mysqlerr.TableAccessDenied, "SHOW", s.Info.User, s.Info.Host, db, use.Name)
	}
	return tbl, nil
}

// describes reports whether SHOW COLUMNS of a table is answered here: it is for tables and views, and those of the server itself.
func (s showing) describes(use statement.Use) bool {
	db := s.DBOf(use)
	if gms.SystemTable(db, use.Name) != nil {
		return true
	}
	if s.Temp.Has(db, use.Name) {
		return true
	}
	if db == "" || session.VirtualDatabase(db) || s.EnsureTxn().Catalog().TableLike(db, use.Name) == nil && !s.isView(db, use.Name) {
		s.EndIdle()
		return false
	}
	return true
}

// showColumns is SHOW COLUMNS and DESCRIBE.
func (s showing) showColumns(ctx context.Context, use statement.Use, full bool, f dialect.Filter) (*adminRows, error) {
	db := s.DBOf(use)
	names := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if full {
		names = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	def := gms.SystemTable(db, use.Name)
	temporary, _ := s.SQL.TemporaryTable(db, use.Name)
	if temporary != nil {
		def = temporary
	}
	if def == nil {
		tbl, err := s.storedTable(ctx, use)
		if err != nil {
			return nil, err
		}
		if def = s.viewDef(ctx, db, use.Name); tbl != nil {
			def = tbl.Def
		} else if def != nil && def.Columns == nil {
			return nil, mysqlerr.New(mysqlerr.ViewInvalid, db, use.Name)
		}
	}
	if def == nil {
		return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, use.Name)
	}
	def = ddltext.InZone(def, s.Vars.Str("time_zone"))
	var rows [][]any
	rights := s.SQL.Rights()
	for i := range def.Columns {
		if c := &def.Columns[i]; !c.Hidden && (temporary != nil || rights.ColumnVisible(db, use.Name, c.Name)) {
			row := s.columnRow(def, i, full)
			if full {
				may := "select,insert,update,references" // of the session's own table
				if temporary == nil {
					may = rights.OnColumn(db, use.Name, c.Name)
				}
				row = append(row, may, c.Comment)
			}
			rows = append(rows, row)
		}
	}
	return filtered(names, rows, f)
}

func (s showing) columnRow(def *catalog.TableDef, i int, full bool) []any {
	c := &def.Columns[i]
	null := "NO"
	if c.Nullable {
		null = "YES"
	}
	byDefault := ddltext.PlainDefault(c)
	if text, ok := byDefault.(string); ok && !c.DefaultLiteral {
		byDefault = s.style().Names(text)
	}
	row := []any{c.Name, ddltext.Type(c.SQLType), null, ddltext.Key(def, i), byDefault, ddltext.Extra(c)}
	if !full {
		return row
	}
	var coll any
	if name := ddltext.Collation(c); name != "" {
		coll = name
	}
	return slices.Insert(row, 2, coll)
}

// writesDefinition reports whether SHOW CREATE TABLE of a name is answered here, see describes.
func (s showing) writesDefinition(use statement.Use) bool {
	db := s.DBOf(use)
	return strings.EqualFold(db, "mysql") && gms.LogTables[strings.ToLower(use.Name)] != "" || s.describes(use)
}

// showCreateTable is SHOW CREATE TABLE.
func (s showing) showCreateTable(ctx context.Context, use statement.Use) (*adminRows, error) {
	use.DB = s.DBOf(use)
	if text := gms.LogTables[strings.ToLower(use.Name)]; strings.EqualFold(use.DB, "mysql") && text != "" {
		return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{use.Name, text}}}, nil
	}
	if def := gms.SystemTable(use.DB, use.Name); def != nil {
		return s.createdSystemTable(def), nil
	}
	if def, next := s.SQL.TemporaryTable(use.DB, use.Name); def != nil {
		text := "CREATE TEMPORARY" + strings.TrimPrefix(s.style().Table(ddltext.InZone(def, s.Vars.Str("time_zone")), next), "CREATE")
		return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{def.Name, text}}}, nil
	}
	if s.isView(use.DB, use.Name) {
		return s.createdView(s.EnsureTxn().Catalog(), use)
	}
	tbl, err := s.storedTable(ctx, use)
	if err != nil {
		return nil, err
	}
	if tbl == nil {
		return nil, mysqlerr.New(mysqlerr.NoSuchTable, use.DB, use.Name)
	}
	text, err := s.showCreateText(tbl)
	return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{tbl.Def.Name, text}}}, err
}

func (s showing) showCreateText(tbl *catalog.Table) (string, error) {
	next := uint64(0)
	for _, c := range tbl.Def.Columns {
		if c.AutoIncrement {
			var err error
			if next, err = s.EnsureTxn().PeekAutoIncrement(tbl); err != nil {
				return "", err
			}
		}
	}
	return s.style().Table(ddltext.InZone(tbl.Def, s.Vars.Str("time_zone")), next), nil
}
