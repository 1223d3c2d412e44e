package redo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/internal/crashfs"
)

const dir = "/redo"

func open(t *testing.T, fs vfs.FS, o Options) *Log {
	t.Helper()
	require.NoError(t, fs.MkdirAll(dir, 0o755))
	root, err := fs.OpenDir("/")
	require.NoError(t, err)
	require.NoError(t, root.Sync())
	o.FS, o.Dir = fs, dir
	l, err := Open(o)
	require.NoError(t, err)
	return l
}

func read(t *testing.T, fs vfs.FS) (payloads []string) {
	t.Helper()
	_, err := Read(fs, dir, func(r Record) error {
		payloads = append(payloads, string(r.Payload))
		return nil
	})
	require.NoError(t, err)
	return payloads
}

func TestReadsWhatWasWritten(t *testing.T) {
	for _, o := range []Options{{SegmentBytes: 4096}, {SegmentBytes: 4096, NoPreallocate: true}, {}} {
		fs := crashfs.New()
		var want []string
		for range 3 { // each time in a segment of its own
			l := open(t, fs, o)
			for n := range 50 {
				payload := bytes.Repeat([]byte{byte(len(want) + 1)}, 1+n*n*5) // some larger than a segment
				_, _, err := l.Append(payload)
				require.NoError(t, err)
				want = append(want, string(payload))
			}
			require.NoError(t, l.Close())
		}
		require.Equal(t, want, read(t, fs))
	}
}

// A log is what was appended to it up to somewhere after the last sync, whenever the power fails.
func TestCrash(t *testing.T) {
	seen := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		fs := crashfs.New()
		o := Options{SegmentBytes: []int64{512, 2048, 8192}[rng.IntN(3)], NoPreallocate: rng.IntN(4) == 0}
		var all []string // appended, as far as they may be found
		for life := range 3 {
			var image *crashfs.FS
			kept := 0 // of all, how many have to be there
			firstLost := len(all)
			crashAt := 1 + rng.IntN(60)
			ops := 0
			// Of what was trimmed, any part may still be there.
			dropped := 0
			var needed, possible, trimmed int
			fs.SetHook(func(crashfs.Op) error {
				if ops++; ops == crashAt {
					image = fs.Crash(crashfs.RandomLoss(rng), rng)
					needed, possible, trimmed = kept, len(all), dropped
				}
				return nil
			})
			l := open(t, fs, o)
			kept = firstLost
			segments := map[uint64]int{} // the number of the first record in a segment
			for n := 0; image == nil; n++ {
				switch rng.IntN(6) {
				case 0:
					require.NoError(t, l.SyncAll())
					kept = len(all)
				case 1:
					at, ok := segments[l.Segment()]
					if !ok {
						at = len(all) // there is nothing in it yet
					}
					dropped = at
					require.NoError(t, l.TrimTo(l.Segment()))
				default:
					payload := fmt.Sprintf("%d %d %s", life, n, bytes.Repeat([]byte{'x'}, rng.IntN(300)))
					all = append(all, payload)
					_, segment, err := l.Append([]byte(payload))
					require.NoError(t, err)
					if _, ok := segments[segment]; !ok {
						segments[segment] = len(all) - 1
					}
				}
			}
			require.NoError(t, l.Close())
			found := read(t, image)
			seen += len(found)
			// It is a part of all without a gap, from before what was not trimmed to after what was synced.
			first := possible
			if len(found) > 0 {
				for first = 0; first < possible && all[first] != found[0]; first++ {
				}
				require.LessOrEqual(t, first+len(found), possible, "seed %d", seed)
				require.Equal(t, all[first:first+len(found)], found, "seed %d", seed)
			}
			if needed > trimmed {
				require.GreaterOrEqual(t, first+len(found), needed, "seed %d, life %d", seed, life)
				require.LessOrEqual(t, first, trimmed, "seed %d, life %d", seed, life)
			}
			all = found
			fs = image
		}
	}
	require.Greater(t, seen, 10_000)
}

// Records of an earlier life of a file, or behind a hole, are no records.
func TestForgetsWhatWasDropped(t *testing.T) {
	fs := crashfs.New()
	l := open(t, fs, Options{SegmentBytes: 4096})
	for n := range 2 {
		for range 100 {
			_, _, err := l.Append(fmt.Appendf(nil, "old record of life %d, always of the same length", n))
			require.NoError(t, err)
		}
		require.NoError(t, l.TrimTo(l.Segment()))
	}
	require.NoError(t, l.Close())
	for _, payload := range read(t, fs) {
		require.Contains(t, payload, "life 1", "a trimmed segment that was used again shows its earlier records")
	}
}

