package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
)

// ErrNoLog says that a path leads to nothing that could be read as a binary log.
var ErrNoLog = errors.New("no binary log")

// File is one file of a log.
type File struct {
	Path string
	Name string // without directory
	// Number is that at the end of the name, 0 if there is none.
	Number uint64
}

// Set is the files to be read, oldest first.
type Set struct {
	FS    vfs.FS
	Files []File
	// Index is the path of the index file that listed them, "" if they were
	// given or found one by one.
	Index string
	// Dir and Basename say where the files of a directory are; both "" for single files.
	Dir      string
	Basename string
}

// Open resolves paths: a directory that holds a log, an index file, or any
// number of log files. basename chooses among the logs of one directory; ""
// means the only one there is, or Duramen's.
func Open(fs vfs.FS, paths []string, basename string) (*Set, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("%w: no path given", ErrNoLog)
	}
	set := &Set{FS: fs}
	for _, path := range paths {
		fi, err := fs.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoLog, err)
		}
		if fi.IsDir() || strings.HasSuffix(path, ".index") {
			if len(paths) > 1 {
				return nil, fmt.Errorf("%w: %s is a directory or an index; only one of these can be read at a time", ErrNoLog, path)
			}
			if !fi.IsDir() {
				return set, set.readIndex(path)
			}
			return set, set.search(path, basename)
		}
		if err := set.add(path, false); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// add appends one file; a listed one may be missing for now.
func (s *Set) add(path string, listed bool) error {
	name := s.FS.PathBase(path)
	_, n := splitName(name)
	if !listed {
		if err := checkMagic(s.FS, path); err != nil {
			return err
		}
	}
	s.Files = append(s.Files, File{Path: path, Name: name, Number: n})
	return nil
}

// Magic numbers of what may be taken for a binlog.
const (
	magicMySQLEncrypted = "\xfdbin"
)

func checkMagic(fs vfs.FS, path string) error {
	magic, err := readMagic(fs, path)
	switch {
	case err != nil:
		return err
	case magic == event.Magic:
		return nil
	case magic == magicMySQLEncrypted:
		return fmt.Errorf("%w: %s is encrypted (binlog_encryption of MySQL)", ErrNoLog, path)
	}
	return fmt.Errorf("%w: %s starts with %x, not with the %x of a binary log", ErrNoLog, path, magic, event.Magic)
}

func readMagic(fs vfs.FS, path string) (string, error) {
	f, err := fs.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	magic := make([]byte, len(event.Magic))
	n, err := f.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(magic[:n]), nil
}

// splitName takes a number of at least six digits off a file name.
func splitName(name string) (base string, number uint64) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 || len(name)-i-1 < 6 {
		return name, 0
	}
	n, err := strconv.ParseUint(name[i+1:], 10, 64)
	if err != nil || strings.ContainsAny(name[i+1:], "+-_") {
		return name, 0
	}
	return name[:i], n
}

