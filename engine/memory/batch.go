package memory

import (
	"bytes"
	"errors"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/cowtree"
)

var (
	_ engine.Batch  = (*batch)(nil)
	_ engine.Import = (*imported)(nil)
)

type batch struct{ cowtree.Changes }

// NewBatch returns an empty batch.
func (e *Engine) NewBatch() engine.Batch { return &batch{} }

func (b *batch) Set(key, value []byte) error {
	b.Changes.Set(key, value, 0)
	return nil
}

func (b *batch) Delete(key []byte) error {
	b.Changes.Delete(key)
	return nil
}

func (b *batch) DeleteRange(lower, upper []byte) error {
	b.Changes.DeleteRange(lower, upper)
	return nil
}

// imported is a batch that wants its keys in order.
type imported struct {
	batch    batch
	last     []byte
	finished bool
}

// NewImport is an empty import; it needs no directory.
func (e *Engine) NewImport(string) (engine.Import, error) {
	if e.now.Load() == nil {
		return nil, engine.ErrClosed
	}
	return &imported{}, nil
}

func (i *imported) follows(key []byte) error {
	if i.last != nil && bytes.Compare(key, i.last) <= 0 {
		return engine.ErrKeyOrder
	}
	i.last = append([]byte{}, key...) // not nil
	return nil
}

func (i *imported) Set(key, value []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.batch.Set(key, value)
}

func (i *imported) Delete(key []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.batch.Delete(key)
}

func (i *imported) Finish() error {
	i.finished = true
	return nil
}

func (i *imported) Discard() { i.batch.Discard() }

// ApplyImport is Apply of the import and then of the batch, together.
func (e *Engine) ApplyImport(i engine.Import, b engine.Batch, m engine.Mark) error {
	in, pb := i.(*imported), b.(*batch)
	defer pb.Discard()
	if !in.finished {
		return errors.New("memory: import: it is not finished")
	}
	in.batch.Append(&pb.Changes)
	return e.Apply(&in.batch, m)
}