func TestDamage(t *testing.T) {
	fs := crashfs.New()
	l := open(t, fs, Options{SegmentBytes: 1024})
	for range 100 {
		_, _, err := l.Append(bytes.Repeat([]byte{'x'}, 100))
		require.NoError(t, err)
	}
	require.NoError(t, l.Close())
	change := func(name string, at int64) {
		f, err := fs.OpenReadWrite(dir+"/"+name, vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte{'?'}, at)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	ignore := func(Record) error { return nil }
	pristine := fs.Crash(crashfs.KeepAll, rand.New(rand.NewPCG(1, 1)))
	change("redo.000003", 500)
	_, err := Read(fs, dir, ignore)
	require.ErrorIs(t, err, ErrCorrupt)
	fs = pristine
	change("redo.000002", 3)
	_, err = Read(fs, dir, ignore)
	require.ErrorIs(t, err, ErrCorrupt)
	change("redo.000002", 3)
	require.NoError(t, fs.Remove(dir+"/redo.000002"))
	_, err = Read(fs, dir, ignore)
	require.ErrorIs(t, err, ErrCorrupt, "a segment between others is missing")
}

// A full disk refuses a record, and the log goes on when there is room.
func TestFullDisk(t *testing.T) {
	fs := crashfs.New()
	l := open(t, fs, Options{SegmentBytes: 1100})
	full := true
	fs.SetHook(func(op crashfs.Op) error {
		if full && op.Kind == crashfs.Create {
			return syscall.ENOSPC
		}
		return nil
	})
	var want []string
	for {
		_, _, err := l.Append(bytes.Repeat([]byte{'x'}, 100))
		if err != nil {
			require.ErrorIs(t, err, ErrNoSpace)
			break
		}
		want = append(want, string(bytes.Repeat([]byte{'x'}, 100)))
	}
	require.NotEmpty(t, want)
	_, _, err := l.Append([]byte("small")) // there is still room for it
	require.NoError(t, err)
	full = false
	_, _, err = l.Append(bytes.Repeat([]byte{'y'}, 2000))
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.Equal(t, append(want, "small", string(bytes.Repeat([]byte{'y'}, 2000))), read(t, fs))
}

func TestFailedSyncIsForGood(t *testing.T) {
	fs := crashfs.New()
	l := open(t, fs, Options{SegmentBytes: 4096})
	broken := true
	fs.SetHook(func(op crashfs.Op) error {
		if broken && op.Kind == crashfs.Sync {
			return syscall.EIO
		}
		return nil
	})
	at, _, err := l.Append([]byte("a"))
	require.NoError(t, err)
	require.ErrorIs(t, l.Sync(at), ErrFailed)
	broken = false
	require.ErrorIs(t, l.Sync(at), ErrFailed)
	_, _, err = l.Append([]byte("b"))
	require.ErrorIs(t, err, ErrFailed)
}

// Those who wait during a sync are synced by one of them.
func TestGroups(t *testing.T) {
	fs := crashfs.New()
	l := open(t, fs, Options{SegmentBytes: 1 << 20})
	const clients = 8
	var waiting atomic.Int64
	release := make(chan struct{})
	first := true
	fs.SetHook(func(op crashfs.Op) error {
		if op.Kind == crashfs.Sync && first {
			first = false
			<-release
		}
		return nil
	})
	var wg sync.WaitGroup
	for range clients {
		at, _, err := l.Append([]byte("record"))
		require.NoError(t, err)
		if waiting.Add(1) == 1 {
			begun := make(chan struct{})
			wg.Go(func() { close(begun); _ = l.Sync(at) })
			<-begun
			continue
		}
		wg.Go(func() { _ = l.Sync(at) })
	}
	close(release)
	wg.Wait()
	require.LessOrEqual(t, l.Stats().Syncs, uint64(2))
	require.NoError(t, l.Sync(l.End()))
	require.LessOrEqual(t, l.Stats().Syncs, uint64(2), "nothing is left to sync")
}

// What is reserved can be written whatever a full disk refuses, and whatever others append meanwhile.
func TestReserve(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 9))
		fs := crashfs.New()
		l := open(t, fs, Options{SegmentBytes: 1024})
		full := false
		fs.SetHook(func(op crashfs.Op) error {
			if full && op.Kind == crashfs.Create {
				return syscall.ENOSPC
			}
			return nil
		})
		var all []string
		refused := 0
		record := func(size int) string {
			return fmt.Sprintf("%06d%0*d", len(all), size, 0)
		}
		for range 40 {
			full = false
			sizes := make([]int, 1+rng.IntN(5))
			total := 0
			for i := range sizes {
				sizes[i] = 1 + rng.IntN(600)
				total += FrameSize + 6 + sizes[i]
			}
			require.NoError(t, l.Reserve(total))
			full = true
			for _, size := range sizes {
				for range rng.IntN(4) {
					p := record(1 + rng.IntN(600))
					if _, _, err := l.Append([]byte(p)); err != nil {
						require.ErrorIs(t, err, ErrNoSpace)
						refused++
						continue
					}
					all = append(all, p)
				}
				p := record(size)
				_, segment, err := l.AppendReserved([]byte(p))
				require.NoError(t, err, "seed %d", seed)
				all = append(all, p)
				if rng.IntN(20) == 0 {
					require.NoError(t, l.TrimTo(min(segment, 1)))
				}
			}
			if err := l.MakeRoom(5000); err == nil {
				_, _, err := l.Append([]byte(record(4000)))
				require.NoError(t, err)
				all = append(all, record(4000))
			} else {
				require.ErrorIs(t, err, ErrNoSpace)
			}
		}
		full = false
		require.NoError(t, l.Close())
		require.Equal(t, all, read(t, fs), "seed %d", seed)
		require.Positive(t, refused)
	}
}
