package lsm

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/duramendb/duramen/engine"
)

type batch struct {
	b *pebble.Batch
	// deleted are the ranges that it deletes.
	deleted []span
}

// NewBatch returns an empty batch.
func (e *Engine) NewBatch() engine.Batch { return &batch{b: e.db.NewBatch()} }

func (b *batch) Set(key, value []byte) error { return b.b.Set(key, value, nil) }

func (b *batch) Delete(key []byte) error { return b.b.Delete(key, nil) }

func (b *batch) DeleteRange(lower, upper []byte) error {
	b.deleted = append(b.deleted, newSpan(lower, upper))
	return b.b.DeleteRange(lower, upper, nil)
}

func (b *batch) Len() int { return b.b.Len() }

func (b *batch) Discard() {
	if b.b != nil {
		_ = b.b.Close() // frees memory; it has no error to report
		b.b = nil
	}
}
