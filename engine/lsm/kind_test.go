package lsm

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// A Kind looks at an engine and opens it, and tells damage from other errors.
func TestKind(t *testing.T) {
	fs := vfs.NewMem()
	kind := Kind{MemTableBytes: 256 << 10, NoCompactions: true}
	o := engine.Options{FS: fs, Dir: kind.Dir(), Logger: slog.New(slog.DiscardHandler), Fatal: func(err error) { t.Error(err) }}
	m, there, err := kind.Peek(o, []byte("key"))
	require.NoError(t, err)
	require.Equal(t, engine.Mark{}, m)
	require.False(t, there)

	e, err := kind.Open(o)
	require.NoError(t, err)
	require.Equal(t, kind.Name(), e.Name())
	can := e.Capabilities()
	require.NotNil(t, can.Importer)
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

	names, err := fs.List(o.Dir)
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasPrefix(name, "MANIFEST-") {
			f, err := fs.Create(fs.PathJoin(o.Dir, name), vfs.WriteCategoryUnspecified)
			require.NoError(t, err)
			_, err = f.Write([]byte("this is no manifest"))
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
	}
	_, _, err = kind.Peek(o, []byte("key"))
	require.ErrorIs(t, err, engine.ErrDamaged)
}
