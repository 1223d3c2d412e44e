package set

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
)

// Capabilities are those of the engine, or what several can do together.
func (s *Set) Capabilities() engine.Capabilities { return s.can }

// together is what the engines can do as one: what all of them can, except for warnings, for which one is enough.
func (s *Set) together() engine.Capabilities {
	can := make([]engine.Capabilities, len(s.engines))
	imports, resets, warns := true, true, false
	for i, e := range s.engines {
		can[i] = e.Capabilities()
		imports = imports && can[i].Importer != nil
		resets = resets && can[i].MarkResetter != nil
		warns = warns || can[i].Pressed != nil
	}
	var c engine.Capabilities
	if imports {
		c.Importer = &importer{s, can}
	}
	if resets {
		c.MarkResetter = &resetter{s, can}
	}
	if warns {
		c.Pressed = pressed(can)
	}
	return c
}

// pressed warns when one of the engines does.
type pressed []engine.Capabilities

func (p pressed) Writable() error {
	for _, c := range p {
		if err := c.Writable(); err != nil {
			return err
		}
	}
	return nil
}

// resetter moves the marks of all engines.
type resetter struct {
	set *Set
	can []engine.Capabilities
}

// ResetMark moves the marks one after the other. After a crash in between, some engines are at the new mark and others
// at the end of the old log: ResetMark is to be called again.
func (r *resetter) ResetMark(m engine.Mark) error {
	r.set.barrier.Lock()
	defer r.set.barrier.Unlock()
	for i, c := range r.can {
		if err := c.MarkResetter.ResetMark(m); err != nil {
			return fmt.Errorf("engine %s: %w", r.set.engines[i].Name(), err)
		}
	}
	r.set.applied = m
	return nil
}

// importer imports into several engines.
type importer struct {
	set *Set
	can []engine.Capabilities
}

func (m *importer) NewImport(dir string) (engine.Import, error) {
	return &imports{importer: m, dir: dir, parts: make([]engine.Import, len(m.can))}, nil
}

// ApplyImport gives each engine its part of the import and of the batch.
func (m *importer) ApplyImport(i engine.Import, b engine.Batch, mark engine.Mark) error {
	in := i.(*imports)
	defer in.Discard() // what an error leaves
	return m.set.apply(b.(*batch), mark, func(i int, part engine.Batch) error {
		e, rows := m.set.engines[i], in.parts[i]
		switch {
		case rows != nil:
			if part == nil {
				part = e.NewBatch()
			}
			in.parts[i] = nil
			return m.can[i].Importer.ApplyImport(rows, part, mark)
		case part != nil:
			return e.Apply(part, mark)
		}
		return nil
	})
}

// imports is one import per engine that it touches.
type imports struct {
	*importer
	dir   string
	parts []engine.Import // nil: not touched
}

// part is the import that a key belongs into.
func (m *imports) part(key []byte) (engine.Import, error) {
	place, err := m.set.place(key)
	if err != nil {
		return nil, err
	}
	if place == everywhere {
		return nil, fmt.Errorf("%w: import of key %x", ErrNoPlace, key)
	}
	if m.parts[place] == nil {
		if m.parts[place], err = m.can[place].Importer.NewImport(m.dir); err != nil {
			return nil, err
		}
	}
	return m.parts[place], nil
}

func (m *imports) Set(key, value []byte) error {
	part, err := m.part(key)
	if err != nil {
		return err
	}
	return part.Set(key, value)
}

func (m *imports) Delete(key []byte) error {
	part, err := m.part(key)
	if err != nil {
		return err
	}
	return part.Delete(key)
}

func (m *imports) Finish() error {
	var errs []error
	for _, part := range m.parts {
		if part != nil {
			errs = append(errs, part.Finish())
		}
	}
	return errors.Join(errs...)
}

func (m *imports) Discard() {
	for i, part := range m.parts {
		if part != nil {
			part.Discard()
			m.parts[i] = nil
		}
	}
}
