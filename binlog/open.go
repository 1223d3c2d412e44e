package binlog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/duramendb/duramen/gtid"
)

// Recovered tells what Open found.
type Recovered struct {
	// State is the binlog state after the last group.
	State *gtid.State
	// End is the end of the last group found, before Open started its own
	// segment; zero in a new log. Nothing behind it may have reached an engine.
	End Pos
	// Crashed says that the log was not closed by the process before.
	Crashed bool
	// TornBytes is what was cut off behind End: writes that were never acknowledged.
	TornBytes int64
	// TornFile is the segment they were in, "" if there were none.
	TornFile string
}

// Open recovers the log in o.Dir, or creates it, and starts a new segment, as
// MariaDB does at every start. It refuses damage (ErrCorrupt, ErrIndex)
// without changing anything; see the package comment for what counts as damage.
// The caller has made sure that no other process uses the directory.
func Open(o Options) (*Log, *Recovered, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	if err := o.makeDir(); err != nil {
		return nil, nil, err
	}
	l := &Log{o: o}
	l.mu.maxSize = o.MaxSize
	l.mu.wake = make(chan struct{})
	l.idle = sync.NewCond(&l.mu)
	rec, err := l.recover()
	if err != nil {
		return nil, nil, err
	}
	l.chooseMethod()
	l.prep = newPreparer(&l.o, l.maxSize)
	if err := l.startFirst(rec); err != nil {
		l.prep.close()
		return nil, nil, fmt.Errorf("start a binary log file: %w", err)
	}
	return l, rec, nil
}

// makeDir creates the directory, durably, if it is not there.
func (o *Options) makeDir() error {
	if _, err := o.FS.Stat(o.Dir); err == nil {
		return nil
	}
	if err := o.FS.MkdirAll(o.Dir, 0o755); err != nil {
		return noSpace(fmt.Errorf("create binary log directory %s: %w", o.Dir, err))
	}
	return o.syncDirectory(o.FS.PathDir(o.Dir))
}

// startFirst starts this process's first segment.
func (l *Log) startFirst(rec *Recovered) error {
	l.mu.state = rec.State.Clone()
	n := uint64(1)
	if k := len(l.mu.segments); k > 0 {
		n = l.mu.segments[k-1].n + 1
	}
	if err := l.adoptNext(); err != nil {
		return err
	}
	next, f, err := l.stageSegment(n, l.StateClone(), l.o.now())
	if err != nil {
		return err
	}
	if err := l.o.stageIndex(append(l.segmentNumbers(), n)); err != nil {
		return l.unstage(f, err)
	}
	if err := l.publish(next); err != nil {
		return errors.Join(err, f.Close())
	}
	l.install(next, f)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.segments = append(l.mu.segments, next)
	pos := Pos{n, next.headerEnd}
	l.mu.written, l.mu.synced, l.mu.visible = pos, pos, pos
	return nil
}

// adoptNext uses the file that a process before prepared, if it is as it was
// made: of the right size, and no header was written into it.
func (l *Log) adoptNext() error {
	path := l.o.path(l.o.nextName())
	fi, err := l.o.FS.Stat(path)
	if oserror.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stat %s: %w", path, err)
	}
	if fi.Size() == roundUp(l.mu.maxSize) && !l.o.NoPreallocate {
		// A header cannot have been longer than one made now: states only grow.
		head, err := l.o.buildHeader(l.mu.state, 0, l.o.segmentName(1))
		if err != nil {
			return err
		}
		clean, err := l.o.startsWithZeros(path, max(64<<10, 2*len(head)))
		if err != nil {
			return err
		}
		if clean {
			l.prep.adopt()
			return nil
		}
	}
	if err := l.o.FS.Remove(path); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

func (o *Options) startsWithZeros(path string, n int) (bool, error) {
	f, err := o.FS.Open(path)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", path, err)
	}
	b := make([]byte, n)
	got, rerr := f.ReadAt(b, 0)
	if err := f.Close(); err != nil {
		return false, fmt.Errorf("close %s: %w", path, err)
	}
	if got == 0 {
		return false, fmt.Errorf("read %s: %w", path, rerr)
	}
	return allZero(b[:got]), nil
}

