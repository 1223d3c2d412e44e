package main

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
)

// memory has the files of one engine in memory, and forgets at a crash what was not synced.
type memory struct{ fs *vfs.MemFS }

func (m *memory) Open(t *testing.T) engine.Engine {
	e, err := treeKind{}.Open(engine.Options{FS: m.fs})
	require.NoError(t, err)
	return e
}

func (m *memory) Crash(t *testing.T, e engine.Engine) {
	m.fs = m.fs.CrashClone(vfs.CrashCloneCfg{})
	require.NoError(t, e.Close())
}

func TestConformance(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Harness { return &memory{vfs.NewCrashableMem()} })
}

func TestPeek(t *testing.T) {
	h := memory{vfs.NewCrashableMem()}
	e := h.Open(t)
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("key"), nil))
	require.NoError(t, e.Ingest(b))
	mark, err := e.Checkpoint()
	require.NoError(t, err)
	found, there, err := treeKind{}.Peek(engine.Options{FS: h.fs}, []byte("key"))
	require.NoError(t, err)
	require.True(t, there)
	require.Equal(t, mark, found)
	f, err := h.fs.Create("contents", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write([]byte("something else"))
	require.NoError(t, errors.Join(err, f.Close()))
	_, _, err = treeKind{}.Peek(engine.Options{FS: h.fs}, []byte("key"))
	require.ErrorIs(t, err, engine.ErrDamaged)
}

func Example() {
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := run(dir, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// TREE has the second change: false
	// first: change
	// the log has to be read from 000001:100
}
