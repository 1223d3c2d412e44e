package twopc

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// TestMissedCommitRecords: commit records that a full disk put off are written when there is room again, also after a checkpoint has
// made the transactions durable and a trim has taken their prepare records away.
func TestMissedCommitRecords(t *testing.T) {
	const dir, segmentBytes = "/e", 4096
	fs := crashfs.New()
	full := false
	fs.SetHook(func(op crashfs.Op) error {
		if full && op.Kind == crashfs.Create {
			return syscall.ENOSPC
		}
		return nil
	})
	p := New(Options{FS: fs, SegmentBytes: segmentBytes})
	kind := p.Kinds([]engine.Kind{&enginetest.MemoryKind{EngineName: "E", Disk: &enginetest.Disk{}}})[0]
	open := func() *Engine {
		e, err := kind.Open(engine.Options{Dir: dir})
		require.NoError(t, err)
		return e.(*Engine)
	}
	e := open()
	require.NoError(t, e.start())
	key := func(n uint64) []byte { return append(catalog.AppendPrefix(nil, 5, 0), byte(n)) }
	prepare := func(xid uint64, bytes int) *flight {
		f := &flight{p: p, xid: xid, parts: make([]part, 1)}
		require.NoError(t, f.batch(0).Set(key(xid), make([]byte, bytes)))
		require.NoError(t, f.prepare())
		return f
	}
	commit := func(f *flight) {
		m := mark(f.xid)
		require.NoError(t, e.commit(0, []*flight{f}, m, true))
		b := e.NewBatch()
		require.NoError(t, b.Set(key(f.xid), nil))
		require.NoError(t, e.Apply(b, m))
	}
	commit(prepare(1, 10))

	full = true
	late := []*flight{prepare(2, 10)}
	late = append(late, prepare(3, segmentBytes-80-int(e.redo.Stats().Bytes))) // what is left of the segment is too little for a record
	for _, f := range late {
		commit(f)
	}
	require.Len(t, e.missed, 2)
	require.ErrorIs(t, e.appendLevel(mark(3)), errMissed)
	full = false

	next := prepare(4, 10) // it begins a segment
	durable, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(3), durable)
	_, err = fs.Stat(RedoDir(dir) + "/redo.000001")
	require.ErrorIs(t, err, os.ErrNotExist, "what was prepared first is gone")
	commit(next)
	require.Empty(t, e.missed)
	require.NoError(t, e.redo.SyncAll())
	p.o.FS = fs.Crash(crashfs.Loss{}, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, e.Engine.Close())
	e = open()
	require.Equal(t, logpos.At(1, 4), e.Applied().Position)
	for xid := uint64(1); xid <= 4; xid++ {
		_, there, release, err := e.Get(key(xid))
		require.NoError(t, err)
		require.True(t, there, "%d", xid)
		release()
	}
	require.Empty(t, e.prepared)
	require.NoError(t, e.Close())
}
