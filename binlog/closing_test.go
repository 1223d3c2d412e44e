package binlog

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// leftLog is a log with transactions 1 to 3 in segment 1, which a rotation has left and not closed, and 4 to 6 in segment 2: its
// files, and where the transactions end.
func leftLog(t *testing.T) (files map[string]string, ends map[uint64]logpos.Pos) {
	t.Helper()
	fs, ends := vfs.NewMem(), map[uint64]logpos.Pos{}
	o := testOptions(fs)
	o.MaxSize, o.PrepareInline, o.closeByHand = 16<<10, true, true
	l, _ := mustOpen(t, o)
	for n := uint64(1); n <= 6; n++ {
		committed(t, l, transaction(n, 300))
		ends[n] = l.End()
		if n == 3 {
			require.NoError(t, l.Rotate())
		}
	}
	return tree(t, fs, testDir), ends
}

// openFiles opens a log of the given files.
func openFiles(t *testing.T, files map[string]string) (*vfs.MemFS, Options) {
	t.Helper()
	fs := vfs.NewMem()
	require.NoError(t, fs.MkdirAll(testDir, 0o755))
	for name, b := range files {
		writeFile(t, fs, name, []byte(b))
	}
	o := testOptions(fs)
	o.MaxSize = 16 << 10
	return fs, o
}

// TestSegmentLeft: a crash after a rotation, before the old file was closed, finds everything, whichever name the new file has
// and whatever was done about the old one; and finds it again.
func TestSegmentLeft(t *testing.T) {
	const old, next = "binlog.000001", "binlog.000002"
	files, ends := leftLog(t)
	end := int(ends[3].Offset) + minEventSize + 8 + len(old)
	for name, edit := range map[string]func(files map[string]string){
		"as it is":     func(map[string]string) {},
		"not renamed":  func(f map[string]string) { f["binlog.next"] = f[next]; delete(f, next) },
		"both names":   func(f map[string]string) { f["binlog.next"] = f[next] },
		"cut":          func(f map[string]string) { f[old] = f[old][:end] },
		"closed":       func(f map[string]string) { f[old] = f[old][:flagsOffset] + "\x00" + f[old][flagsOffset+1:end] },
		"index staged": func(f map[string]string) { f["binlog.index.tmp"] = "./" + old + "\n./" },
		"listed": func(f map[string]string) {
			f[old] = f[old][:flagsOffset] + "\x00" + f[old][flagsOffset+1:end]
			f["binlog.index"] = "./" + old + "\n./" + next + "\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			left := maps.Clone(files)
			edit(left)
			fs, o := openFiles(t, left)
			plan, err := Scan(o, ScanSpec{})
			require.NoError(t, err)
			require.NoError(t, plan.Damage)
			require.Equal(t, left, tree(t, fs, testDir), "Scan changes nothing")
			for round := range 2 {
				l, rec := mustOpen(t, o)
				require.Equal(t, gtids(1, 6), contentsOf(t, l))
				require.Equal(t, round == 0, rec.Crashed)
				index := string(readFile(t, fs, "binlog.index"))
				require.True(t, strings.HasPrefix(index, "./"+old+"\n./"+next+"\n"), index)
				require.Len(t, readFile(t, fs, old), end)
				require.Zero(t, readFile(t, fs, old)[flagsOffset])
				require.NoError(t, l.Close())
			}
		})
	}
}

// TestDamageOfSegmentLeft: what no crash can have done to a segment that a rotation has left is damage, in that file; and so are
// groups in a file that nothing leads to.
func TestDamageOfSegmentLeft(t *testing.T) {
	const old, next = "binlog.000001", "binlog.000002"
	files, ends := leftLog(t)
	rotate := int(ends[3].Offset)
	end := rotate + minEventSize + 8 + len(old)
	change := func(f map[string]string, name string, at int, with string) {
		f[name] = f[name][:at] + with + f[name][at+len(with):]
	}
	for name, c := range map[string]struct {
		row  string
		edit func(f map[string]string)
	}{
		"ROTATE lost":      {"15", func(f map[string]string) { change(f, old, rotate, strings.Repeat("\x00", end-rotate)) }},
		"ROTATE changed":   {"15", func(f map[string]string) { change(f, old, rotate+22, "\xff") }},
		"data after":       {"15", func(f map[string]string) { change(f, old, end+50, "x") }},
		"group changed":    {"15", func(f map[string]string) { change(f, old, rotate-200, "\xff\xfe\xfd") }},
		"cut before":       {"15", func(f map[string]string) { f[old] = f[old][:rotate] }},
		"listed, not done": {"12", func(f map[string]string) { f["binlog.index"] += "./" + next + "\n" }},
		"header of next":   {"", func(f map[string]string) { change(f, next, 30, "\xff\xfe") }},
	} {
		for _, unnamed := range []bool{false, true} {
			if unnamed && c.row == "12" {
				continue
			}
			t.Run(name+map[bool]string{true: ", not renamed"}[unnamed], func(t *testing.T) {
				left := maps.Clone(files)
				c.edit(left)
				if unnamed {
					left["binlog.next"] = left[next]
					delete(left, next)
				}
				fs, o := openFiles(t, left)
				plan, err := Scan(o, ScanSpec{})
				require.NoError(t, err)
				require.ErrorIs(t, plan.Damage, ErrCorrupt)
				if c.row != "" {
					require.Contains(t, plan.Damage.Error(), old)
					require.Equal(t, c.row, strings.Fields(plan.Row)[0])
				}
				_, err = plan.Open()
				require.ErrorIs(t, err, ErrCorrupt)
				require.Equal(t, left, tree(t, fs, testDir), "nothing was changed")
			})
		}
	}
}

