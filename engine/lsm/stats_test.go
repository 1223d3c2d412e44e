package lsm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// What lies in memtables is walked up to a limit; large tables are estimated from the files alone.
func TestSizeOfLargeTables(t *testing.T) {
	const rows, rowBytes = 120, 100_000
	e := newCrashable(16 << 20).Open(t) // one memtable takes all rows
	rnd := rand.New(rand.NewPCG(1, 2))
	value := make([]byte, rowBytes)
	for n := range rows {
		for i := range value {
			value[i] = byte(rnd.Uint32())
		}
		b := e.NewBatch()
		require.NoError(t, b.Set([]byte{'k', byte(n)}, value))
		require.NoError(t, e.Apply(b, engine.Mark{Position: logpos.At(1, uint64(n+1))}))
	}
	size := func(lower, upper []byte) uint64 {
		n, err := e.Size(lower, upper)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, engine.Mark{}, e.Durable(), "nothing was flushed yet")
	require.InDelta(t, walkBytesMax, size([]byte("k"), []byte("l")), rowBytes)
	require.InDelta(t, 10*rowBytes, size([]byte{'k', 10}, []byte{'k', 20}), 100)
	_, err := e.Checkpoint()
	require.NoError(t, err)
	require.InDelta(t, rows*rowBytes, size([]byte("k"), []byte("l")), rows*rowBytes/20)
	require.InDelta(t, rows*rowBytes, size([]byte("k"), nil), rows*rowBytes/20)
	require.NoError(t, e.Close())
}
