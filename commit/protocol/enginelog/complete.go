package enginelog

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
)

// ErrMissing is wrapped by errors about files of the binary log that are gone, though the redo log has writes to them.
var ErrMissing = errors.New("enginelog: a file of the binary log is missing")

// Complete brings the files of the binary log to where the redo log has them. It reports whether it had to; then Release has to follow.
func (fs *FS) Complete(c *Contents) (bool, error) {
	if !c.carrying {
		return false, nil
	}
	first, last, err := fs.segments()
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		n, _ := logpos.ParseFileName(fs.basename, name)
		if n < first && last > 0 {
			continue // purged
		}
		if n > last {
			return false, fmt.Errorf("%w: %s", ErrMissing, fs.PathJoin(fs.dir, name))
		}
		if err := fs.complete(name, c.files[name], n == last); err != nil {
			return false, err
		}
	}
	name := logpos.FileName(fs.basename, last)
	if last == 0 || c.files[name] != nil {
		return true, nil
	}
	end, err := fs.headerEnd(name)
	if err != nil || end == 0 {
		return err == nil, err // the recovery of the log says what is wrong
	}
	return true, fs.complete(name, &fileRecords{end: end}, true)
}

// segments are the numbers of the first and the last segment; 0 if there is none.
func (fs *FS) segments() (first, last uint64, err error) {
	names, err := fs.List(fs.dir)
	if oserror.IsNotExist(err) {
		return 0, 0, nil
	}
	for _, name := range names {
		if n, ok := logpos.ParseFileName(fs.basename, name); ok {
			if last = max(last, n); first == 0 || n < first {
				first = n
			}
		}
	}
	return first, last, err
}

// complete writes the records of a file, and zeros after its valid part, if it is the last one.
func (fs *FS) complete(name string, r *fileRecords, last bool) (err error) {
	path := fs.PathJoin(fs.dir, name)
	if _, err := fs.FS.Stat(path); err != nil {
		return fmt.Errorf("%w: %s", ErrMissing, path)
	}
	f, err := fs.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = fmt.Errorf("complete %s: %w", path, err)
		}
	}()
	for _, w := range r.writes {
		if _, err := f.WriteAt(w.data, int64(w.at)); err != nil {
			return err
		}
	}
	if last {
		if err := clearFrom(f, int64(r.end)); err != nil {
			return err
		}
	}
	return f.Sync()
}

// clearFrom makes everything from an offset on zeros.
func clearFrom(f vfs.File, from int64) error {
	zeros, buf := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := f.ReadAt(buf, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n > 0 && slices.ContainsFunc(buf[:n], func(b byte) bool { return b != 0 }) {
			if _, err := f.WriteAt(zeros[:n], from); err != nil {
				return err
			}
		}
		if n < len(buf) {
			return nil
		}
		from += int64(n)
	}
}

// headerEnd is where the header of a segment ends; 0 if it has none that is whole.
func (fs *FS) headerEnd(name string) (end uint64, err error) {
	f, err := fs.FS.Open(fs.PathJoin(fs.dir, name))
	if err != nil {
		return 0, err
	}
	defer f.Close() // it was only read
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	s := binlog.NewFileScanner(f, uint64(fi.Size()), uint64(len(event.Magic)))
	for _, want := range []event.Type{event.FormatDescription, event.GTIDList, event.BinlogCheckpoint} {
		ev, _, err := s.Next()
		switch {
		case err != nil && binlog.IsReadError(err):
			return 0, err
		case err != nil || event.Type(ev[4]) != want:
			return 0, nil // there is no header
		}
	}
	return s.Offset(), nil
}
