package process

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

func TestEntry(t *testing.T) {
	var e Entry
	closed := 0
	e.Connect(7, "root", "localhost:1", func() { closed++ })
	require.Equal(t, "Sleep", e.Info().Command)
	e.SetDB("d")

	run := e.Begin(context.Background(), "select 1")
	now := e.Info()
	require.False(t, now.Since.IsZero())
	now.Since = e.Info().Since
	require.Equal(t, Info{ID: 7, User: "root", Host: "localhost:1", DB: "d", Command: "Query", State: "starting", Query: "select 1", Since: now.Since}, now)
	require.NoError(t, run.Err())
	e.Kill(false)
	require.ErrorIs(t, context.Cause(run), mysqlerr.New(mysqlerr.QueryInterrupted))
	e.End(false)
	require.Empty(t, e.Info().Query)
	require.Equal(t, "d", e.Info().DB)
	require.Zero(t, closed, "KILL QUERY leaves the connection")

	e.Kill(false)
	run = e.Begin(context.Background(), "select 2")
	require.NoError(t, run.Err(), "a KILL QUERY between statements is for none of them")
	e.Kill(true)
	require.ErrorIs(t, context.Cause(run), mysqlerr.New(mysqlerr.ConnectionKilled))
	e.End(false)
	require.Equal(t, 1, closed)
	run = e.Begin(context.Background(), "select 3")
	defer e.End(false)
	require.ErrorIs(t, context.Cause(run), mysqlerr.New(mysqlerr.ConnectionKilled), "what a killed connection still begins")

	e.SetState("Binlog Dump", "sending")
	require.Equal(t, "Binlog Dump", e.Info().Command)
	require.Equal(t, "sending", e.Info().State)
	e.Connect(7, "other", "localhost:1", nil)
	require.Equal(t, "other", e.Info().User)
	require.Empty(t, e.Info().DB)
}
