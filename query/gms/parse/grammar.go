package parse

import (
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// refusal is the error for a text that go-mysql-server's parser does not take: MariaDB's, if that is no statement of MariaDB's either.
func (p *Reader) refusal(sql string, cause error) error {
	s, err := statement(sql, p.Mode)
	if e := (*mysqlerr.Error)(nil); errors.As(err, &e) {
		return e.WithCause(cause)
	} else if err != nil {
		return err
	}
	shown := sql
	if len(sql) <= printedMax {
		shown = tree.String(s)
	}
	if len(shown) > shownMax {
		shown = strings.ToValidUTF8(shown[:shownMax], "") + " ..."
	}
	return mysqlerr.NotYet(shown).WithCause(cause)
}

const (
	// shownMax is how much of a statement an error shows, in bytes.
	shownMax = 80
	// printedMax is how long a text is printed from its tree, which is as deep as the text has operators, in bytes.
	printedMax = 64 << 10
)

// statement is the first statement of a text, by MariaDB's grammar.
func statement(sql string, mode dialect.Mode) (tree.Statement, error) {
	s, _, err := grammar.Parse(sql, grammar.Options{Mode: mode.Lex()})
	return s, err
}
