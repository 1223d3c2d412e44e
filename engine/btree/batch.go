package btree

import (
	"errors"
	"fmt"
	"math"

	bolt "go.etcd.io/bbolt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/cowtree"
)

// batch is a list of changes, in the order of the calls.
type batch struct{ cowtree.Changes }

// Errors of changes that the base could not hold.
var (
	errKeyLength   = fmt.Errorf("btree: a key must have between 1 and %d bytes", bolt.MaxKeySize)
	errValueLength = fmt.Errorf("btree: a value must not have more than %d bytes", maxValueBytes)
	errNoUpper     = errors.New("btree: a range to be deleted needs an upper bound")
)

const maxValueBytes = math.MaxInt32 - 1 - sumSize

// NewBatch returns an empty batch.
func (e *Engine) NewBatch() engine.Batch { return &batch{} }

func checkLengths(key, value []byte) error {
	switch {
	case len(key) == 0 || len(key) > bolt.MaxKeySize:
		return errKeyLength
	case len(value) > maxValueBytes:
		return errValueLength
	}
	return nil
}

func (b *batch) Set(key, value []byte) error {
	if err := checkLengths(key, value); err != nil {
		return err
	}
	b.Changes.Set(key, value, sumSize)
	return nil
}

func (b *batch) Delete(key []byte) error {
	if len(key) == 0 || len(key) > bolt.MaxKeySize {
		return nil // it cannot be there
	}
	b.Changes.Delete(key)
	return nil
}

func (b *batch) DeleteRange(lower, upper []byte) error {
	if upper == nil {
		return errNoUpper
	}
	b.Changes.DeleteRange(lower, upper)
	return nil
}
