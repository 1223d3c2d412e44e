package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// crashed is a log of three segments whose last one a crash left open.
func crashed(t testing.TB) *vfs.MemFS {
	fs := vfs.NewCrashableMem()
	l := openLog(t, fs)
	commit(t, l, createItem(t, 1))
	commit(t, l, insert(2, 2, "two"))
	require.NoError(t, l.Rotate())
	require.NoError(t, l.AwaitClosed())
	commit(t, l, insert(3, 3, "three"))
	require.NoError(t, l.Rotate())
	require.NoError(t, l.AwaitClosed())
	for seq := uint64(4); seq <= 6; seq++ {
		commit(t, l, insert(seq, 4, "four"))
	}
	return fs.CrashClone(vfs.CrashCloneCfg{})
}

func TestVerifyInOrder(t *testing.T) {
	fs := crashed(t)
	reports, problems := verify(t, openSet(t, fs), VerifyOptions{Strict: true})
	require.Zero(t, problems, "%+v", reports)
	require.Len(t, reports, 3)
	require.Equal(t, StateClosed, reports["binlog.000001"].State)
	require.Equal(t, StateLive, reports["binlog.000003"].State)
	require.EqualValues(t, 3, reports["binlog.000003"].Transactions)
	require.Equal(t, "0-1-6", reports["binlog.000003"].GTIDEnd)

	var out bytes.Buffer
	require.NoError(t, List(context.Background(), openSet(t, fs), ListOptions{}, &out))
	require.Regexp(t, `(?m)^binlog.000001 +closed .* 0-1-1\.\.2$`, out.String())
	require.Regexp(t, `(?m)^binlog.000003 +live .* of 16.0 KiB .* 0-1-4\.\.6$`, out.String())
}

// TestVerifyAgreesWithRecovery changes every byte of the live segment in turn: Verify finds damage
// exactly when a start of the server would refuse.
func TestVerifyAgreesWithRecovery(t *testing.T) {
	fs := crashed(t)
	refused, cut := changeEveryByte(t, fs, "binlog.000003", 1)
	require.NotZero(t, refused)
	require.NotZero(t, cut)
}

// TestVerifyLarge: the segment of a large transaction is durable before it is the last one,
// so that nothing in it is a torn tail.
func TestVerifyLarge(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := openLog(t, fs)
	commit(t, l, createItem(t, 1))
	appendLarge(t, l, 2, 500)
	image := fs.CrashClone(vfs.CrashCloneCfg{})
	reports, problems := verify(t, openSet(t, image), VerifyOptions{Strict: true})
	require.Zero(t, problems, "%+v", reports)
	require.EqualValues(t, 1, reports["binlog.000002"].Transactions)
	_, cut := changeEveryByte(t, image, "binlog.000002", 41)
	require.LessOrEqual(t, cut, 10, "bytes after the transaction, and its in-use flag")
	shown := records(t, openSet(t, fs), ShowOptions{Filter: Filter{GTIDs: []GTIDRange{{Server: 1, First: 2, Last: 2}}}})
	require.Len(t, shown, 1+1+500+1)
}

// appendLarge commits a transaction of n rows events by a file of its own.
func appendLarge(t *testing.T, l *binlog.Log, seq uint64, n int) {
	t.Helper()
	f, err := l.NewLargeFile()
	require.NoError(t, err)
	defer f.Discard()
	require.NoError(t, f.Append(tableEvents(nil, 7, "shop", "item")))
	for i := range n {
		require.NoError(t, f.Append(rowsEvent(nil, 7, event.WriteRowsV1, image(uint32(i), nil))))
	}
	require.NoError(t, f.Append(event.AppendXID(nil, testMeta, seq)))
	require.NoError(t, f.Seal())
	front := beginGroup(seq, event.FLTransactional)
	_, end, err := l.AppendLarge(binlog.LargeGroup{File: f, FrontMax: len(front), Front: func() ([]byte, gtid.GTID) {
		return front, gtid.GTID{Server: 1, Seq: seq}
	}})
	require.NoError(t, err)
	l.SetVisible(end)
	require.NoError(t, l.AwaitClosed())
}

// changeEveryByte changes every step-th byte of the last file, and compares Verify with recovery. It counts what
// recovery refuses, and what it cuts off.
func changeEveryByte(t *testing.T, fs vfs.FS, name string, step int) (refused, cut int) {
	t.Helper()
	good := read(t, fs, name)
	end := len(bytes.TrimRight(good, "\x00"))
	for at := 0; at < min(end+300, len(good)); at += step {
		bad := bytes.Clone(good)
		bad[at] ^= 0x55
		write(t, fs, name, bad)
		plan, err := binlog.Scan(logOptions(fs), binlog.ScanSpec{})
		require.NoError(t, err)
		reports, problems := verify(t, openSet(t, fs), VerifyOptions{})
		require.Equal(t, plan.Damage != nil, problems > 0, "byte %d: recovery says %v, verify %+v", at, plan.Damage, reports)
		if plan.Damage == nil {
			cut++
			require.Contains(t, []string{StateTorn, StateClosed}, reports[name].State, "byte %d", at)
			continue
		}
		refused++
		var ce *binlog.CorruptError
		if p := reports[name].Problems; errors.As(plan.Damage, &ce) && len(p) > 0 {
			require.Equal(t, ce.Offset, p[0].Offset, "byte %d: %v; %v", at, ce, p)
		}
	}
	return refused, cut
}

