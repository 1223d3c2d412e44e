package device

import (
	"fmt"
	"os"
	"path/filepath"
)

// Method is one way to write a log.
type Method struct {
	Name string
	What string // one line

	mode Mode
	// prepare makes the file new before each turn; nil: the file of the whole run is used.
	prepare func(path string, size int64) error
}

// Methods are all there are, in the order in which they take their turns.
func Methods() []Method {
	return []Method{
		{Name: "append", What: "the file grows; fdatasync", prepare: func(path string, _ int64) error { return CreateZeroed(path, 0) }},
		{Name: "fallocate", What: "reserved, never written; fdatasync", prepare: createReserved},
		{Name: "zeroed", What: "zero-filled just now; fdatasync", prepare: CreateZeroed},
		{Name: "settled", What: "zero-filled at the start of the run; fdatasync"},
		{Name: "dsync", What: "settled, O_DSYNC", mode: DSync},
		{Name: "direct", What: "settled, O_DIRECT|O_DSYNC", mode: Direct},
	}
}

// MethodsNamed picks methods; no names mean all.
func MethodsNamed(names []string) ([]Method, error) {
	if len(names) == 0 {
		return Methods(), nil
	}
	var list []Method
	for _, name := range names {
		known := ""
		found := false
		for _, m := range Methods() {
			known += " " + m.Name
			if m.Name == name {
				list, found = append(list, m), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no method %q; known are:%s", name, known)
		}
	}
	return list, nil
}

// CreateReserved makes a file of size bytes that were never written.
func createReserved(path string, size int64) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	err = f.reserve(size)
	if err == nil {
		err = f.syncAll()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("reserve %s: %w", path, err)
	}
	return nil
}

// files are those of one run, in a directory of their own.
type files struct {
	dir  string
	size int64
}

func newFiles(parent string, size int64) (*files, error) {
	dir, err := os.MkdirTemp(parent, "duramen-bench-")
	if err != nil {
		return nil, err
	}
	return &files{dir: dir, size: size}, nil
}

func (f *files) remove() error { return os.RemoveAll(f.dir) }

func (f *files) path(m Method) string { return filepath.Join(f.dir, m.Name) }

// settle makes the files that last for the whole run.
func (f *files) settle(methods []Method) error {
	for _, m := range methods {
		if m.prepare == nil {
			if err := CreateZeroed(f.path(m), f.size); err != nil {
				return err
			}
		}
	}
	return Settle(f.dir)
}

// open prepares a method's file and opens it. A turn may write limit bytes,
// and, if around is set, begin again at the start.
func (f *files) open(m Method) (file *File, around bool, err error) {
	path := f.path(m)
	if m.prepare != nil {
		if err := m.prepare(path, f.size); err != nil {
			return nil, false, err
		}
	}
	file, err = Open(path, m.mode)
	return file, m.prepare == nil, err
}
