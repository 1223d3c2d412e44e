package binlog

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/errors/oserror"

	"github.com/duramendb/duramen/gtid"
)

// Index and directory: which files belong to the log, which are left over.

// fileSet is what reconcileFiles decided.
type fileSet struct {
	segments []uint64 // of the log, oldest first, without gaps
	remove   []string // left over from something that was interrupted
	later    []uint64 // with Until: files of the log that are not in segments
	// listed is the last segment that the index lists: those from this one on were left by rotations
	// that had not done with them.
	listed uint64
}

// listing is what the directory and the index hold.
type listing struct {
	index, files []uint64
	leftovers    []string
	indexErr     error // the index cannot be understood
}

func (d dir) list() (listing, error) {
	var l listing
	names, err := d.fs.List(d.root)
	if oserror.IsNotExist(err) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("list %s: %w", d.root, err)
	}
	l.index, err = d.readIndex()
	if errors.Is(err, ErrIndex) {
		l.indexErr = err
	} else if err != nil {
		return l, err
	}
	for _, name := range names {
		if n, ok := d.parseSegmentName(name); ok {
			l.files = append(l.files, n)
		} else if n, ok := d.parseGTIDIndexName(name); ok {
			if k := len(l.index); k == 0 || n < l.index[0] || n > l.index[k-1] {
				l.leftovers = append(l.leftovers, name) // of a purged segment
			}
		} else if d.unfinished(name) {
			l.leftovers = append(l.leftovers, name)
		}
	}
	if d.unnamed > 0 {
		l.files = append(l.files, d.unnamed)
	}
	slices.Sort(l.files)
	return l, nil
}

// lastListed is the last segment of the index. If that says nothing, it is taken for one file short.
func (l *listing) lastListed() uint64 {
	if n := len(l.index); n > 0 {
		return l.index[n-1]
	}
	if n := len(l.files); n > 0 {
		return l.files[n-1] - 1
	}
	return 0
}

// findUnnamed looks whether the file of the next segment is a segment already: a rotation was not durable, but groups may be
// in the file. twice says that it is the last segment once more: a crash has left that both its names. An error that is not
// ErrCorrupt is one of the disk.
func (d dir) findUnnamed() (n uint64, twice bool, err error) {
	path := d.path(d.nextName())
	if _, err := d.fs.Stat(path); oserror.IsNotExist(err) {
		return 0, false, nil
	}
	if zeros, err := d.startsWithZeros(path, headMax); zeros || err != nil {
		return 0, false, err
	}
	f, s, err := d.openScanner(d.nextName())
	if err != nil {
		return 0, false, err
	}
	defer f.Close() // it was only read
	h, err := readHeader(s, path)
	if errors.Is(err, errRead) {
		return 0, false, err
	}
	valid := err == nil
	t, err := scanTail(f, h.end, s.limit)
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("read %s: %w", path, err)
	case t.durable == 0: // no write mark: nothing in it was ever durable
		return 0, false, nil
	case !valid:
		return 0, false, &CorruptError{File: path, Reason: errors.New("it holds groups, but no valid header")}
	}
	l, err := d.list()
	if err != nil {
		return 0, false, err
	}
	if n := len(l.files); n > 0 {
		last := l.files[n-1]
		end, err := d.endOf(last, h.list)
		if err != nil || end == leadsOn {
			return last + 1, false, err
		}
		if twice, err := d.sameHeader(d.nextName(), d.segmentName(last), h.end); twice || err != nil {
			return 0, twice, err
		}
		if end == leadsNowhere { // the table says what is wrong there
			return last + 1, false, nil
		}
	}
	return 0, false, &CorruptError{File: path, Reason: errors.New("it holds groups, but no file ends with ROTATE to it")}
}

// endKind is how a segment ends.
type endKind int

const (
	leadsOn      endKind = iota // with ROTATE to the next one, which begins with a GTID state that can follow; then zeros
	leadsNowhere                // without a valid end, or with ROTATE and another state: a crash or damage
	stops                       // with STOP, or something else after which no segment was to follow
)

