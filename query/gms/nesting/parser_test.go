package nesting

import (
	"errors"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/gms/fault"
)

// TestParserFault: a text over which the parser panics gives the fault; go-mysql-server's own texts go on panicking.
func TestParserFault(t *testing.T) {
	_, _, err := ParseOne("SELECT''v", sqlparser.ParserOptions{}) // the query's own text has a space there
	var f *fault.Fault
	require.ErrorAs(t, err, &f)
	require.True(t, f.Foreign)
	require.Contains(t, f.Stack, "stringIsUnbrokenQuote")

	_, _, err = ParseOne("SELECT 1 FROM", sqlparser.ParserOptions{})
	require.Error(t, err)
	require.False(t, errors.As(err, &f))

	caught := errors.New("syntax error at position 1: handler caught panic: index out of range")
	require.NotNil(t, parserFault(caught))
	require.Panics(t, func() { _, _ = checked(nil, caught) })
}
