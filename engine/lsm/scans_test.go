package lsm

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// TestScannedMemtable: a memtable through which iterators go again and again is flushed; a small one, or one that nobody scans, is not.
func TestScannedMemtable(t *testing.T) {
	e := newCrashable(64 << 20).Open(t).(*Engine)
	at := uint64(0)
	grow := func(bytes int) {
		for range bytes / 1000 {
			at++
			b := e.NewBatch()
			require.NoError(t, b.Set(binary.BigEndian.AppendUint64([]byte("k"), at), make([]byte, 1000)))
			require.NoError(t, e.Apply(b, engine.Mark{Position: logpos.At(1, at)}))
		}
	}
	scan := func() {
		s := e.Snapshot()
		for n := range scansPerLook {
			newIter := e.NewIter
			if n%2 == 0 {
				newIter = s.NewIter
			}
			it, err := newIter([]byte("k"), []byte("l"))
			require.NoError(t, err)
			require.NoError(t, it.Close())
		}
		require.NoError(t, s.Close())
	}
	idle := func() { // what was started has ended
		require.Eventually(t, func() bool {
			if !e.checkpoint.TryLock() {
				return false
			}
			e.checkpoint.Unlock()
			return true
		}, time.Minute, time.Millisecond)
	}
	grow(scannedBytes / 4)
	scan()
	e.flushScanned()
	idle()
	require.Zero(t, e.Stats().Checkpoints, "it is small")
	grow(2 * scannedBytes)
	require.Zero(t, e.Stats().Checkpoints, "nobody scans it")
	scan()
	require.Eventually(t, func() bool { return e.Durable() == e.Applied() }, time.Minute, time.Millisecond)
	require.NoError(t, e.Close())
}
