package server

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTuneProcs(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	undo := tuneProcs()
	require.Equal(t, before+1, runtime.GOMAXPROCS(0))
	undo()
	require.Equal(t, before, runtime.GOMAXPROCS(0))

	t.Setenv("GOMAXPROCS", "1")
	tuneProcs()()
	require.Equal(t, before, runtime.GOMAXPROCS(0))
}
