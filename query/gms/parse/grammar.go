package parse

import (
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// refusal is the error for a text that go-mysql-server's parser does not take: MariaDB's, if that is no statement of MariaDB's either.
func refusal(text *source.Text, cause error) error {
	s, _, err := text.Statement()
	if e := (*mysqlerr.Error)(nil); errors.As(err, &e) {
		return e.WithCause(cause)
	} else if err != nil {
		return err
	}
	shown := text.SQL
	if s != nil {
		shown = tree.String(s)
	}
	if len(shown) > shownMax {
		shown = strings.ToValidUTF8(shown[:shownMax], "") + " ..."
	}
	return mysqlerr.NotYet(shown).WithCause(cause)
}

// shownMax is how much of a statement an error shows, in bytes.
const shownMax = 80
