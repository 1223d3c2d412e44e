package query

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/ddltext"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// mapError gives an error the form that the client gets. A statement that KILL or
// the server's end cancelled reports that, whatever error came of it.
func (s *Session) mapError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)) {
		err = cause
	}
	e := mysqlerr.From(err)
	if st := s.stmt; st != nil {
		e = s.refine(st, e)
	}
	if e.Number == mysqlerr.DupEntry {
		if d := s.run.Duplicate; d.Key != "" {
			e = mysqlerr.New(mysqlerr.DupEntryWithKeyName, d.Entry, d.Key).WithCause(err)
			e.Number = mysqlerr.DupEntry
		}
	}
	s.engine.status.add("Errors", 1)
	s.Warn(&sql.Warning{Level: "Error", Code: int(e.Number), Message: e.Message})
	return e
}

var bareTable = regexp.MustCompile(`^Table '([^'.]+)' doesn't exist$`)

// refine tells apart errors that go-mysql-server reports alike, by the statement
// that they ended.
func (s *Session) refine(st *statement, e *mysqlerr.Error) *mysqlerr.Error {
	if m := bareTable.FindStringSubmatch(e.Message); m != nil && e.Number == mysqlerr.NoSuchTable {
		db := s.GetCurrentDatabase()
		for _, t := range st.tables {
			if t.db != "" && strings.EqualFold(t.name, m[1]) {
				db = t.db
			}
		}
		e = mysqlerr.New(mysqlerr.NoSuchTable, db, m[1]).WithCause(e)
	}
	switch e.Number {
	case mysqlerr.NoReferencedRow2, mysqlerr.RowIsReferenced2:
		return s.foreignKeyError(st, e)
	case mysqlerr.ConstraintFailed:
		if len(st.tables) > 0 {
			return mysqlerr.Newf(e.Number, "%s for `%s`.`%s`", e.Message, s.dbOf(st.tables[0]), st.tables[0].name).WithCause(e)
		}
	}
	switch n := st.ast.(type) {
	case *sqlparser.DDL:
		if e.Number == mysqlerr.NoSuchTable && n.Action == sqlparser.DropStr && len(n.FromTables) > 0 {
			name := strings.TrimSuffix(strings.TrimPrefix(e.Message, "Table '"), "' doesn't exist")
			return mysqlerr.New(mysqlerr.BadTable, name).WithCause(e)
		}
	case *sqlparser.DBDDL:
		if e.Number == mysqlerr.BadDB && n.Action == sqlparser.DropStr {
			return mysqlerr.New(mysqlerr.DBDropExists, n.DBName).WithCause(e)
		}
	case *sqlparser.Set:
		if m := unknownColumn.FindStringSubmatch(e.Message); m != nil && e.Number == mysqlerr.BadField && len(n.Exprs) > 0 {
			return mysqlerr.New(mysqlerr.UnknownSystemVariable, m[1]).WithCause(e)
		}
	}
	return e
}

func (s *Session) dbOf(t tableUse) string {
	if t.db != "" {
		return t.db
	}
	return s.GetCurrentDatabase()
}

var violatedKey = regexp.MustCompile("on fk: `([^`]+)`, table: `([^`]+)`")

// foreignKeyError words a foreign key violation as MariaDB does.
func (s *Session) foreignKeyError(st *statement, e *mysqlerr.Error) *mysqlerr.Error {
	m := violatedKey.FindStringSubmatch(e.Message)
	if m == nil {
		return e
	}
	cat := s.engine.store.Catalog().Current()
	dbs := []string{s.GetCurrentDatabase()}
	for _, t := range st.tables {
		dbs = append(dbs, s.dbOf(t))
	}
	for _, db := range dbs {
		tbl := cat.Table(db, m[2])
		if tbl == nil {
			continue
		}
		for _, fk := range tbl.Def.ForeignKeys {
			if strings.EqualFold(fk.Name, m[1]) {
				return mysqlerr.New(e.Number, foreignKeyText(tbl.Def, &fk)).WithCause(e)
			}
		}
	}
	return e
}

func foreignKeyText(def *catalog.TableDef, fk *catalog.ForeignKeyDef) string {
	return quoteName(def.DB) + "." + quoteName(def.Name) + ", " + ddltext.ForeignKey(def, fk)
}

var unknownColumn = regexp.MustCompile(`^Unknown column '([^']+)' in`)

// Warn implements sql.Session. go-mysql-server words and ranks some warnings
// differently, and makes some that MariaDB has not.
func (s *Session) Warn(w *sql.Warning) {
	if !s.noteStrict(w) {
		return
	}
	switch {
	case w.Code == 1831: // duplicate index: reported for any two indexes of one length
		return
	case w.Code == int(mysqlerr.BadTable) && s.stmt != nil:
		own := *w
		own.Message = s.unknownTable(w.Message)
		w = &own
	case w.Level == "Note" && w.Code != int(mysqlerr.DataTruncated) && s.stmt != nil && s.stmt.kind == kindWrite:
		own := *w
		own.Level = "Warning"
		if d := s.run.Duplicate; w.Code == int(mysqlerr.DupEntry) && d.Key != "" {
			own.Message = mysqlerr.New(mysqlerr.DupEntryWithKeyName, d.Entry, d.Key).Message
		}
		w = &own
	}
	if uint64(len(s.Warnings())) < max(s.vars.Uint("max_error_count"), 1) {
		s.BaseSession.Warn(w)
	}
}

func (s *Session) clearWarnings() { s.ClearWarnings() }
