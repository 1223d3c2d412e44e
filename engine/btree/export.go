package btree

import (
	"fmt"
	"io"

	"github.com/duramendb/duramen/engine"
)

// Export implements engine.Exporter. The file is read in the transaction of the newest base, whose pages are not used again before it ends, and with
// it the runs that it owes, which stay open as long as the base. So there are no links, and dir is not made.
func (e *Engine) Export(string) (_ *engine.Export, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	v := e.acquire()
	if v == nil {
		return nil, engine.ErrClosed
	}
	b := v.base
	defer func() {
		if err != nil {
			b.release()
			err = fmt.Errorf("btree: export: %w", err)
		}
	}()
	x := &engine.Export{Close: func() error { b.release(); return nil }}
	mark, ok, err := b.stateOf(markKey)
	if err != nil {
		return nil, err
	}
	if ok {
		if x.Mark, err = parseMark(mark); err != nil {
			return nil, err
		}
	}
	size := b.tx.Size()
	x.Files = append(x.Files, engine.ExportedFile{Name: fileName, Bytes: size, Copy: func(w io.Writer) error {
		if _, err := b.tx.WriteTo(w); err != nil {
			return fmt.Errorf("btree: export %s: %w", fileName, err)
		}
		return nil
	}})
	_, runs, err := readDebts(b)
	if err != nil {
		return nil, err
	}
	for _, name := range runs {
		if name == "" {
			continue
		}
		r := e.runOf(b, name)
		if r == nil {
			return nil, fmt.Errorf("%w: the file owes %s, which is not open", ErrCorrupt, name)
		}
		x.Files = append(x.Files, engine.ExportedFile{Name: name, Bytes: r.bytes, Copy: func(w io.Writer) error {
			if _, err := io.Copy(w, io.NewSectionReader(r.f, 0, r.bytes)); err != nil {
				return fmt.Errorf("btree: export %s: %w", name, err)
			}
			return nil
		}})
	}
	return x, nil
}

// runOf is a run that was above a base while it was the newest, nil if there was none of the name.
func (e *Engine) runOf(b *base, name string) *run {
	e.mu.Lock() // it may be the newest, and get another one
	defer e.mu.Unlock()
	for _, r := range b.runs {
		if r.name == name {
			return r
		}
	}
	return nil
}
