// Package syntax is a statement with the tree that go-mysql-server's parser makes of it, and with what is known of it by the tree that
// MariaDB's grammar makes of it.
package syntax

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/status"
)

// Statement is a parsed statement with what the session must know of it. It is
// immutable once made, and belongs to one session.
type Statement struct {
	statement.Statement
	AST sqlparser.Statement
	// Mentions are the tables of a locking SELECT's outermost query block, one by one, and Inner the tables of the query blocks below it:
	// only if a table is named more than once.
	Mentions []statement.Mention
	Inner    []statement.Use
	// Objects are those that it defines, changes or drops.
	Objects []statement.Object
	// Counter is the counter of a statement, status.None if it has none here.
	Counter status.Kind
	// Globals says that the text mentions @@global variables.
	Globals bool
	// Before is a statement that runs ahead of this one in its transaction, and
	// Logged the text of both for the log (CREATE OR REPLACE TABLE).
	Before *Statement
	Logged string
	// Needs are the privileges that it needs; nil before authorize has asked.
	Needs *privilege.Needs

	// Explained are the rows of an EXPLAIN as far as they follow from the text, and General why SQL of our own does not run what is explained, as far as it is known.
	Explained []facts.Explained
	General   string

	refs    []statement.Ref
	refused error
}

// Classify fills in everything that follows from what MariaDB's grammar says of the first statement of a text; the error is the grammar's.
func Classify(text *source.Text) (*Statement, error) {
	f, err := text.Facts()
	if err != nil {
		return nil, err
	}
	s, _, err := text.Statement()
	if err != nil {
		return nil, err
	}
	st := &Statement{Statement: statement.Of(s, f), Objects: statement.Objects(s), Counter: status.Of(s)}
	st.Mentions, st.Inner = statement.Mentions(s, f)
	st.refs, st.refused = statement.Refs(s, f)
	if explain, ok := s.(*tree.Explain); ok {
		st.Explained, st.General = facts.Explaining(explain.Statement)
	}
	return st, nil
}

// With completes a statement by its own text and its tree for go-mysql-server.
func (st *Statement) With(text string, ast sqlparser.Statement) *Statement {
	st.Text, st.AST, st.Globals = text, ast, strings.Contains(text, "@@")
	return st
}

// LockedTables are the tables that a session with LOCK TABLES must have locked for the statement; an error if it may not run
// it at all. temporary says that the statement is about temporary tables only.
func (st *Statement) LockedTables(temporary bool) ([]statement.Ref, error) {
	if temporary {
		return statement.OnlyRead(st.refs), nil
	}
	return st.refs, st.refused
}
