package gms

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/gmserr"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// MapError gives an error the form that the client gets. A statement that KILL or
// the server's end cancelled reports that, whatever error came of it.
func (s *Session) MapError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && (errors.Is(err, context.Canceled) || errors.Is(err, cause)) {
		err = cause
	}
	e := ErrorOf(s, err)
	s.engine.Status.Add("Errors", 1)
	s.Warn("Error", e.Number, e.Message)
	return e
}

// ErrorOf is what a client is told of an error.
func ErrorOf(s *Session, err error) *mysqlerr.Error {
	return unknownInSchema(gmserr.From(err), s.DB())
}

// unknownInSchema gives a table that information_schema has not the error of its own that MariaDB has for it; current is the database of names without one.
func unknownInSchema(e *mysqlerr.Error, current string) *mysqlerr.Error {
	m := noSuchTable.FindStringSubmatch(e.Message)
	if e.Number != mysqlerr.NoSuchTable || m == nil {
		return e
	}
	db := m[1]
	if db == "" {
		db = current
	}
	if !strings.EqualFold(db, infoSchema) {
		return e
	}
	return mysqlerr.New(mysqlerr.UnknownTable, m[2], infoSchema).WithCause(e)
}

const infoSchema = "information_schema"

var noSuchTable = regexp.MustCompile(`^Table '(?:([^'.]+)\.)?([^'.]+)' doesn't exist$`)

var bareTable = regexp.MustCompile(`^Table '([^'.]+)' doesn't exist$`)

// refine gives the error that ended a statement MariaDB's words for it.
func (s *Session) refine(r *running, err error) error {
	if err == nil {
		return nil
	}
	e := unknownFunction(wording{s, r.st}.refineNumber(gmserr.From(err)), s.DB())
	e = inView(s, r, e)
	if d := r.attempt.Duplicate; e.Number == mysqlerr.DupEntry && d.Key != "" {
		e = mysqlerr.Duplicate(d.Entry, d.Key).WithCause(err)
	}
	return e
}

// inView is the error of a statement that reads a view whose query cannot be run any more, as its tables have changed: the client hears of the view.
func inView(s *Session, r *running, e *mysqlerr.Error) *mysqlerr.Error {
	if r.st == nil || e.Number != mysqlerr.BadField && e.Number != mysqlerr.NoSuchTable && e.Number != mysqlerr.ViewInvalid {
		return e
	}
	for _, t := range r.st.Tables {
		db := s.DBOf(t)
		if s.engine.Store.Catalog().Current().Object("view", db, t.Name) == nil {
			continue
		}
		if s.Tx == nil {
			defer s.EndIdle()
		}
		if _, err := s.Schema().view(s.newContext(context.Background(), ""), db, t.Name); broken(err) {
			return mysqlerr.New(mysqlerr.ViewInvalid, db, t.Name).WithCause(e)
		}
	}
	return e
}

// broken reports whether the error of a view's query says that something is not there.
func broken(err error) bool {
	if err == nil {
		return false
	}
	switch gmserr.From(err).Number {
	case mysqlerr.BadField, mysqlerr.NoSuchTable, mysqlerr.ViewInvalid:
		return true
	}
	return false
}

// wording gives the errors of one statement MariaDB's words.
type wording struct {
	s  *Session
	st *syntax.Statement
}

// refineNumber tells apart errors that go-mysql-server reports alike, by the statement
// that they ended.
func (w wording) refineNumber(e *mysqlerr.Error) *mysqlerr.Error {
	if m := bareTable.FindStringSubmatch(e.Message); m != nil && e.Number == mysqlerr.NoSuchTable {
		db := w.s.DB()
		name := m[1]
		for _, t := range w.st.Tables {
			if strings.EqualFold(t.Name, name) {
				name = t.Name // which go-mysql-server writes in small letters
				if t.DB != "" {
					db = t.DB
				}
			}
		}
		if show, ok := w.st.AST.(*sqlparser.Show); ok && !show.Table.DbQualifier.IsEmpty() {
			db = show.Table.DbQualifier.String()
		}
		e = mysqlerr.New(mysqlerr.NoSuchTable, db, name).WithCause(e)
	}
	switch e.Number {
	case mysqlerr.NoReferencedRow2, mysqlerr.RowIsReferenced2:
		return w.foreignKeyError(e)
	case mysqlerr.ConstraintFailed:
		if len(w.st.Tables) > 0 {
			return mysqlerr.Newf(e.Number, "%s for `%s`.`%s`", e.Message, w.s.DBOf(w.st.Tables[0]), w.st.Tables[0].Name).WithCause(e)
		}
	}
	switch n := w.st.AST.(type) {
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

// foreignKeyError words a foreign key violation as MariaDB does.
func (w wording) foreignKeyError(e *mysqlerr.Error) *mysqlerr.Error {
	key, table, ok := gmserr.ViolatedKey(e.Message)
	if !ok {
		return e
	}
	cat := w.s.engine.Store.Catalog().Current()
	dbs := []string{w.s.DB()}
	for _, t := range w.st.Tables {
		dbs = append(dbs, w.s.DBOf(t))
	}
	for _, db := range dbs {
		tbl := cat.Table(db, table)
		if tbl == nil {
			continue
		}
		for _, fk := range tbl.Def.ForeignKeys {
			if strings.EqualFold(fk.Name, key) {
				return mysqlerr.New(e.Number, foreignKeyText(tbl.Def, &fk)).WithCause(e)
			}
		}
	}
	return e
}

func foreignKeyText(def *catalog.TableDef, fk *catalog.ForeignKeyDef) string {
	return dialect.QuoteName(def.DB) + "." + dialect.QuoteName(def.Name) + ", " + ddltext.ForeignKey(def, fk)
}

var unknownColumn = regexp.MustCompile(`^Unknown column '([^']+)' in`)
