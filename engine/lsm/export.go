package lsm

import (
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/engine"
)

// Export implements engine.Exporter by a checkpoint of Pebble: links to the table files, and a copy of the MANIFEST up to this moment. What is in
// memtables is not in it.
func (e *Engine) Export(dir string) (_ *engine.Export, err error) {
	e.checkpoint.Lock()
	defer e.checkpoint.Unlock()
	if e.closed.Load() {
		return nil, engine.ErrClosed
	}
	fs := e.opts.FS
	x := &engine.Export{Mark: e.Durable(), Close: func() error {
		if err := fs.RemoveAll(dir); err != nil {
			return fmt.Errorf("lsm: remove the links of an export: %w", err)
		}
		return nil
	}}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("lsm: export: %w", err), x.Close())
		}
	}()
	if err := e.db.Checkpoint(dir); err != nil {
		return nil, err
	}
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		if err != nil {
			return nil, err
		}
		x.Files = append(x.Files, engine.ExportedFile{Name: name, Bytes: info.Size(), Copy: func(w io.Writer) error { return e.copyLink(path, info.Size(), w) }})
	}
	return x, nil
}

// copyLink writes a file of an export.
func (e *Engine) copyLink(path string, size int64, w io.Writer) (err error) {
	f, err := e.opts.FS.Open(path)
	if err != nil {
		return fmt.Errorf("lsm: export: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(w, io.NewSectionReader(f, 0, size)); err != nil {
		return fmt.Errorf("lsm: export %s: %w", path, err)
	}
	return nil
}
