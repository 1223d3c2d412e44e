package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// dataRoot is the directory that the data directories of the servers are in.
// It is ours alone: what a killed run has left there is removed.
type dataRoot struct {
	path string
	dir  *os.File
}

const dataRootName = "duramen-bench-data"

func openDataRoot(parent string) (*dataRoot, error) {
	r := &dataRoot{path: filepath.Join(parent, dataRootName)}
	if err := os.MkdirAll(r.path, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for the servers' data: %w", err)
	}
	var err error
	if r.dir, err = os.Open(r.path); err != nil {
		return nil, err
	}
	if err := lock(r.dir); err != nil {
		return nil, errors.Join(fmt.Errorf("another run uses %s: %w", r.path, err), r.dir.Close())
	}
	leftovers, err := os.ReadDir(r.path)
	for _, l := range leftovers {
		err = errors.Join(err, os.RemoveAll(filepath.Join(r.path, l.Name())))
	}
	if err != nil {
		return nil, errors.Join(err, r.dir.Close())
	}
	return r, nil
}

func (r *dataRoot) remove() error { return errors.Join(os.RemoveAll(r.path), r.dir.Close()) }