// search finds the log in a directory.
func (s *Set) search(dir, basename string) error {
	names, err := s.FS.List(dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	slices.Sort(names)
	if basename == "" {
		if basename, err = s.onlyLog(dir, names); err != nil {
			return err
		}
	}
	s.Dir, s.Basename = dir, basename
	if slices.Contains(names, basename+".index") {
		return s.readIndex(s.FS.PathJoin(dir, basename+".index"))
	}
	for _, name := range names {
		if base, n := splitName(name); n > 0 && base == basename {
			if err := s.add(s.FS.PathJoin(dir, name), false); err != nil {
				return err
			}
		}
	}
	if len(s.Files) == 0 {
		return fmt.Errorf("%w: %s has neither %s.index nor files %s.NNNNNN", ErrNoLog, dir, basename, basename)
	}
	slices.SortFunc(s.Files, func(a, b File) int { return int(int64(a.Number) - int64(b.Number)) })
	return nil
}

// onlyLog finds the base name of the one log in a directory: by an index file,
// or by files that are named and begin like segments.
func (s *Set) onlyLog(dir string, names []string) (string, error) {
	if slices.Contains(names, "binlog.index") && IsDataDir(s.FS, dir) {
		return "binlog", nil // what serve calls it unless told otherwise (log_bin)
	}
	var found []string
	for _, name := range names {
		base, ok := strings.CutSuffix(name, ".index")
		if !ok {
			base, _ = splitName(name)
			if base == name || checkMagic(s.FS, s.FS.PathJoin(dir, name)) != nil {
				continue
			}
		} else if !s.isIndex(s.FS.PathJoin(dir, name)) {
			continue
		}
		if !slices.Contains(found, base) {
			found = append(found, base)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w in %s", ErrNoLog, dir)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%w chosen: %s holds several (%s); choose one with --basename", ErrNoLog, dir, strings.Join(found, ", "))
}

// isIndex tells a log's index from other files of that name.
func (s *Set) isIndex(path string) bool {
	probe := Set{FS: s.FS}
	return probe.readIndex(path) == nil && len(probe.Files) > 0 && probe.Files[0].Number > 0
}

// IsDataDir reports whether dir is a data directory of Duramen.
func IsDataDir(fs vfs.FS, dir string) bool {
	_, err := fs.Stat(fs.PathJoin(dir, "FORMAT"))
	return err == nil
}

// indexSizeMax is far more than any real index; a larger file is none.
const indexSizeMax = 64 << 20

// readIndex takes the files from an index: one name a line, relative to the
// index's directory unless absolute.
func (s *Set) readIndex(path string) error {
	f, err := s.FS.Open(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, indexSizeMax+1))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	names, err := parseIndex(data)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNoLog, path, err)
	}
	dir := s.FS.PathDir(path)
	for _, name := range names {
		if !strings.HasPrefix(name, "/") {
			name = s.FS.PathJoin(dir, name)
		}
		if err := s.add(name, true); err != nil {
			return err
		}
	}
	s.Index = path
	if s.Dir == "" {
		s.Dir, s.Basename = dir, strings.TrimSuffix(s.FS.PathBase(path), ".index")
	}
	return nil
}

// parseIndex splits an index into its names. What cannot be a name is an error.
func parseIndex(data []byte) ([]string, error) {
	if len(data) > indexSizeMax {
		return nil, fmt.Errorf("an index of more than %d bytes", indexSizeMax)
	}
	var names []string
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		if bytes.IndexFunc(line, func(r rune) bool { return r < ' ' || r == 0xfffd }) >= 0 || len(line) > 4096 {
			return nil, fmt.Errorf("line %d is not a file name", i+1)
		}
		name := strings.TrimPrefix(string(line), "./")
		if name == "" {
			return nil, fmt.Errorf("line %d is not a file name", i+1)
		}
		names = append(names, name)
	}
	return names, nil
}

// Select keeps the files from one name to another, both included; "" means the
// first or the last. before are the files in front of them.
func (s *Set) Select(from, to string) (before []File, err error) {
	at := func(name string, otherwise int) (int, error) {
		if name == "" {
			return otherwise, nil
		}
		i := slices.IndexFunc(s.Files, func(f File) bool { return f.Name == name || f.Path == name })
		if i < 0 {
			return 0, fmt.Errorf("%w: there is no file %s", ErrNoLog, name)
		}
		return i, nil
	}
	first, err := at(from, 0)
	if err != nil {
		return nil, err
	}
	last, err := at(to, len(s.Files)-1)
	if err != nil {
		return nil, err
	}
	if last < first {
		return nil, fmt.Errorf("%w: %s comes before %s", ErrNoLog, to, from)
	}
	before = s.Files[:first:first]
	s.Files = s.Files[first : last+1]
	return before, nil
}

// Predecessors are the files of the same log that stand in front of the first one of
// single files: same directory and base name, without a gap in the numbers.
func (s *Set) Predecessors() []File {
	if s.Dir != "" || len(s.Files) == 0 || s.Files[0].Number == 0 {
		return nil
	}
	first := s.Files[0]
	base, _ := splitName(first.Name)
	dir := strings.TrimSuffix(first.Path, first.Name)
	var list []File
	for n := first.Number - 1; n > 0; n-- {
		name := logpos.FileName(base, n)
		if checkMagic(s.FS, dir+name) != nil {
			break
		}
		list = append(list, File{Path: dir + name, Name: name, Number: n})
	}
	slices.Reverse(list)
	return list
}
