package binlog

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// TestResetFileBytes: a server may find the file that another version has written.
func TestResetFileBytes(t *testing.T) {
	state, err := gtid.ParseState("0-1-5,1-2-3")
	require.NoError(t, err)
	stored := &Reset{First: 7, State: state, OldEnd: logpos.At(42, 1<<20+5)}
	require.Equal(t, "DurRst1\n\xb1\xb2\x90\xd1\a*\x85\x80@\v0-1-5,1-2-3", string(stored.encode()))
	got, err := decodeReset(stored.encode())
	require.NoError(t, err)
	require.Equal(t, stored, got)
}

// TestResetFileRefused: a file that RESET MASTER cannot have written is damage, and nothing is changed.
func TestResetFileRefused(t *testing.T) {
	good := (&Reset{First: 1, State: gtid.NewState(), OldEnd: logpos.At(3, 400)}).encode()
	for name, b := range map[string][]byte{
		"empty": nil, "short": good[:10], "flipped": append(append([]byte{}, good[:13]...), good[13]^1), "longer": append(append([]byte{}, good...), 0),
	} {
		t.Run(name, func(t *testing.T) {
			fs := vfs.NewMem()
			l, _ := mustOpen(t, testOptions(fs))
			commit(t, l, transaction(1, 10))
			require.NoError(t, l.Close())
			writeFile(t, fs, "binlog.reset", b)
			_, _, err := Open(testOptions(fs))
			require.ErrorIs(t, err, ErrCorrupt)
			require.Contains(t, err.Error(), "binlog.reset")
			require.NoError(t, fs.Remove(testDir+"/binlog.reset"))
			l, _ = mustOpen(t, testOptions(fs))
			require.Equal(t, gtids(1, 1), contentsOf(t, l))
		})
	}
}

// TestResetIsFinished: Open goes on with a reset that was begun, whatever is there.
func TestResetIsFinished(t *testing.T) {
	fs := vfs.NewMem()
	l, _ := mustOpen(t, testOptions(fs))
	commit(t, l, transaction(1, 10))
	rotate(t, l)
	require.NoError(t, l.Close())
	state, err := gtid.ParseState("0-1-7,2-2-2")
	require.NoError(t, err)
	writeFile(t, fs, "binlog.reset", (&Reset{First: 9, State: state, OldEnd: logpos.At(2, 300)}).encode())
	writeFile(t, fs, "binlog.000044", []byte("anything"))
	writeFile(t, fs, "binlog.000001.idx", []byte("anything"))
	require.NoError(t, fs.Remove(testDir+"/binlog.index"))
	p, err := Scan(testOptions(fs), ScanSpec{})
	require.NoError(t, err)
	require.NotNil(t, p.Reset)
	require.True(t, exists(fs, "binlog.000001"), "Scan changes nothing")
	_, err = Scan(testOptions(fs), ScanSpec{Until: Until{Pos: logpos.At(1, 400)}})
	require.ErrorIs(t, err, ErrPosition)
	l, rec := mustOpen(t, testOptions(fs))
	require.Equal(t, state.String(), rec.State.String())
	require.Equal(t, state.String(), l.StateClone().String())
	require.Equal(t, "binlog.000009", l.Segments()[0].Name)
	names, err := fs.List(testDir)
	require.NoError(t, err)
	for _, name := range names {
		require.NotContains(t, []string{"binlog.reset", "binlog.000001", "binlog.000044", "binlog.000001.idx"}, name)
	}
}

// FuzzReset: what the decoder takes is what was written.
func FuzzReset(f *testing.F) {
	state := gtid.StateFromList([]gtid.GTID{{Domain: 1, Server: 2, Seq: 3}})
	f.Add((&Reset{First: 1, State: gtid.NewState(), OldEnd: logpos.At(3, 400)}).encode()[resetPrefix:])
	f.Add((&Reset{First: ResetNumberMax, State: state, OldEnd: logpos.At(1<<40, 1<<50)}).encode()[resetPrefix:])
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append(append([]byte(resetMagic), 0, 0, 0, 0), body...)
		binary.LittleEndian.PutUint32(b[len(resetMagic):], crc32.Checksum(body, castagnoli))
		r, err := decodeReset(b)
		if err != nil {
			return
		}
		again, err := decodeReset(r.encode())
		require.NoError(t, err)
		require.Equal(t, r.First, again.First)
		require.Equal(t, r.OldEnd, again.OldEnd)
		require.True(t, r.State.Equal(again.State))
	})
}
