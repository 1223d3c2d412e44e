package enginelog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
)

const dir, redoDir = "/log", "/redo"

// fixture is a binary log under a redo log.
type fixture struct {
	*testing.T
	disk *crashfs.FS
	fs   *FS
	redo *redo.Log
	log  *binlog.Log
}

func read(t *testing.T, disk *crashfs.FS) *Contents {
	t.Helper()
	c, _ := readAll(t, disk)
	return c
}

// readAll returns also which transactions are announced in the redo log.
func readAll(t *testing.T, disk *crashfs.FS) (c *Contents, announced map[uint64]bool) {
	t.Helper()
	c, announced = &Contents{}, map[uint64]bool{}
	_, err := redo.Read(disk, redoDir, func(r redo.Record) error {
		taken, err := c.Add(r.Payload)
		if !taken {
			announced[binary.LittleEndian.Uint64(r.Payload[1:])] = true
		}
		return err
	})
	require.NoError(t, err)
	return c, announced
}

// newFixture recovers what is on a disk, and goes on.
func newFixture(t *testing.T, disk *crashfs.FS, maxSize int64) *fixture {
	t.Helper()
	for _, d := range []string{dir, redoDir} {
		require.NoError(t, disk.MkdirAll(d, 0o755))
	}
	root, err := disk.OpenDir("/")
	require.NoError(t, err)
	require.NoError(t, root.Sync())
	f := &fixture{T: t, disk: disk, fs: New(disk, dir, "binlog")}
	changed, err := f.fs.Complete(read(t, disk))
	require.NoError(t, err)
	f.redo, err = redo.Open(redo.Options{FS: disk, Dir: redoDir, SegmentBytes: 2048})
	require.NoError(t, err)
	if changed {
		require.NoError(t, Release(f.redo))
	}
	f.log, _, err = binlog.Open(binlog.Options{FS: f.fs, Dir: dir, ServerID: 1, MaxSize: maxSize, PrepareInline: true, SyncMethod: binlog.SyncFdatasync, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	end := f.log.End()
	require.NoError(t, f.fs.Start(f.redo, f.log.SegmentName(end.Segment), end.Offset))
	return f
}

// group appends a transaction, which is announced in the redo log, and returns where it ends.
func (f *fixture) group(seq uint64, size int) logpos.Pos {
	f.Helper()
	_, _, err := f.redo.Append(binary.LittleEndian.AppendUint64([]byte{1}, seq))
	require.NoError(f, err)
	b := event.AppendGTID(nil, event.Meta{ServerID: 1}, event.GTIDInfo{GTID: gtid.GTID{Server: 1, Seq: seq}, Flags: event.FLTransactional})
	b = event.AppendQuery(b, event.Meta{ServerID: 1}, event.Query{SQL: fmt.Sprintf("-- %0*d", size, seq)})
	b = event.AppendXID(b, event.Meta{ServerID: 1}, seq)
	require.NoError(f, f.log.Reserve(int64(len(b))+1000))
	_, end, err := f.log.Append(b)
	require.NoError(f, err)
	f.log.SetVisible(end)
	return end
}

// seqs are the transactions in the log.
func (f *fixture) seqs() (seqs []uint64) {
	f.Helper()
	r, err := f.log.NewReader(logpos.At(f.log.Segments()[0].Segment, 0))
	require.NoError(f, err)
	defer r.Close()
	for {
		ev, _, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			return seqs
		}
		require.NoError(f, err)
		if event.Type(ev[4]) != event.XID {
			continue
		}
		decoded, err := event.Decode(ev)
		require.NoError(f, err)
		seqs = append(seqs, decoded.Body.(*event.Xid).XID)
	}
}

// close is what a shutdown does.
func (f *fixture) close() {
	f.Helper()
	require.NoError(f, f.fs.Stop())
	require.NoError(f, f.redo.Close())
	require.NoError(f, f.log.Close())
}

// A sync of the log syncs the redo log, and no file of the binary log.
func TestSyncsOnlyTheRedoLog(t *testing.T) {
	f := newFixture(t, crashfs.New(), 64<<10)
	var synced []string
	f.disk.SetHook(func(op crashfs.Op) error {
		if op.Kind == crashfs.Sync {
			synced = append(synced, op.Name)
		}
		return nil
	})
	f.group(1, 10)
	require.NoError(t, f.log.Sync())
	require.Equal(t, []string{"/redo/redo.next"}, synced, "by the name with which it was opened")
	f.disk.SetHook(nil)
	f.close()
}

// Whenever the power fails, the files hold what was synced, and nothing that is not in the redo log.
func TestCrash(t *testing.T) {
	found, completed := 0, 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 7))
		disk := crashfs.New()
		disk.SetTruncate(rng.IntN(2) == 0)
		var known []uint64 // what the lives before have left
		next := uint64(0)
		for life := range 3 {
			maxSize := []int64{4096, 16 << 10}[rng.IntN(2)]
			var image *crashfs.FS
			var all, acked, then []uint64
			crashAt, ops := 1+rng.IntN(120), 0
			disk.SetHook(func(crashfs.Op) error {
				if ops++; ops == crashAt {
					image = disk.Crash(crashfs.RandomLoss(rng), rng)
					then = acked
				}
				return nil
			})
			acked, all = known, known
			f := newFixture(t, disk, maxSize)
			require.Equal(t, fmt.Sprint(known), fmt.Sprint(f.seqs()), "seed %d, life %d", seed, life)
			for image == nil {
				switch rng.IntN(8) {
				case 0:
					// As the engine's checkpoint does it.
					segment := f.redo.Segment()
					require.NoError(t, f.fs.SyncFiles())
					acked = all
					require.NoError(t, f.redo.TrimTo(segment))
				case 1, 2:
					require.NoError(t, f.log.Sync())
					acked = all
				case 3:
					require.NoError(t, f.log.Rotate())
				default:
					next++
					all = append(all[:len(all):len(all)], next)
					f.group(next, 1+rng.IntN(400))
				}
			}
			if rng.IntN(4) == 0 {
				f.close()
			}
			disk.SetHook(nil)
			disk = image
			c, announced := readAll(t, image)
			if c.carrying {
				completed++
			}
			g := newFixture(t, image.Crash(crashfs.KeepAll, rng), maxSize)
			known = g.seqs()
			g.close()
			require.GreaterOrEqual(t, len(known), len(then), "seed %d, life %d: has %d, acknowledged %d", seed, life, known, then)
			require.LessOrEqual(t, len(known), len(all))
			require.Equal(t, fmt.Sprint(all[:len(known)]), fmt.Sprint(known), "seed %d, life %d", seed, life)
			for _, seq := range known[min(len(then), len(known)):] {
				require.True(t, announced[seq], "seed %d, life %d: %d is in the log, and the redo log has not heard of it", seed, life, seq)
			}
			found += len(known)
		}
	}
	require.Greater(t, found, 5000)
	require.Greater(t, completed, 3000)
}

