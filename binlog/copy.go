package binlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
)

// Copy is a part of the log, for another directory: its files, with the index, are what a crash would have left at the end of the group that was
// asked for. It keeps no segment from being purged; the files stay readable until Close.
type Copy struct {
	Files []CopiedFile
	open  []vfs.File
}

// CopiedFile is a file of a Copy.
type CopiedFile struct {
	// Name in the log's directory.
	Name string
	// Bytes is its size.
	Bytes int64
	// Copy writes all of it, Bytes bytes, unless w fails.
	Copy func(w io.Writer) error
}

// OpenCopy opens the segments from number from on, up to the end of a group, which is visible and durable. The log is not reset meanwhile. It waits
// until the segments before the last one are closed.
func (l *Log) OpenCopy(from uint64, to logpos.Pos) (_ *Copy, err error) {
	release, err := l.Hold(from)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := l.AwaitClosed(); err != nil {
		return nil, fmt.Errorf("copy of the log: %w", err)
	}
	c := &Copy{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	var numbers []uint64
	for _, s := range l.Segments() {
		if s.Segment < from || s.Segment > to.Segment {
			continue
		}
		numbers = append(numbers, s.Segment)
		path := l.dir.path(s.Name)
		f, err := l.dir.fs.Open(path)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
		c.open = append(c.open, f)
		file := CopiedFile{Name: s.Name, Bytes: s.Size}
		last := s.Segment == to.Segment
		if last {
			file.Bytes = int64(to.Offset)
		}
		file.Copy = func(w io.Writer) error { return copySegment(w, f, path, file.Bytes, last) }
		c.Files = append(c.Files, file)
	}
	if n := len(numbers); n == 0 || numbers[n-1] != to.Segment {
		return nil, fmt.Errorf("%w: copy of the log up to %v", ErrPosition, to)
	}
	index := l.dir.formatIndex(numbers)
	c.Files = append(c.Files, CopiedFile{Name: l.dir.indexName(), Bytes: int64(len(index)), Copy: func(w io.Writer) error {
		_, err := w.Write(index)
		return err
	}})
	return c, nil
}

// copySegment writes the beginning of a segment. The last one has to be in use, as it does not end with ROTATE; it may have been closed since.
func copySegment(w io.Writer, f io.ReaderAt, path string, size int64, last bool) error {
	if size <= flagsOffset {
		return fmt.Errorf("%w: copy %s up to %d", ErrPosition, path, size)
	}
	head := make([]byte, flagsOffset+1)
	if _, err := f.ReadAt(head, 0); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if last {
		event.SetInUse(head[len(event.Magic):], true)
	}
	rest := io.NewSectionReader(f, int64(len(head)), size-int64(len(head)))
	n, err := io.Copy(w, io.MultiReader(bytes.NewReader(head), rest))
	if err == nil && n < size {
		err = fmt.Errorf("%d bytes where there should be %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", path, err)
	}
	return nil
}

// Close closes the files.
func (c *Copy) Close() error {
	var errs []error
	for _, f := range c.open {
		errs = append(errs, f.Close())
	}
	c.open = nil
	return errors.Join(errs...)
}
