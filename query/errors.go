package query

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

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
	case *sqlparser.AlterTable:
		for _, d := range n.Statements {
			if e.Number == mysqlerr.BadField && d.ColumnAction == sqlparser.DropStr {
				return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "COLUMN", d.Column.String()).WithCause(e)
			}
		}
	}
	return e
}

var unknownColumn = regexp.MustCompile(`^Unknown column '([^']+)' in`)

func (s *Session) clearWarnings() { s.ClearWarnings() }