// Files are finished in the background, when the next one has been written to and noted as durable: checkpoints that follow keep both.
func TestFileIsFinishedLate(t *testing.T) {
	f := newFixture(t, crashfs.New(), 64<<10)
	f.group(1, 10)
	before, err := f.fs.OpenReadWrite("/log/binlog.000001", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	require.NoError(t, f.log.Rotate())
	f.group(2, 10)
	checkpoint := func() {
		for range 40 { // the redo log goes on to another file, and what is in those before is trimmed
			_, _, err := f.redo.Append(binary.LittleEndian.AppendUint64(append([]byte{1}, make([]byte, 100)...), 2))
			require.NoError(t, err)
		}
		segment := f.redo.Segment()
		require.NoError(t, f.fs.SyncFiles())
		require.NoError(t, f.redo.TrimTo(segment))
	}
	checkpoint()
	_, err = before.WriteAt([]byte{0}, inUseAt)
	require.NoError(t, err)
	checkpoint()
	left := f.disk.Crash(crashfs.Loss{}, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, before.Close())
	f.close()
	g := newFixture(t, left, 64<<10)
	require.Equal(t, []uint64{1, 2}, g.seqs())
	g.close()
}

// inUseAt is where a file says that it is in use.
const inUseAt = 4 + 17

// The binary log still finishes files in its background when a shutdown stops the redo log: what has begun to be written ends before.
func TestStopWaitsForWrites(t *testing.T) {
	for range 300 {
		f := newFixture(t, crashfs.New(), 64<<10)
		f.group(1, 10)
		file, err := f.fs.OpenReadWrite("/log/binlog.000001", vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		end := int64(f.log.End().Offset)
		stopped, writing := make(chan error, 1), make(chan struct{})
		go func() {
			<-writing
			stopped <- errors.Join(f.fs.Stop(), f.redo.Close())
		}()
		for i := range 500 {
			if i == 100 {
				close(writing)
			}
			_, err := file.WriteAt([]byte{0}, end)
			require.NoError(t, err)
			require.NoError(t, file.SyncData())
		}
		require.NoError(t, <-stopped)
		require.NoError(t, file.Close())
		require.NoError(t, f.log.Close())
	}
}

// A file that the redo log has writes to, and that is gone, is an error; purged ones are none.
func TestMissingFile(t *testing.T) {
	f := newFixture(t, crashfs.New(), 64<<10)
	f.group(1, 10)
	require.NoError(t, f.log.Rotate())
	f.group(2, 10)
	require.NoError(t, f.log.Sync())
	left := f.disk.Crash(crashfs.KeepAll, rand.New(rand.NewPCG(1, 1)))
	f.close()
	require.NoError(t, left.Remove("/log/binlog.000001"))
	_, err := New(left, dir, "binlog").Complete(read(t, left))
	require.NoError(t, err)
	require.NoError(t, left.Remove("/log/binlog.000002"))
	_, err = New(left, dir, "binlog").Complete(read(t, left))
	require.ErrorIs(t, err, ErrMissing)
}
