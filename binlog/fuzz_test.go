package binlog

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// FuzzRecover overwrites a part of a segment with anything: recovery ends with
// a prefix of the transactions, or reports damage; it never invents or panics.
func FuzzRecover(f *testing.F) {
	var first, last span
	var base *image
	f.Add(uint16(400), []byte{0, 0, 0, 0})
	f.Add(uint16(9), []byte{1})
	f.Add(uint16(700), []byte("DRMN\x04"))
	f.Add(uint16(60000), []byte("x"))
	f.Fuzz(func(t *testing.T, at uint16, data []byte) {
		if base == nil {
			base = crashed(t, func(l *Log) {
				first = committed(t, l, transaction(1, 100))
				committed(t, l, ddl(2, "CREATE TABLE t (a INT)"))
				last = committed(t, l, transaction(3, 100))
			})
		}
		im := *base
		im.b = bytes.Clone(base.b)
		copy(im.b[at:], data)
		im.fs = base.fs.CrashClone(vfs.CrashCloneCfg{})
		im.o.FS = im.fs
		writeFile(t, im.fs, im.name, im.b)
		l, _, err := Open(im.o)
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
			return
		}
		defer l.Close()
		got := contentsOf(t, l)
		require.LessOrEqual(t, len(got), 3)
		require.Equal(t, gtids(1, uint64(len(got))), got)
		if bytes.Equal(im.b[first.mark:last.end], base.b[first.mark:last.end]) {
			require.Len(t, got, 3)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("./binlog.000001\n./binlog.000002\n"))
	f.Add([]byte("binlog.000009\n"))
	f.Add([]byte("./binlog.000001\n./binlog.000003\n"))
	f.Add([]byte("/var/lib/mysql/binlog.999999\r\n./binlog.1000000\n"))
	f.Add([]byte(""))
	f.Add([]byte("./binlog.000001"))
	o := testOptions(nil)
	o.EnsureDefaults()
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := o.dir().parseIndex(data)
		if err != nil {
			require.ErrorIs(t, err, ErrIndex)
			return
		}
		again, err := o.dir().parseIndex(o.dir().formatIndex(list))
		require.NoError(t, err)
		require.Equal(t, list, again)
		for i, n := range list {
			require.Equal(t, list[0]+uint64(i), n, fmt.Sprint(list))
		}
	})
}
