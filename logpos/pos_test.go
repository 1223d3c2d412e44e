package logpos

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrder(t *testing.T) {
	ordered := []Pos{{}, At(1, 0), At(1, 4), At(1, math.MaxUint64), At(2, 4), At(math.MaxUint64, 0)}
	for i, p := range ordered {
		require.Equal(t, i == 0, p.IsZero(), p)
		for k, q := range ordered {
			require.Equal(t, i < k, p.Before(q), "%s before %s", p, q)
			require.Equal(t, i < k, p.Compare(q) < 0, "%s and %s", p, q)
			require.Equal(t, i > k, p.Compare(q) > 0, "%s and %s", p, q)
			require.Equal(t, ordered[max(i, k)], Max(p, q))
		}
	}
	require.Equal(t, At(3, 123), At(3, 100).Plus(23))
}

func TestText(t *testing.T) {
	require.Equal(t, "000042:4711", At(42, 4711).String())
	require.Equal(t, "binlog.000042:4711", At(42, 4711).In("binlog"))
	require.Equal(t, "my-bin.1234567:4", At(1234567, 4).In("my-bin"))
}

// These bytes are on disk: in the mark of every engine, and in the record of an unfinished RESET MASTER.
func TestEncoding(t *testing.T) {
	for p, want := range map[Pos]string{
		{}:                             "\x00\x00",
		At(1, 4):                       "\x01\x04",
		At(300, 4711):                  "\xac\x02\xe7\x24",
		At(1<<40, math.MaxUint64):      "\x80\x80\x80\x80\x80\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		At(math.MaxUint64, 1<<32|1<<7): "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x80\x81\x80\x80\x10",
	} {
		b := Append([]byte("x"), p)
		require.Equal(t, "x"+want, string(b), p)
		got, n := Read(append(b[1:], "rest"...))
		require.Equal(t, p, got)
		require.Equal(t, len(want), n)
		for short := range want {
			_, n := Read([]byte(want[:short]))
			require.Zero(t, n, "%x", want[:short])
		}
	}
}

func TestFileNames(t *testing.T) {
	for n, name := range map[uint64]string{1: "binlog.000001", 42: "binlog.000042", 1234567: "binlog.1234567"} {
		require.Equal(t, name, FileName("binlog", n))
		for _, dir := range []string{"", "./", "/var/lib/data/", `C:\data\`} {
			got, ok := ParseFileName("binlog", dir+name)
			require.True(t, ok, dir+name)
			require.Equal(t, n, got)
		}
	}
	for _, name := range []string{"", "binlog", "binlog.index", "binlog.", "binlog.1", "binlog.000000", "binlog.0000001",
		"binlog.00000+", "binlog.+00001", "binlog.1_0000", "binlog.000001.idx", "mysql-bin.000001", "binlog.99999999999999999999"} {
		_, ok := ParseFileName("binlog", name)
		require.False(t, ok, name)
	}
}