// TestPreparedFile: the file of the next segment is not taken for a segment before a group was durable in it.
func TestPreparedFile(t *testing.T) {
	const next = "binlog.000002"
	files, _ := leftLog(t)
	head := strings.Index(files[next], string(markMagic)) - 19
	for name, edit := range map[string]func(b string) string{
		"header only": func(b string) string { return b[:head] + strings.Repeat("\x00", len(b)-head) },
		"header torn": func(b string) string { return b[:head/2] + strings.Repeat("\x00", len(b)-head/2) },
		"mark torn":   func(b string) string { return b[:head+20] + "\x00\x00" + b[head+22:] },
		"zeros":       func(b string) string { return strings.Repeat("\x00", len(b)) },
	} {
		t.Run(name, func(t *testing.T) {
			left := maps.Clone(files)
			first := left[next]
			if at := strings.Index(first[head+markSize:], string(markMagic)); name == "mark torn" {
				first = first[:head+markSize+at-19] + strings.Repeat("\x00", len(first)-head-markSize-at+19) // one write only
			}
			left["binlog.next"] = edit(first)
			delete(left, next)
			_, o := openFiles(t, left)
			l, _ := mustOpen(t, o)
			require.Equal(t, gtids(1, 3), contentsOf(t, l))
			commit(t, l, transaction(4, 10))
			require.Equal(t, gtids(1, 4), contentsOf(t, l))
		})
	}
}

// TestUntilInSegmentLeft: recovery ends the log within a segment that a rotation has left, or in the one after it.
func TestUntilInSegmentLeft(t *testing.T) {
	files, ends := leftLog(t)
	for _, unnamed := range []bool{false, true} {
		for n := uint64(1); n <= 6; n++ {
			left := maps.Clone(files)
			if unnamed {
				left["binlog.next"] = left["binlog.000002"]
				delete(left, "binlog.000002")
			}
			_, o := openFiles(t, left)
			plan, err := Scan(o, ScanSpec{Until: Until{Pos: ends[n]}})
			require.NoError(t, err)
			l, err := plan.Open()
			require.NoError(t, err)
			require.Equal(t, gtids(1, n), contentsOf(t, l), "until %v", ends[n])
			require.NoError(t, l.Close())
			l, _ = mustOpen(t, o)
			require.Equal(t, gtids(1, n), contentsOf(t, l))
			require.NoError(t, l.Close())
		}
	}
}

// TestUntilBeforeDamagedNext: what lies after the place does not matter, and is kept.
func TestUntilBeforeDamagedNext(t *testing.T) {
	files, ends := leftLog(t)
	next := files["binlog.000002"]
	files["binlog.next"] = next[:30] + "\xff\xfe" + next[32:]
	delete(files, "binlog.000002")
	for n := uint64(1); n <= 3; n++ {
		fs, o := openFiles(t, files)
		plan, err := Scan(o, ScanSpec{})
		require.NoError(t, err)
		require.ErrorIs(t, plan.Damage, ErrCorrupt)
		plan, err = Scan(o, ScanSpec{Until: Until{Pos: ends[n]}})
		require.NoError(t, err)
		require.NoError(t, plan.Damage)
		l, err := plan.Open()
		require.NoError(t, err)
		require.Equal(t, gtids(1, n), contentsOf(t, l))
		require.NoError(t, l.Close())
		kept := ""
		for name, b := range tree(t, fs, testDir) {
			if strings.HasSuffix(name, "/binlog.next") {
				kept = b
			}
		}
		require.Equal(t, files["binlog.next"], kept)
	}
	_, o := openFiles(t, files)
	plan, err := Scan(o, ScanSpec{Until: Until{Pos: logpos.At(2, 400)}})
	require.NoError(t, err)
	require.ErrorIs(t, plan.Damage, ErrCorrupt, "the place was not found before the damage")
}

// syncsFS has every sync of a file wait until two of them are under way; and counts those of directories.
type syncsFS struct {
	vfs.FS
	mu    sync.Mutex
	watch bool
	files int
	both  chan struct{}
	dirs  int
}

