// Package serverfile decides which files of the server SQL may read and write: those of SELECT ... INTO OUTFILE and
// DUMPFILE, LOAD DATA INFILE and LOAD_FILE. The rules are those of MariaDB's secure_file_priv, and one more: never
// a file in the data directory, where the server would take it for its own.
package serverfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Errors of Create and Open; others are those of package os.
var (
	// ErrOutside is for a file that secure_file_priv does not allow.
	ErrOutside = errors.New("the file is outside of what secure_file_priv allows")
	// ErrNotRegular is for a directory, a device, a pipe or a socket.
	ErrNotRegular = errors.New("not a regular file")
)

// defaultSuffix makes the name of the directory beside the data directory that files are in if nothing else was
// configured. Create makes it when it is first needed.
const defaultSuffix = "-files"

// Policy says where files may be. It is immutable.
type Policy struct {
	// DataDir is the server's data directory; relative names begin there.
	DataDir string
	// Dir is the only directory for files; "" with Anywhere for all but DataDir, "" without for none.
	Dir      string
	Anywhere bool
	// own says that Dir is the default, which Create makes.
	own bool
}

// New makes the policy of a value of secure_file_priv: given is false where none was configured, which
// means a directory beside dataDir; null is for the value NULL, which allows no file.
func New(dataDir, value string, given, null bool) (Policy, error) {
	data, err := filepath.Abs(dataDir)
	if err != nil {
		return Policy{}, err
	}
	p := Policy{DataDir: data}
	switch {
	case !given:
		p.Dir, p.own = data+defaultSuffix, true
	case null || strings.EqualFold(value, "NULL"):
	case value == "":
		p.Anywhere = true
	default:
		if p.Dir, err = filepath.Abs(value); err != nil {
			return Policy{}, err
		}
		if p.insideData(p.Dir) {
			return Policy{}, errors.New("secure_file_priv is in the data directory, where the server's own files are")
		}
	}
	return p, nil
}

// insideData reports whether a path, with symbolic links resolved, is the data directory or in it.
func (p Policy) insideData(path string) bool { return within(resolved(p.DataDir), resolved(path)) }

// resolved follows the symbolic links of a path as far as it exists.
func resolved(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// locate finds the directory that is the root of what a file may be in, and the file's name in it.
func (p Policy) locate(name string) (root, rel string, err error) {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return "", "", fs.ErrNotExist
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.DataDir, name)
	}
	name = filepath.Clean(name)
	// The directory's links are followed; the file itself must not be one when it is created.
	parent := resolved(filepath.Dir(name))
	full := filepath.Join(parent, filepath.Base(name))
	if p.insideData(full) {
		return "", "", ErrOutside
	}
	switch {
	case p.Anywhere:
		return parent, filepath.Base(name), nil
	case p.Dir == "":
		return "", "", ErrOutside
	}
	dir := resolved(p.Dir)
	if full == dir || !within(dir, full) {
		return "", "", ErrOutside
	}
	rel, err = filepath.Rel(dir, full)
	return dir, rel, err
}

// Create makes a new file that everybody may read and the server's user may write, as MariaDB does. It is
// fs.ErrExist if there is one of that name, whatever it is.
func (p Policy) Create(name string) (*os.File, error) {
	dir, rel, err := p.locate(name)
	if err != nil {
		return nil, err
	}
	if p.own {
		if err := os.Mkdir(dir, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// Open opens a regular file for reading. A symbolic link counts as what it points to.
func (p Policy) Open(name string) (*os.File, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.DataDir, name)
	}
	dir, rel, err := p.locate(resolved(filepath.Clean(name)))
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait
		return nil, ErrNotRegular
	}
	return root.Open(rel)
}

// String is the value of secure_file_priv; null is for NULL.
func (p Policy) String() (value string, null bool) {
	if p.Dir == "" {
		return "", !p.Anywhere
	}
	return p.Dir + string(filepath.Separator), false
}
