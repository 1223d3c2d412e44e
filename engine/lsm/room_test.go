package lsm

import (
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// waits says that somebody waits for a flush.
func (e *Engine) waits() bool {
	if e.db.Metrics().MemTable.Size < memTablesMax*e.opts.MemTableBytes {
		return false
	}
	if e.room.mu.TryLock() {
		e.room.mu.Unlock()
		return false
	}
	return true
}

// heldUp is an engine with tiny memtables, all of which wait for a flush that has not come to an end, with a writer that waits for it.
// The flush ends when goOn is closed, with the error if fails says so; writer gets what the writer does after that.
type heldUp struct {
	e      *Engine
	fs     *crashfs.FS
	goOn   chan struct{}
	fails  atomic.Bool
	writer chan error
	n      atomic.Int64 // applied
}

// heldUpApplies are more than fit into all memtables: some thirty fill one. They are small beside a memtable, so that none has much
// room left that nobody uses: what is applied is counted, and not that.
const (
	heldUpApplies    = 40 * memTablesMax
	heldUpValueBytes = 2 << 10
)

func newHeldUp(t *testing.T) *heldUp {
	h := &heldUp{fs: crashfs.New(), goOn: make(chan struct{}), writer: make(chan error, 1)}
	h.fails.Store(true)
	e, err := Open(Options{FS: h.fs, Dir: "/data", MemTableBytes: 64 << 10})
	require.NoError(t, err)
	h.e = e
	h.fs.SetHook(func(op crashfs.Op) error {
		<-h.goOn
		if h.fails.Load() {
			return syscall.ENOSPC
		}
		return nil
	})
	go func() {
		for range heldUpApplies {
			b := e.NewBatch()
			err := b.Set([]byte("k"), make([]byte, heldUpValueBytes))
			if err == nil {
				err = e.Apply(b, engine.Mark{Position: logpos.At(1, uint64(h.n.Load()+1))})
			}
			if err != nil {
				h.writer <- err
				return
			}
			h.n.Add(1)
			if e.Writable() != nil {
				break
			}
		}
		h.writer <- nil
	}()
	require.Eventually(t, e.waits, hangMax, time.Millisecond)
	require.NoError(t, e.Writable(), "nothing has failed yet")
	return h
}

// wrote is how the writer ended.
func (h *heldUp) wrote(t *testing.T) error {
	select {
	case err := <-h.writer:
		return err
	case <-time.After(hangMax):
		t.Fatal("the writer hangs")
		return nil
	}
}

// hangMax is how long a step may take. It is no measure of speed: only what hangs takes so long.
const hangMax = 30 * time.Second

// TestPressedWhenFull: the memtables are full before the disk fails. Who waits for the flush is let in when it fails, since what he
// applies is in the log; a checkpoint returns the error, and the engine can be closed.
func TestPressedWhenFull(t *testing.T) {
	h := newHeldUp(t)
	close(h.goOn)
	require.NoError(t, h.wrote(t))
	require.ErrorIs(t, h.e.Writable(), syscall.ENOSPC)
	require.LessOrEqual(t, h.e.db.Metrics().MemTable.Size, (memTablesMax+2)*h.e.opts.MemTableBytes, "it warns at once")
	for range 3 { // each of them would be one more memtable
		size := h.e.db.Metrics().MemTable.Size
		_, err := h.e.Checkpoint()
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.Equal(t, size, h.e.db.Metrics().MemTable.Size)
	}
	applied := h.e.Applied()
	h.fails.Store(false)
	require.Eventually(t, func() bool {
		m, err := h.e.Checkpoint()
		return err == nil && m == applied
	}, hangMax, time.Millisecond)
	require.NoError(t, h.e.Writable())
	set(t, h.e, int(h.n.Load())+1, 10)
	require.NoError(t, h.e.Close())
}

// TestPressedAndClosed: Close ends who waits.
func TestPressedAndClosed(t *testing.T) {
	h := newHeldUp(t)
	closed := make(chan error, 1)
	go func() { closed <- h.e.Close() }()
	require.ErrorIs(t, h.wrote(t), engine.ErrClosed)
	h.fails.Store(false) // Close writes a little, too
	close(h.goOn)
	require.NoError(t, <-closed)
}

// TestPressedAndWell: who waits for a slow disk goes on when it has written.
func TestPressedAndWell(t *testing.T) {
	h := newHeldUp(t)
	h.fails.Store(false)
	close(h.goOn)
	require.NoError(t, h.wrote(t))
	require.EqualValues(t, heldUpApplies, h.n.Load())
	require.NoError(t, h.e.Close())
}
