package lsm

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Files that were written with blocks of another size, and with filters elsewhere, are read as before.
func TestOpensOtherBlocks(t *testing.T) {
	tests := []struct {
		name   string
		levels pebble.LevelOptions
	}{
		{"Pebble's defaults", pebble.LevelOptions{}},
		{"as in the first versions", pebble.LevelOptions{BlockSize: 4 << 10, IndexBlockSize: 4 << 10, FilterPolicy: bloom.FilterPolicy(10)}},
		{"large", pebble.LevelOptions{BlockSize: 128 << 10, IndexBlockSize: 1 << 10, FilterPolicy: bloom.FilterPolicy(10)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const rows = 20_000
			key := func(n int) []byte { return fmt.Appendf(nil, "key%08d", n) }
			value := func(n int) string { return fmt.Sprintf("%0100d", n) }
			mark := engine.Mark{Position: logpos.At(3, 4), GTIDState: "0-1-5"}

			dir := t.TempDir()
			o := &pebble.Options{DisableWAL: true, FormatMajorVersion: pebble.FormatNewest, Logger: quiet{}}
			for i := range o.Levels {
				o.Levels[i] = test.levels
			}
			db, err := pebble.Open(dir, o)
			require.NoError(t, err)
			for n := range rows {
				require.NoError(t, db.Set(key(n), []byte(value(n)), pebble.NoSync))
			}
			require.NoError(t, db.Set(markKey, appendMark(nil, mark), pebble.NoSync))
			require.NoError(t, db.Flush())
			require.NoError(t, db.Compact(t.Context(), []byte{0}, []byte{0xff}, false))
			require.NoError(t, db.Close())

			e, err := Open(Options{Dir: dir})
			require.NoError(t, err)
			require.Equal(t, mark, e.Applied())
			for n := range rows {
				got, ok, release, err := e.Get(key(n))
				require.NoError(t, err)
				require.True(t, ok)
				require.Equal(t, value(n), string(got))
				release()
			}
			it, err := e.NewIter([]byte("key"), []byte("kez"))
			require.NoError(t, err)
			n := 0
			for ok := it.First(); ok; ok = it.Next() {
				require.Equal(t, value(n), string(it.Value()))
				n++
			}
			require.NoError(t, it.Error())
			require.Equal(t, rows, n)
			require.NoError(t, it.Close())
			require.NoError(t, e.Close())
		})
	}
}

// quiet is a logger of Pebble's.
type quiet struct{}

func (quiet) Infof(string, ...any)           {}
func (quiet) Errorf(string, ...any)          {}
func (quiet) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
