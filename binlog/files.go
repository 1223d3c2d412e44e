package binlog

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/errors/oserror"
)

// Index and directory: which files belong to the log, which are left over.

// fileSet is what reconcileFiles decided.
type fileSet struct {
	segments []uint64 // of the log, oldest first, without gaps
	remove   []string // left over from something that was interrupted
	later    []uint64 // with Until: files of the log that are not in segments
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
	slices.Sort(l.files)
	return l, nil
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
	set := fileSet{segments: l.index, remove: l.leftovers}
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
	unlistedNext             // it holds events, and the file before ends with ROTATE to it
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
	set := fileSet{remove: l.leftovers}
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
	if _, err := readHeader(s, path); err != nil {
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
	before, s, err := d.openScanner(d.segmentName(n - 1))
	if err != nil {
		return unlistedStrange, err
	}
	defer before.Close()
	h, err := readHeader(s, d.path(d.segmentName(n-1)))
	if err != nil {
		return unlistedStrange, err
	}
	closing, err := d.checkEnd(before, n-1, h.end, s.limit)
	switch {
	case errors.Is(err, errNoEnd), err == nil && s.limit-closing == minEventSize: // STOP: nothing was to follow
		return unlistedStrange, nil
	case err != nil:
		return unlistedStrange, fmt.Errorf("read %s: %w", d.path(d.segmentName(n-1)), err)
	}
	return unlistedNext, nil
}
