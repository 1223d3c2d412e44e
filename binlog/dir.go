package binlog

import (
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/logpos"
)

// dir is the log's directory: what its files are called, and how they come into being, are opened and cut. It has no
// state of its own, and any goroutine may use it.
type dir struct {
	fs       vfs.FS
	root     string // the directory's path
	basename string // what the files' names begin with
	// unnamed is the segment that a crash has left under the name that it was prepared with, 0 without one: its own name was
	// not durable yet.
	unnamed uint64
}

// dir is the directory that the options name.
func (o *Options) dir() dir { return dir{fs: o.FS, root: o.Dir, basename: o.Basename} }

const (
	tmpSuffix   = ".tmp" // of a file that is being written
	cutSuffix   = ".cut" // of a segment's shorter copy
	indexSuffix = ".idx" // of a segment's GTID index
	resetSuffix = ".reset"
)

// path is where a file of the directory is.
func (d dir) path(name string) string {
	if d.unnamed > 0 && name == d.segmentName(d.unnamed) {
		name = d.nextName()
	}
	return d.fs.PathJoin(d.root, name)
}

// segmentName is the file name of segment n.
func (d dir) segmentName(n uint64) string { return logpos.FileName(d.basename, n) }

// parseSegmentName returns the number of a segment's file name, which may be
// given with a directory.
func (d dir) parseSegmentName(name string) (uint64, bool) {
	return logpos.ParseFileName(d.basename, name)
}

func (d dir) indexName() string { return d.basename + ".index" }

func (d dir) gtidIndexName(n uint64) string { return d.segmentName(n) + indexSuffix }

// parseGTIDIndexName returns the number of the segment that an index file belongs to.
func (d dir) parseGTIDIndexName(name string) (uint64, bool) {
	base, ok := strings.CutSuffix(name, indexSuffix)
	if !ok {
		return 0, false
	}
	return d.parseSegmentName(base)
}

// nextName is the file of the next segment, which preparer makes.
func (d dir) nextName() string { return d.basename + ".next" }

// largeName is the file of an open large transaction.
func (d dir) largeName(n uint64) string {
	return fmt.Sprintf("%s.large-%d%s", d.basename, n, tmpSuffix)
}

func (d dir) probeName() string { return d.basename + ".probe" + tmpSuffix }

func (d dir) resetName() string { return d.basename + resetSuffix }

// unfinished tells the names that files have while they are being written.
func (d dir) unfinished(name string) bool {
	if base, ok := strings.CutSuffix(name, tmpSuffix); ok {
		return base == d.indexName() || base == d.nextName() || name == d.probeName() || base == d.resetName() ||
			strings.HasPrefix(base, d.basename+".large-") // a large transaction that was being written
	}
	base, ok := strings.CutSuffix(name, cutSuffix)
	if !ok {
		return false
	}
	_, ok = d.parseSegmentName(base)
	return ok || d.unfinished(base)
}

// make creates the directory, durably, if it is not there.
func (d dir) make() error {
	if _, err := d.fs.Stat(d.root); err == nil {
		return nil
	}
	if err := d.fs.MkdirAll(d.root, 0o755); err != nil {
		return noSpace(fmt.Errorf("create binary log directory %s: %w", d.root, err))
	}
	return d.syncDirectory(d.fs.PathDir(d.root))
}

// sync makes the names of the directory's files durable.
func (d dir) sync() error { return d.syncDirectory(d.root) }

func (d dir) syncDirectory(path string) error {
	f, err := d.fs.OpenDir(path)
	if err != nil {
		return fmt.Errorf("open directory %s: %w", path, err)
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("sync directory %s: %w", path, err)
	}
	return nil
}

// Files that must never be there in part are made in two steps. stage makes the file under its temporary name: fill
// writes it, and it is synced. Until then nothing has changed that anybody goes by, so a full disk, or a crash, does no
// harm. commit gives it its name, and makes that durable.
func (d dir) stage(tmp string, fill func(f vfs.File) error) error {
	path := d.path(tmp)
	f, err := d.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// stageBytes is stage for a file that is known as a whole.
func (d dir) stageBytes(tmp string, b []byte) error {
	return d.stage(tmp, func(f vfs.File) error {
		_, err := f.Write(b)
		return err
	})
}

// commit gives a staged file its name: see stage.
func (d dir) commit(tmp, name string) error {
	if err := d.rename(tmp, name); err != nil {
		return err
	}
	return d.sync()
}

func (d dir) rename(from, to string) error {
	if err := d.fs.Rename(d.path(from), d.path(to)); err != nil {
		return fmt.Errorf("rename %s to %s: %w", d.path(from), d.path(to), err)
	}
	return nil
}
