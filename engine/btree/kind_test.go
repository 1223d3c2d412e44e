package btree

import (
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

// A Kind looks at an engine and opens it, and tells damage from other errors.
func TestKind(t *testing.T) {
	for _, c := range []struct {
		name string
		fs   vfs.FS
		dir  string
	}{{"mirrored", crashfs.New(), "/data"}, {"on disk", vfs.Default, t.TempDir()}} {
		t.Run(c.name, func(t *testing.T) { testKind(t, c.fs, c.dir) })
	}
}

func testKind(t *testing.T, fs vfs.FS, dir string) {
	kind := Kind{MapBytes: smallMap}
	o := engine.Options{FS: fs, Dir: fs.PathJoin(dir, kind.Dir()), Logger: slog.New(slog.DiscardHandler), Fatal: func(err error) { t.Error(err) }}
	m, there, err := kind.Peek(o, []byte("key"))
	require.NoError(t, err)
	require.Equal(t, engine.Mark{}, m)
	require.False(t, there)
	_, err = fs.Stat(o.Dir)
	require.Error(t, err, "Peek changes nothing")

	e, err := kind.Open(o)
	require.NoError(t, err)
	require.Equal(t, kind.Name(), e.Name())
	can := e.Capabilities()
	require.NotNil(t, can.MarkResetter)
	require.NotNil(t, can.Pressed)
	b := e.NewBatch()
	require.NoError(t, b.Set([]byte("key"), nil))
	want := engine.Mark{Position: logpos.At(3, 4), GTIDState: "0-1-2"}
	require.NoError(t, e.Apply(b, want))
	_, err = e.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, e.Close())
	m, there, err = kind.Peek(o, []byte("key"))
	require.NoError(t, err)
	require.Equal(t, want, m)
	require.True(t, there)
	_, there, err = kind.Peek(o, []byte("kez"))
	require.NoError(t, err)
	require.False(t, there)

	f, err := fs.Create(fs.PathJoin(o.Dir, fileName), vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write([]byte("this is no file of bbolt"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, _, err = kind.Peek(o, []byte("key"))
	require.ErrorIs(t, err, engine.ErrDamaged)
	_, err = kind.Open(o)
	require.ErrorIs(t, err, engine.ErrDamaged)
}
