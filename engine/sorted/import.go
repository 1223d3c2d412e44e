package sorted

import (
	"bytes"
	"errors"

	"github.com/duramendb/duramen/engine"
)

var _ engine.Import = (*Import)(nil)

// Import is a Batch that wants its keys in order: the import of an engine that has no files. The zero value is empty.
type Import struct {
	batch    Batch
	last     []byte
	finished bool
}

// NewImport is an empty Import; it needs no directory.
func (c *Contents) NewImport(string) (engine.Import, error) {
	if _, _, err := c.Current(); err != nil {
		return nil, err
	}
	return &Import{}, nil
}

func (i *Import) follows(key []byte) error {
	if i.last != nil && bytes.Compare(key, i.last) <= 0 {
		return engine.ErrKeyOrder
	}
	i.last = append(i.last[:0], key...)
	if i.last == nil {
		i.last = []byte{}
	}
	return nil
}

// Set sets a key's value.
func (i *Import) Set(key, value []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.batch.Set(key, value)
}

// Delete removes a key, if it is there.
func (i *Import) Delete(key []byte) error {
	if err := i.follows(key); err != nil {
		return err
	}
	return i.batch.Delete(key)
}

// Finish says that it is complete.
func (i *Import) Finish() error {
	i.finished = true
	return nil
}

// Discard forgets the changes.
func (i *Import) Discard() { i.batch.Discard() }

// With is a Batch of the import and of another batch after it. The import must have been finished.
func (i *Import) With(b *Batch) (*Batch, error) {
	if !i.finished {
		return nil, errors.New("the import is not finished")
	}
	i.batch.Append(b)
	return &i.batch, nil
}
