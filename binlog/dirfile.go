package binlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
)

// The directory's files: how segments are opened, cut and closed.

// flagsOffset is where the flags of the format description stand in a file.
const flagsOffset = 4 + 17

// openWritable opens a segment file for overwriting.
func (d dir) openWritable(name string) (vfs.File, error) {
	path := d.path(name)
	if _, err := d.fs.Stat(path); err != nil { // OpenReadWrite would create it
		return nil, err
	}
	f, err := d.fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return f, nil
}

// openScanner opens a segment for reading from its first event to its end.
func (d dir) openScanner(name string) (vfs.File, *scanner, error) {
	path := d.path(name)
	f, err := d.fs.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("stat %s: %w", path, err), f.Close())
	}
	return f, &scanner{f: f, limit: uint64(fi.Size()), chunk: int(min(fi.Size(), 256<<10))}, nil
}

// fileSize is 0 for a file that is not there.
func (d dir) fileSize(name string) int64 {
	fi, err := d.fs.Stat(d.path(name))
	if err != nil {
		return 0
	}
	return fi.Size()
}

// startsWithZeros reports whether the first n bytes, or all that there are, are zeros.
func (d dir) startsWithZeros(path string, n int) (bool, error) {
	f, err := d.fs.Open(path)
	if err != nil {
		return false, fmt.Errorf("open %s: %w", path, err)
	}
	b := make([]byte, n)
	got, rerr := f.ReadAt(b, 0)
	if err := f.Close(); err != nil {
		return false, fmt.Errorf("close %s: %w", path, err)
	}
	if got == 0 && !errors.Is(rerr, io.EOF) {
		return false, fmt.Errorf("read %s: %w", path, rerr)
	}
	return allZero(b[:got]), nil
}

// sameHeader reports whether two segments begin with the same header of size bytes, but for the in-use flag.
func (d dir) sameHeader(a, b string, size uint64) (bool, error) {
	var starts [2][]byte
	for i, name := range []string{a, b} {
		f, err := d.fs.Open(d.path(name))
		if err != nil {
			return false, fmt.Errorf("open %s: %w", d.path(name), err)
		}
		starts[i] = make([]byte, size)
		n, err := f.ReadAt(starts[i], 0)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return false, fmt.Errorf("read %s: %w", d.path(name), err)
		}
		if starts[i] = starts[i][:n]; n > flagsOffset {
			starts[i][flagsOffset] &^= byte(event.FlagInUse)
		}
	}
	return bytes.Equal(starts[0], starts[1]), nil
}

// cutFile makes the file exactly size bytes long and durable, and returns the
// handle to go on with. vfs.File has no truncate, but files of the operating system have; where
// there is none a shorter copy takes the file's name.
func (d dir) cutFile(f vfs.File, name string, size uint64) (vfs.File, error) {
	path := d.path(name)
	if t, ok := f.(interface{ Truncate(size int64) error }); ok {
		if err := t.Truncate(int64(size)); err != nil {
			return f, fmt.Errorf("cut %s to %d bytes: %w", path, size, err)
		}
		if err := f.Sync(); err != nil {
			return f, fmt.Errorf("sync %s: %w", path, err)
		}
		return f, nil
	}
	tmp := name + cutSuffix
	if err := d.stage(tmp, func(g vfs.File) error {
		_, err := io.Copy(struct{ io.Writer }{g}, io.NewSectionReader(f, 0, int64(size)))
		return err
	}); err != nil {
		return f, fmt.Errorf("copy %d bytes of %s: %w", size, path, err)
	}
	if err := d.commit(tmp, name); err != nil {
		return f, err
	}
	if err := f.Close(); err != nil {
		return f, fmt.Errorf("close %s: %w", path, err)
	}
	g, err := d.fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return g, nil
}

// finishFile clears the in-use flag and cuts the file to size; both are durable afterwards.
func (d dir) finishFile(f vfs.File, name string, size uint64) (vfs.File, error) {
	var flags [2]byte
	if _, err := f.ReadAt(flags[:], flagsOffset); err != nil {
		return f, fmt.Errorf("read %s: %w", d.path(name), err)
	}
	flags[0] &^= byte(event.FlagInUse)
	if _, err := f.WriteAt(flags[:], flagsOffset); err != nil {
		return f, fmt.Errorf("write %s: %w", d.path(name), err)
	}
	return d.cutFile(f, name, size)
}

// copyStart writes the first size bytes of a segment into a file of its own, which looks
// as if a crash had ended the segment there.
func (d dir) copyStart(name string, size uint64) error {
	path := d.path(name)
	in, err := d.fs.Open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer in.Close() // it was only read
	head := make([]byte, flagsOffset+2)
	if _, err := in.ReadAt(head, 0); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	head[flagsOffset] |= byte(event.FlagInUse)
	if err := d.stage(name+cutSuffix, func(out vfs.File) error {
		if _, err := out.Write(head); err != nil {
			return err
		}
		rest := io.NewSectionReader(in, int64(len(head)), int64(size)-int64(len(head)))
		_, err := io.Copy(struct{ io.Writer }{out}, rest)
		return err
	}); err != nil {
		return noSpace(fmt.Errorf("copy %d bytes of %s: %w", size, path, err))
	}
	return nil
}
