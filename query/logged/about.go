package logged

import (
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types/charset"
)

// Table is a table by its full name.
type Table struct{ DB, Name string }

// About says what a statement is about, as filters ask.
type About struct {
	Kind facts.Kind
	// Updated are the tables that it changes, makes, alters or drops, in the order of the text, those without a database in the default one.
	Updated []Table
	// Database is that of CREATE, ALTER and DROP DATABASE; "" for other statements.
	Database string
	// Text is the statement as this server reads it: in UTF-8, with the contents of /*! comments.
	Text string
	// Rewritten says that Text is not all of what the primary has logged.
	Rewritten bool
	// Renamed says that collations have other names in Text than in what the primary has logged.
	Renamed bool
	// Tree is the statement; nil if it was not read: BEGIN and its like.
	Tree tree.Statement
}

// Control is what a QUERY event says of the transaction that it is in.
type Control uint8

// The kinds of control.
const (
	NoControl Control = iota
	Begin
	Commit
	Rollback
)

// ControlOf reads the texts with which a server writes the borders of transactions, without settings that could matter.
func ControlOf(text string) Control {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "BEGIN", "START TRANSACTION":
		return Begin
	case "COMMIT":
		return Commit
	case "ROLLBACK":
		return Rollback
	}
	return NoControl
}

// WithoutStart is the text of MySQL's CREATE TABLE ... START TRANSACTION, which is a CREATE TABLE ... SELECT whose rows follow, without these words.
func WithoutStart(text string) (cut string, ok bool) {
	rest := strings.TrimRight(text, " \t\r\n")
	for _, word := range []string{"TRANSACTION", "START"} {
		at := len(rest) - len(word)
		if at < 1 || !strings.EqualFold(rest[at:], word) {
			return "", false
		}
		before := strings.TrimRight(rest[:at], " \t\r\n")
		if len(before) == at && rest[at-1] != ')' {
			return "", false
		}
		rest = before
	}
	return rest, true
}

// mode is how the text of a statement is read.
func mode(q *event.Query) dialect.Mode {
	d, _ := sysvar.Lookup("sql_mode")
	var on []string
	for i, m := range d.Members {
		if q.SQLMode&(1<<i) != 0 {
			on = append(on, m)
		}
	}
	return dialect.ModeOf(strings.Join(on, ","))
}

// AboutOf reads a statement. Its error says that this server cannot read it (1064), or does not know its character set (22).
func AboutOf(q *event.Query) (About, error) {
	if ControlOf(q.SQL) != NoControl {
		return About{Kind: facts.Transaction, Text: q.SQL}, nil
	}
	m := mode(q)
	var client *charset.Set
	if q.Charset[0] != 0 && !charset.OnlyMySQL(q.Charset[0]) { // the text of those is utf8mb4
		c, err := collation(q.Charset[0])
		if err != nil {
			return About{}, err
		}
		if clienttext.Foreign(c.Set()) {
			client = c.Set()
		}
	}
	text, err := clienttext.Encode(q.SQL, client, m)
	if err != nil {
		return About{}, err
	}
	a := About{Text: dialect.Trim(dialect.OpenComments(text, m), m)}
	t := source.New(a.Text, m, nil)
	if a.Tree, _, err = t.Statement(); err != nil {
		return a, err
	}
	f, err := t.Facts()
	if err != nil {
		return a, err
	}
	a.Kind = f.Kind
	for _, use := range f.Tables {
		switch use.Use {
		case facts.Written, facts.Created, facts.Altered, facts.Dropped:
			n := Table{use.Name.DB.Text, use.Name.Name.Text}
			if n.DB == "" {
				n.DB = q.Schema
			}
			a.Updated = append(a.Updated, n)
		}
	}
	switch n := a.Tree.(type) {
	case *tree.CreateDatabase:
		a.Database = n.Name.Text
	case *tree.AlterDatabase:
		if a.Database = n.Name.Text; a.Database == "" {
			a.Database = q.Schema
		}
	case *tree.Drop:
		if n.What == "DATABASE" {
			a.Database = n.Names[0].Name.Text
		}
	}
	return a, nil
}

// Temporary reports whether a statement makes or drops temporary tables.
func (a *About) Temporary() bool {
	switch n := a.Tree.(type) {
	case *tree.CreateTable:
		return n.Temporary
	case *tree.Drop:
		return n.Temporary
	}
	return false
}

// MakesTable reports whether a statement makes a table that is not temporary.
func (a *About) MakesTable() bool {
	n, ok := a.Tree.(*tree.CreateTable)
	return ok && !n.Temporary
}