// recover fills in the segments of earlier processes.
func (l *Log) recover() (*Recovered, error) {
	rec := &Recovered{State: gtid.NewState()}
	numbers, err := l.o.reconcileFiles()
	if err != nil {
		return nil, err
	}
	for i, n := range numbers {
		seg := &segment{n: n, name: l.o.segmentName(n)}
		if i < len(numbers)-1 {
			err = l.o.loadClosed(seg)
		} else {
			err = l.o.recoverLast(seg, rec)
		}
		if err != nil {
			return nil, err
		}
		l.mu.segments = append(l.mu.segments, seg)
	}
	return rec, nil
}

// reconcileFiles compares index and directory, removes what an interrupted
// rotation or purge left behind, and returns the segments.
func (o *Options) reconcileFiles() ([]uint64, error) {
	names, err := o.FS.List(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", o.Dir, err)
	}
	index, err := o.readIndex()
	if err != nil {
		return nil, err
	}
	var files []uint64
	var leftovers []string
	for _, name := range names {
		if n, ok := o.parseSegmentName(name); ok {
			files = append(files, n)
		} else if o.unfinished(name) {
			leftovers = append(leftovers, name)
		}
	}
	slices.Sort(files)
	extra, err := o.reconcile(index, files, o.headerOnly)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Dir, err)
	}
	for _, n := range extra {
		leftovers = append(leftovers, o.segmentName(n))
	}
	for _, name := range leftovers {
		o.Logger.Info("removing what an interrupted operation on the binary log left behind", "file", name)
		if err := o.FS.Remove(o.path(name)); err != nil {
			return nil, fmt.Errorf("remove %s: %w", o.path(name), err)
		}
	}
	return index, nil
}

// unfinished tells the names that files have while they are being written.
func (o *Options) unfinished(name string) bool {
	if base, ok := strings.CutSuffix(name, tmpSuffix); ok {
		return base == o.indexName() || base == o.nextName() || name == o.probeName()
	}
	base, ok := strings.CutSuffix(name, cutSuffix)
	if !ok {
		return false
	}
	_, ok = o.parseSegmentName(base)
	return ok
}

// reconcile decides what to do with files that the index does not list. The
// table in the package comment gives the reasons.
func (o *Options) reconcile(index, files []uint64, headerOnly func(n uint64) (bool, error)) (remove []uint64, err error) {
	for _, n := range index {
		if !slices.Contains(files, n) {
			return nil, fmt.Errorf("%w: %s is listed, but the file is missing", ErrIndex, o.segmentName(n))
		}
	}
	for _, n := range files {
		switch {
		case slices.Contains(index, n):
			continue
		case len(index) > 0 && n < index[0]:
			remove = append(remove, n)
			continue
		case len(index) > 0 && n == index[len(index)-1]+1, len(index) == 0 && n == 1 && len(files) == 1:
			fresh, err := headerOnly(n)
			if err != nil {
				return nil, err
			}
			if fresh {
				remove = append(remove, n)
				continue
			}
		}
		return nil, fmt.Errorf("%w: file %s exists, but is not listed in %s", ErrIndex, o.segmentName(n), o.indexName())
	}
	return remove, nil
}

// headerOnly reports whether the segment was published but never written to.
func (o *Options) headerOnly(n uint64) (bool, error) {
	path := o.path(o.segmentName(n))
	f, s, err := o.openScanner(o.segmentName(n))
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := readHeader(s, path); err != nil {
		return false, err
	}
	t, err := scanTail(f, s.off, s.limit)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return t.dataEnd == s.off, nil
}

// openScanner opens a segment for reading from its first event to its end.
func (o *Options) openScanner(name string) (vfs.File, *scanner, error) {
	path := o.path(name)
	f, err := o.FS.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("stat %s: %w", path, err), f.Close())
	}
	return f, &scanner{f: f, limit: uint64(fi.Size()), chunk: 256 << 10}, nil
}
