package gms

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
)

// TestContain: a panic of go-mysql-server becomes an error of its statement, and the log tells of it; one in
// our code goes on.
func TestContain(t *testing.T) {
	var log bytes.Buffer
	e := &Engine{Server: &session.Server{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	c := sql.NewEmptyContext()
	run := func(f func()) (err error) {
		defer e.contain(c, &err)
		f()
		return nil
	}
	require.NoError(t, run(func() {}))
	require.ErrorIs(t, run(func() { panic(fault.Refusal{Err: session.ErrStatementTime}) }), session.ErrStatementTime)
	require.Empty(t, log.String())

	err := run(func() { _, _ = (&expression.Interval{}).Eval(c, nil) })
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.NotSupportedYet))
	require.Contains(t, log.String(), "go-mysql-server failed at a statement")
	require.Contains(t, log.String(), "expression.(*Interval).Eval")

	log.Reset()
	require.Panics(t, func() { _ = run(func() { panic("ours") }) })
	require.Empty(t, log.String())
}

// TestContainParser: the log tells of a text over which the parser panics, which counts as a syntax error.
func TestContainParser(t *testing.T) {
	var log bytes.Buffer
	s := &Session{base: sql.NewBaseSession(), engine: &Engine{Server: &session.Server{Log: slog.New(slog.NewTextHandler(&log, nil))}}}
	for _, err := range []error{nil, session.ErrStatementTime} {
		s.reader().NoteFault(err)
		require.Empty(t, log.String())
	}
	s.reader().NoteFault(&fault.Fault{Panic: "index out of range"})
	require.Contains(t, log.String(), "go-mysql-server failed at a statement")
}