// TestVerifyFindsEveryByte: whatever byte of a closed segment changes, it is found, at or before its place.
func TestVerifyFindsEveryByte(t *testing.T) {
	fs := crashed(t)
	good := read(t, fs, "binlog.000002")
	for at := range good {
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (at % 8)
		write(t, fs, "binlog.000002", bad)
		reports, problems := verify(t, openSet(t, fs), VerifyOptions{})
		require.NotZero(t, problems, "byte %d: %+v", at, reports)
		require.NotEmpty(t, reports["binlog.000002"].Problems, "byte %d: %+v", at, reports)
		require.LessOrEqual(t, reports["binlog.000002"].Problems[0].Offset, uint64(at), "byte %d: %+v", at, reports)
	}
}

// TestVerifyChain: files that are missing, doubled, swapped or cut short.
func TestVerifyChain(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(t *testing.T, fs vfs.FS)
		file   string
		reason string
	}{
		"missing": {func(t *testing.T, fs vfs.FS) {
			require.NoError(t, fs.Remove(testDir+"/binlog.000002"))
		}, "binlog.000002", "missing"},
		"not listed": {func(t *testing.T, fs vfs.FS) {
			write(t, fs, "binlog.index", []byte("./binlog.000001\n./binlog.000003\n"))
		}, "binlog.000003", "files between them are missing"},
		"another file": {func(t *testing.T, fs vfs.FS) {
			write(t, fs, "binlog.000002", read(t, fs, "binlog.000001"))
		}, "binlog.000002", `its GTID list is "", but binlog.000001 ends with "0-1-2"`},
		"cut short": {func(t *testing.T, fs vfs.FS) {
			b := read(t, fs, "binlog.000001")
			write(t, fs, "binlog.000001", b[:len(b)-44])
		}, "binlog.000001", "the file was closed, but is not valid here"},
		"longer": {func(t *testing.T, fs vfs.FS) {
			write(t, fs, "binlog.000001", append(read(t, fs, "binlog.000001"), 1))
		}, "binlog.000001", "data after the event that ends the file"},
		"index": {func(t *testing.T, fs vfs.FS) {
			write(t, fs, "binlog.000005", read(t, fs, "binlog.000001"))
		}, "binlog.index", "the server will not start"},
	} {
		t.Run(name, func(t *testing.T) {
			fs := crashed(t)
			tt.change(t, fs)
			reports, problems := verify(t, openSet(t, fs), VerifyOptions{})
			require.NotZero(t, problems)
			require.NotEmpty(t, reports[tt.file].Problems, "%+v", reports)
			require.Contains(t, reports[tt.file].Problems[0].Reason, tt.reason)
		})
	}
}

// TestVerifyNumbers: GTIDs that go back or leave gaps are told, and damage only if asked for.
func TestVerifyNumbers(t *testing.T) {
	for _, tt := range []struct {
		numbers       []uint64
		notes, strict int
	}{
		{[]uint64{1, 2, 3}, 0, 0},
		{[]uint64{5, 6}, 0, 0},
		{[]uint64{1, 4}, 1, 1},
		{[]uint64{1, 2, 2}, 1, 1},
		{[]uint64{3, 2}, 1, 1},
	} {
		fs := vfs.NewMem()
		l := openLog(t, fs)
		for _, n := range tt.numbers {
			commit(t, l, insert(n, 1, "x"))
		}
		reports, problems := verify(t, openSet(t, fs), VerifyOptions{})
		require.Zero(t, problems, "%v", tt.numbers)
		require.Len(t, reports["binlog.000001"].Notes, tt.notes, "%v", tt.numbers)
		_, problems = verify(t, openSet(t, fs), VerifyOptions{Strict: true})
		require.Equal(t, tt.strict, problems, "%v", tt.numbers)
	}
}

// TestBesideAWriter lists, shows and verifies a log that is being written, rotated and purged: it
// is always in order.
func TestBesideAWriter(t *testing.T) {
	fs := vfs.NewMem()
	l := openLog(t, fs)
	commit(t, l, createItem(t, 1))
	stop := make(chan struct{})
	var writing sync.WaitGroup
	var purging sync.Mutex
	writing.Add(1)
	go func() {
		defer writing.Done()
		for seq := uint64(2); ; seq++ {
			select {
			case <-stop:
				return
			default:
			}
			commit(t, l, insert(seq, uint32(seq), "written"))
			if seq%100 == 0 {
				l.SetRecoveryStart(l.End())
				purging.Lock()
				if _, err := l.PurgeTo(l.End().Segment - 2); err != nil {
					t.Errorf("purge: %v", err)
				}
				purging.Unlock()
			}
		}
	}()
	defer func() {
		close(stop)
		writing.Wait()
	}()
	for round := range 30 {
		reports, problems := verify(t, openSet(t, fs), VerifyOptions{Strict: true})
		require.Zero(t, problems, "round %d: %+v", round, reports)
		purging.Lock() // to show a file that is purged is an error
		require.NotEmpty(t, records(t, openSet(t, fs), ShowOptions{}))
		purging.Unlock()
		var out bytes.Buffer
		require.NoError(t, List(context.Background(), openSet(t, fs), ListOptions{}, &out))
		require.NotContains(t, out.String(), StateDamaged, "round %d", round)
	}
}