type syncsFile struct {
	vfs.File
	fs  *syncsFS
	dir bool
}

func (s *syncsFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.FS.OpenReadWrite(name, c, opts...)
	return &syncsFile{f, s, false}, err
}

func (s *syncsFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, c)
	return &syncsFile{f, s, false}, err
}

func (s *syncsFS) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	return &syncsFile{f, s, true}, err
}

func (f *syncsFile) Sync() error     { f.note(); return f.File.Sync() }
func (f *syncsFile) SyncData() error { f.note(); return f.File.SyncData() }

func (f *syncsFile) note() {
	f.fs.mu.Lock()
	if !f.fs.watch {
		f.fs.mu.Unlock()
		return
	}
	if f.dir {
		f.fs.dirs++
		f.fs.mu.Unlock()
		return
	}
	f.fs.files++
	both := f.fs.both
	if f.fs.files == 2 {
		close(both)
	}
	f.fs.mu.Unlock()
	select {
	case <-both:
	case <-time.After(30 * time.Second): // the test then finds one sync only
	}
}

// TestRotationCostsOneSync: others wait for the sync of two files at the same time, and for nothing else.
func TestRotationCostsOneSync(t *testing.T) {
	fs := &syncsFS{FS: vfs.NewMem(), both: make(chan struct{})}
	o := testOptions(fs)
	o.closeByHand = true
	l, _ := mustOpen(t, o)
	commit(t, l, transaction(1, 100))
	l.prep.want()
	require.NoError(t, l.prep.await())
	fs.mu.Lock()
	fs.watch = true
	fs.mu.Unlock()
	require.NoError(t, l.Rotate())
	fs.mu.Lock()
	fs.watch = false
	files, dirs := fs.files, fs.dirs
	fs.mu.Unlock()
	require.Equal(t, 2, files)
	require.Zero(t, dirs)
	select {
	case <-fs.both:
	default:
		t.Fatal("one file was synced after the other")
	}
	commit(t, l, transaction(2, 100))
	require.NoError(t, l.AwaitClosed())
	require.Equal(t, gtids(1, 2), contentsOf(t, l))
}

// TestIndexOnFullDisk: when there is no room for the new index after a rotation, commits go on, the next rotation is refused, and
// the log mends itself; a crash in between loses nothing.
func TestIndexOnFullDisk(t *testing.T) {
	mem := vfs.NewCrashableMem()
	fs := &failingFS{FS: mem}
	o := testOptions(fs)
	o.closeByHand = true
	l, _ := mustOpen(t, o)
	commit(t, l, transaction(1, 100))
	l.prep.want()
	require.NoError(t, l.prep.await())
	fs.setFull(true)
	require.NoError(t, l.Rotate())
	commit(t, l, transaction(2, 100))
	require.ErrorIs(t, l.AwaitClosed(), ErrNoSpace)
	require.ErrorIs(t, l.Rotate(), ErrNoSpace)
	commit(t, l, transaction(3, 100))
	require.Equal(t, gtids(1, 3), contentsOf(t, l))

	crashed := o
	crashed.FS = mem.CrashClone(vfs.CrashCloneCfg{})
	c, _ := mustOpen(t, crashed)
	require.Equal(t, gtids(1, 3), contentsOf(t, c))

	require.Equal(t, "./binlog.000001\n", string(readFile(t, mem, "binlog.index")))
	fs.setFull(false)
	require.NoError(t, l.AwaitClosed())
	require.Equal(t, "./binlog.000001\n./binlog.000002\n", string(readFile(t, mem, "binlog.index")))
	require.NoError(t, l.Rotate())
	commit(t, l, transaction(4, 100))
	require.NoError(t, l.Close())
	l, rec := mustOpen(t, o)
	require.False(t, rec.Crashed)
	require.Equal(t, gtids(1, 4), contentsOf(t, l))
}

// TestFailureAfterRotation: a sync that fails in the background ends the process, though no caller gets the error.
func TestFailureAfterRotation(t *testing.T) {
	fs := &failingFS{FS: vfs.NewMem()}
	o := testOptions(fs)
	fatal := make(chan error, 10)
	o.Fatal = func(err error) { fatal <- err }
	l, _ := mustOpen(t, o)
	commit(t, l, transaction(1, 100))
	l.prep.want()
	require.NoError(t, l.prep.await())
	l.closer.turn.Lock() // the background work has to wait
	require.NoError(t, l.Rotate())
	commit(t, l, transaction(2, 100))
	fs.setSyncError(errors.New("the disk is broken"))
	l.closer.turn.Unlock()
	require.ErrorContains(t, <-fatal, "the disk is broken")
	require.ErrorIs(t, l.Reserve(100), ErrSyncFailed)
	require.ErrorIs(t, l.AwaitClosed(), ErrSyncFailed)
	require.ErrorIs(t, l.Close(), ErrSyncFailed)
}
