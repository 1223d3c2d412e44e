package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Generations of the data directory. Each durable change of layout gets a
// number and a line here.
const (
	// formatFirst: binary log format v4 with private ignorable events; one
	// Pebble engine whose values are binlog row images.
	formatFirst = 1
	// formatNewest is what this version writes and the only one it reads.
	formatNewest = formatFirst
)

const (
	formatName  = "FORMAT"
	formatTemp  = "FORMAT.tmp"
	lockName    = "LOCK"
	formatMagic = "duramen data directory"
)

// lockDir takes the directory for this process. The lock is released by
// closing the result, or by the end of the process.
func lockDir(fs vfs.FS, dir string) (io.Closer, error) {
	lock, err := fs.Lock(fs.PathJoin(dir, lockName))
	if err == nil {
		return lock, nil
	}
	e := &OpenError{Dir: dir, Op: "lock", Err: err}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) || strings.Contains(err.Error(), "lock held by current process") {
		e.Kind = ErrLocked
		e.Hint = "stop the other server, or use another data directory"
	}
	return nil, e
}

// checkFormat verifies the FORMAT file, and writes it into an empty directory.
// It reports whether the directory is new.
func checkFormat(fs vfs.FS, dir string) (created bool, err error) {
	version, err := readFormat(fs, dir)
	switch {
	case err == nil && version == formatNewest:
		return false, nil
	case err == nil:
		return false, &OpenError{Dir: dir, Op: "read format of", Kind: ErrFormat,
			Err:  fmt.Errorf("it has version %d, this server knows version %d", version, formatNewest),
			Hint: "start the version of Duramen that wrote it"}
	case !oserror.IsNotExist(err):
		return false, &OpenError{Dir: dir, Op: "read format of", Kind: ErrFormat, Err: err}
	}
	if err := checkEmpty(fs, dir); err != nil {
		return false, err
	}
	return true, writeFormat(fs, dir)
}

// readFormat returns the version in the FORMAT file.
func readFormat(fs vfs.FS, dir string) (int, error) {
	f, err := fs.Open(fs.PathJoin(dir, formatName))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	if !lines.Scan() || lines.Text() != formatMagic {
		return 0, fmt.Errorf("%s does not begin with %q", formatName, formatMagic)
	}
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if key == "version" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				return 0, fmt.Errorf("%s: bad version: %w", formatName, err)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s has no version", formatName)
}

// writeFormat creates the FORMAT file so that it is either complete or absent.
func writeFormat(fs vfs.FS, dir string) error {
	fail := func(err error) error { return &OpenError{Dir: dir, Op: "initialise", Err: err} }
	temp := fs.PathJoin(dir, formatTemp)
	f, err := fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fail(err)
	}
	_, err = fmt.Fprintf(f, "%s\nversion: %d\n", formatMagic, formatNewest)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fs.Rename(temp, fs.PathJoin(dir, formatName))
	}
	if err == nil {
		err = syncDir(fs, dir)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// makeDir creates a directory and those above it, and makes their entries
// durable: a directory that a crash takes away takes everything in it away.
func makeDir(fs vfs.FS, dir string) error {
	var missing []string // the innermost first
	for d := dir; ; d = fs.PathDir(d) {
		if _, err := fs.Stat(d); err == nil {
			break
		} else if !oserror.IsNotExist(err) {
			return err
		}
		missing = append(missing, d)
		if fs.PathDir(d) == d {
			break
		}
	}
	if err := fs.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, d := range missing {
		if err := syncDir(fs, fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// emptyDir removes the files in a directory.
func emptyDir(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := fs.Remove(fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes the entries of a directory durable.
func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// checkEmpty refuses to initialise a directory that holds something which a
// server would not find in a fresh one: data of another server, most likely.
func checkEmpty(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return &OpenError{Dir: dir, Op: "list", Err: err}
	}
	for _, name := range names {
		if !harmless(name) {
			return &OpenError{Dir: dir, Op: "initialise", Kind: ErrFormat,
				Err:  fmt.Errorf("it has no %s file, but holds %q", formatName, name),
				Hint: "give an empty directory, or one made by Duramen"}
		}
	}
	return nil
}

// harmless names the files that may lie in a directory before its first use.
func harmless(name string) bool {
	switch name {
	case lockName, formatTemp, "lost+found":
		return true
	}
	switch path.Ext(name) {
	case ".sock", ".lock", ".pid", ".cnf", ".log", ".err", ".pem":
		return true
	}
	return false
}
