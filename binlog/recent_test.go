package binlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// TestRecentReadsAsTheFile: whatever went through memory and whatever did not, over segment ends, and after a reset that begins with the same
// segment number and the same offsets, reading by way of memory is reading the file.
func TestRecentReadsAsTheFile(t *testing.T) {
	var r recent
	rng := rand.New(rand.NewPCG(3, 4))
	r.readers.Add(1)
	fromMemory := 0
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	for segments := range 20 {
		seg := &segment{n: uint64(segments / 4)}
		file := random(1 + rng.IntN(5*recentSize)) // through the page cache
		last := 1
		for done := false; !done; done = len(file) > 5*recentSize {
			for range 8 {
				off := rng.IntN(len(file))
				if rng.IntN(2) == 0 {
					off = len(file) - 1 - rng.IntN(min(len(file), 2*last))
				}
				p := make([]byte, 1+rng.IntN(len(file)-off))
				fromMemory += r.read(seg, p, uint64(off))
				n, err := recentFile{&r, seg, bytes.NewReader(file)}.ReadAt(p, int64(off))
				require.NoError(t, err)
				require.True(t, bytes.Equal(file[off:off+n], p), "segment %d, offset %d, %d bytes", segments, off, n)
			}
			b := random(1 + rng.IntN([]int{100, 20_000, recentSize + recentSize/2}[rng.IntN(3)]))
			if rng.IntN(8) > 0 { // else it goes through the page cache
				r.keep(seg, uint64(len(file)), b)
			}
			file = append(file, b...)
			last = len(b)
		}
	}
	require.Positive(t, fromMemory)
}

// deafFile fails on every read.
type deafFile struct{ io.ReaderAt }

func (deafFile) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the device was asked") }

// TestRecentSavesTheDevice: a reader at the end of the log gets what is written past the page cache without asking the device for it.
func TestRecentSavesTheDevice(t *testing.T) {
	o := testOptions(vfs.NewMem())
	o.SyncMethod, o.MaxSize = SyncDirect, 1<<20
	l, _ := mustOpen(t, o)
	w := issue(t, l, transaction(1, 100), true)
	require.NoError(t, w.Finish())
	l.SetVisible(w.End)
	r, err := l.NewDurableReader(w.End)
	require.NoError(t, err)
	defer r.Close()
	r.s.f = recentFile{&l.recent, r.seg, deafFile{}}
	for seq := uint64(2); seq < 40; seq++ {
		w := issue(t, l, transaction(seq, 100*int(seq)), seq%3 > 0)
		require.NoError(t, w.Finish())
		_, _, err := r.NextNoWait()
		require.ErrorIs(t, err, io.EOF, "what is not visible is not read, though it is in memory")
		l.SetVisible(w.End)
		for {
			_, at, err := r.NextNoWait()
			if errors.Is(err, io.EOF) {
				require.Equal(t, w.End, at)
				break
			}
			require.NoError(t, err, fmt.Sprintf("group %d", seq))
		}
	}
}

// TestRecentWithoutReaders: nothing is kept for nobody.
func TestRecentWithoutReaders(t *testing.T) {
	o := testOptions(vfs.NewMem())
	o.SyncMethod = SyncDirect
	l, _ := mustOpen(t, o)
	write := func(seq uint64) {
		w := issue(t, l, transaction(seq, 100), true)
		require.NoError(t, w.Finish())
		l.SetVisible(w.End)
	}
	write(1)
	r, err := l.NewReader(l.Visible())
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	write(2)
	require.Nil(t, l.recent.ring)
	r, err = l.NewReader(l.Visible())
	require.NoError(t, err)
	write(3)
	require.NotNil(t, l.recent.ring)
	require.NoError(t, r.Close())
}