// purgedFS loses files between a Stat and an Open.
type purgedFS struct {
	vfs.FS
	name string
}

func (p purgedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if strings.HasSuffix(name, p.name) {
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	return p.FS.Open(name, opts...)
}

// TestListOfPurged: a file that is purged while the files are listed is missing, and the others are there.
func TestListOfPurged(t *testing.T) {
	fs := vfs.NewMem()
	l := openLog(t, fs)
	commit(t, l, createItem(t, 1))
	require.NoError(t, l.Rotate())
	require.NoError(t, l.AwaitClosed()) // the index has both files
	commit(t, l, insert(2, 2, "written"))
	set := openSet(t, fs)
	set.FS = purgedFS{fs, set.Files[0].Name}
	var out bytes.Buffer
	require.NoError(t, List(context.Background(), set, ListOptions{}, &out))
	require.Contains(t, out.String(), StateMissing)
	require.Contains(t, out.String(), StateLive)
}

// TestForeignFiles: files of a MariaDB with the one or the other oddity.
func TestForeignFiles(t *testing.T) {
	header := func(version string, flags uint16, number int, list ...event.List) []byte {
		m := testMeta
		m.Flags = flags
		b := event.AppendFormatDescription(nil, m, version, 0)
		for _, l := range list {
			b = event.AppendGTIDList(b, testMeta, l.GTIDs)
		}
		return event.AppendBinlogCheckpoint(b, testMeta, fmt.Sprintf("mysql-bin.%06d", number))
	}
	finish := func(b []byte) []byte {
		require.NoError(t, event.Finalize(b, uint64(len(event.Magic))))
		return append([]byte(event.Magic), b...)
	}
	const maria = "10.11.6-MariaDB-log"
	newDir := func() vfs.FS {
		fs := vfs.NewMem()
		require.NoError(t, fs.MkdirAll(testDir, 0o755))
		return fs
	}
	t.Run("crash of MariaDB", func(t *testing.T) {
		fs := newDir()
		first := finish(append(header(maria, event.FlagInUse, 1, event.List{}), insert(1, 1, "x")...))
		second := finish(event.AppendStop(append(header(maria, 0, 2, event.List{GTIDs: []gtid.GTID{{Server: 1, Seq: 1}}}), insert(2, 1, "x")...), testMeta))
		write(t, fs, "mysql-bin.000001", append(slices.Clone(first), insert(2, 1, "x")[:40]...))
		write(t, fs, "mysql-bin.000002", second)
		write(t, fs, "mysql-bin.index", []byte("./mysql-bin.000001\n./mysql-bin.000002\n"))
		reports, problems := verify(t, openSet(t, fs), VerifyOptions{})
		require.Zero(t, problems, "%+v", reports)
		require.Equal(t, StateUnclosed, reports["mysql-bin.000001"].State)
		require.Len(t, reports["mysql-bin.000001"].Notes, 2)
	})
	t.Run("encrypted", func(t *testing.T) {
		fs := newDir()
		b := event.AppendFormatDescription(nil, testMeta, maria, 0)
		b, start := event.Begin(b, testMeta, event.StartEncryption)
		b = event.End(append(b, "\x01\x01\x00\x00\x00nonce of 12b"...), start)
		write(t, fs, "enc.000001", append(finish(b), "garbage that was encrypted"...))
		set := openSet(t, fs)
		err := Show(context.Background(), set, ShowOptions{}, &bytes.Buffer{})
		require.ErrorIs(t, err, ErrEncrypted)
		_, err = Verify(context.Background(), set, VerifyOptions{}, &bytes.Buffer{})
		require.ErrorIs(t, err, ErrEncrypted)
	})
	t.Run("several logs", func(t *testing.T) {
		fs := newDir()
		write(t, fs, "a.000001", finish(header(maria, 0, 1)))
		write(t, fs, "b.000001", finish(header(maria, 0, 1)))
		_, err := Open(fs, []string{testDir}, "")
		require.ErrorIs(t, err, ErrNoLog)
		require.ErrorContains(t, err, "a, b")
		set, err := Open(fs, []string{testDir}, "b")
		require.NoError(t, err)
		require.Len(t, set.Files, 1)
	})
	t.Run("not a log", func(t *testing.T) {
		fs := newDir()
		write(t, fs, "x", []byte("hello"))
		write(t, fs, "m.000001", []byte("\xfdbin"))
		for _, path := range []string{"/x", "/nothing", "", "/m.000001"} {
			_, err := Open(fs, []string{testDir + path}, "")
			require.ErrorIs(t, err, ErrNoLog, path)
		}
	})
}
