package source_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// memory counts up to a limit.
type memory struct{ held, limit int64 }

var errFull = errors.New("full")

func (m *memory) Hold(n int64) error {
	if m.held += n; m.held > m.limit {
		return errFull
	}
	return nil
}

func (m *memory) Release(n int64) { m.held -= n }

func TestStatementIsReadOnce(t *testing.T) {
	text := source.New("select 1; select 2", dialect.Mode{}, nil)
	a, next, err := text.Statement()
	require.NoError(t, err)
	require.Equal(t, 9, next)
	b, _, _ := text.Statement()
	require.Same(t, a, b)
	_, err = source.New("select from", dialect.Mode{}, nil).Facts()
	require.ErrorContains(t, err, "1064")
}

// TestMemory: what is held is given back, whether it was granted or not.
func TestMemory(t *testing.T) {
	m := &memory{limit: 1 << 30}
	long := "select a" + strings.Repeat(",a", 100000)
	text := source.New(long, dialect.Mode{}, m)
	_, _, err := text.Statement()
	require.NoError(t, err)
	require.Greater(t, m.held, int64(len(long)*64))
	require.NoError(t, text.HoldTokens())
	require.Greater(t, m.held, int64(len(long)*192))
	text.Drop()
	require.Zero(t, m.held)
	s, _, err := text.Statement()
	require.NoError(t, err)
	require.Nil(t, s)

	m.limit = 1 << 20
	text = source.New(long, dialect.Mode{}, m)
	_, err = text.Facts()
	require.ErrorIs(t, err, errFull)
	require.ErrorIs(t, text.HoldTokens(), errFull)
	text.Drop()
	require.Zero(t, m.held)
}

// TestRowsAreNotKept: rows of an INSERT take nothing, and their facts are known.
func TestRowsAreNotKept(t *testing.T) {
	m := &memory{limit: 1 << 30}
	text := source.New("insert into t values "+strings.Repeat("(1, 'x'), ", 100000)+"((select 1 from u), 'y')", dialect.Mode{}, m)
	f, err := text.Facts()
	require.NoError(t, err)
	require.Zero(t, m.held)
	require.Len(t, f.Tables, 2)
	s, _, _ := text.Statement()
	require.Nil(t, s.(*tree.Insert).Rows)
	require.NoError(t, source.New("select 1", dialect.Mode{}, m).HoldTokens())
	require.Zero(t, m.held, "a short text")
}