// endOf looks how a segment ends if the next one begins with a state.
func (d dir) endOf(n uint64, state *gtid.State) (endKind, error) {
	path := d.path(d.segmentName(n))
	f, s, err := d.openScanner(d.segmentName(n))
	if err != nil {
		return 0, err
	}
	defer f.Close() // it was only read
	c, err := scanSegment(s, path)
	if errors.Is(err, ErrCorrupt) {
		return leadsNowhere, nil
	}
	if err != nil {
		return 0, err
	}
	if !c.ended {
		return leadsNowhere, nil
	}
	closing, err := d.checkEnd(f, n, c.end, c.evEnd)
	switch {
	case errors.Is(err, errNoEnd), err == nil && c.evEnd-closing == minEventSize:
		return stops, nil
	case err != nil:
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	t, err := scanTail(f, c.evEnd, s.limit)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	if states := (segmentStates{c.list, c.state}); t.dataEnd > c.evEnd || !states.leadsTo(state) {
		return leadsNowhere, nil
	}
	return leadsOn, nil
}

// reconcileFiles compares index and directory. Its error is damage (ErrIndex), with the
// segments before it in the set, or that of a failing disk.
func (d dir) reconcileFiles() (fileSet, error) {
	l, err := d.list()
	if err != nil {
		return fileSet{}, err
	}
	if l.indexErr != nil {
		return fileSet{}, l.indexErr
	}
	set := fileSet{segments: l.index, remove: l.leftovers, listed: l.lastListed()}
	extra, adopt, err := d.reconcile(l.index, l.files, d.inspectUnlisted)
	if err != nil {
		for i, n := range l.index {
			if !slices.Contains(l.files, n) {
				set.segments = l.index[:i]
				break
			}
		}
		return set, fmt.Errorf("%s: %w", d.root, err)
	}
	for _, n := range extra {
		set.remove = append(set.remove, d.segmentName(n))
	}
	set.segments = append(set.segments, adopt...)
	return set, nil
}

// unlisted is what a file is that the index does not list.
type unlisted int

const (
	unlistedStrange unlisted = iota
	unlistedFresh            // published, but never written to
	unlistedNext             // it holds events, and follows on the file before
)

// reconcile decides what to do with files that the index does not list. The
// table in the package comment gives the reasons.
func (d dir) reconcile(index, files []uint64, inspect func(n uint64) (unlisted, error)) (remove, adopt []uint64, err error) {
	for _, n := range index {
		if !slices.Contains(files, n) {
			return nil, nil, fmt.Errorf("%w: %s is listed, but the file is missing", ErrIndex, d.segmentName(n))
		}
	}
	var last uint64
	if len(index) > 0 {
		last = index[len(index)-1]
	}
	for _, n := range files {
		switch {
		case slices.Contains(index, n):
			continue
		case len(index) > 0 && n < index[0]:
			remove = append(remove, n)
			continue
		case last > 0 && n == last+1, last == 0 && n == 1 && len(files) == 1:
			kind, err := inspect(n)
			if err != nil {
				return nil, nil, err
			}
			if kind == unlistedFresh {
				remove = append(remove, n)
				continue
			}
			if kind == unlistedNext {
				adopt = append(adopt, n)
				last = n
				continue
			}
		}
		return nil, nil, fmt.Errorf("%w: file %s exists, but is not listed in %s", ErrIndex, d.segmentName(n), d.indexName())
	}
	return remove, adopt, nil
}

// reconcileUntil is reconcileFiles for a start that ends the log before its end: the files count,
// whatever the index says, in one sequence that includes the engines' position as far as possible.
func (d dir) reconcileUntil(from uint64) (fileSet, error) {
	l, err := d.list()
	if err != nil {
		return fileSet{}, err
	}
	set := fileSet{remove: l.leftovers, listed: l.lastListed()}
	for i, n := range l.files {
		switch {
		case len(l.index) > 0 && n < l.index[0]: // an interrupted purge
			set.remove = append(set.remove, d.segmentName(n))
		case len(set.segments) == 0 || n == l.files[i-1]+1 && len(set.later) == 0:
			set.segments = append(set.segments, n)
		case n <= from: // a gap that no engine needs
			set.later = append(set.later, set.segments...)
			set.segments = []uint64{n}
		default:
			set.later = append(set.later, n)
		}
	}
	return set, nil
}

// inspectUnlisted looks at a file that the index does not list, though it is the next one.
func (d dir) inspectUnlisted(n uint64) (unlisted, error) {
	path := d.path(d.segmentName(n))
	f, s, err := d.openScanner(d.segmentName(n))
	if err != nil {
		return unlistedStrange, err
	}
	defer f.Close()
	h, err := readHeader(s, path)
	if err != nil {
		return unlistedStrange, err
	}
	t, err := scanTail(f, s.off, s.limit)
	if err != nil {
		return unlistedStrange, fmt.Errorf("read %s: %w", path, err)
	}
	if t.dataEnd == s.off {
		return unlistedFresh, nil
	}
	if n == 1 {
		return unlistedStrange, nil
	}
	end, err := d.endOf(n-1, h.list)
	if err != nil || end == stops || end == leadsNowhere && t.durable == 0 {
		return unlistedStrange, err
	}
	return unlistedNext, nil // the table says what is wrong if the file before does not lead to it
}
