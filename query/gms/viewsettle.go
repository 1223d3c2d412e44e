package gms

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/gms/viewtext"
	"github.com/duramendb/duramen/query/statement"
)

// settleView gives a CREATE VIEW the text that is kept of it, in which * is the columns that there are now. Replicas get it as it was written.
func (d *definition) settleView() error {
	ddl, ok := d.st.AST.(*sqlparser.DDL)
	if !ok || ddl.ViewSpec == nil || ddl.ViewSpec.ViewExpr == nil {
		return nil
	}
	text, err := viewtext.Settle(d.st.Text, d.s.LexMode, d.s.DB(), names{d.s, d.c})
	if err != nil || text == d.st.Text {
		return err
	}
	ast, first, _, err := d.s.reader().Text(innerText(d.s, text))
	if err != nil {
		return err
	}
	settled := *d.st
	if settled.Logged == "" {
		settled.Logged = d.st.Text
	}
	d.st = settled.With(first, ast)
	return nil
}

// joinedStars is a statement in which each * over a join with NATURAL or USING is written out.
func joinedStars(s *Session, c *sql.Context, st *syntax.Statement) (*syntax.Statement, error) {
	if st.Kind == statement.Call || !joinedStar.MatchString(st.Text) || strings.IndexByte(st.Text, '*') < 0 || runningOf(c).depth > 0 {
		return st, nil
	}
	text, err := viewtext.Joined(st.Text, s.LexMode, s.DB(), names{s, c})
	if err != nil || text == st.Text {
		return st, err
	}
	ast, first, _, err := s.reader().Text(innerText(s, text))
	if err != nil {
		return nil, err
	}
	out := *st
	return out.With(first, ast), nil
}

// joinedStar finds what joins by the names of columns.
var joinedStar = regexp.MustCompile(`(?i)\b(natural|using)\b`)

// names are the tables and views that a session sees.
type names struct {
	s *Session
	c *sql.Context
}

// Temporary implements viewtext.Catalog.
func (n names) Temporary(db, name string) bool { return n.s.Temp.Has(db, name) }

// Table implements viewtext.Catalog.
func (n names) Table(db, name string) (columns []string, ok bool) {
	def, _ := n.s.TemporaryTable(db, name)
	if t := n.s.EnsureTxn().Catalog().Table(db, name); def == nil && t != nil {
		def = t.Def
	}
	if def == nil {
		def = SystemTable(db, name)
	}
	if def != nil {
		for i := range def.Columns {
			if c := &def.Columns[i]; !c.Hidden && !c.Invisible {
				columns = append(columns, c.Name)
			}
		}
		return columns, true
	}
	named, err := n.s.engine.gms.Analyzer.Catalog.Database(n.c, db)
	if err != nil {
		return nil, false
	}
	t, ok, err := named.GetTableInsensitive(n.c, name)
	if err != nil || !ok {
		return nil, false
	}
	for _, col := range t.Schema(n.c) {
		columns = append(columns, col.Name)
	}
	return columns, true
}

// View implements viewtext.Catalog.
func (n names) View(db, name string) (text string, mode dialect.Mode, ok bool) {
	text, under, ok, err := tables.CreatedView(n.s.EnsureTxn().Catalog(), db, name)
	return text, dialect.ModeOf(under), ok && err == nil
}
