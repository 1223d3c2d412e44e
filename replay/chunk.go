package replay

import (
	"fmt"
	"slices"

	"github.com/duramendb/duramen/engine"
)

// A large group is replayed in chunks, so that memory is bounded: they are applied without
// moving the mark. Nobody reads during recovery; and if it is interrupted, the next one
// replays the whole group, which changes nothing as long as the images of its rows are full.
// A group with partial images, or with a change of the catalog, is replayed at once, whatever its size.

// chunkBatches is how many times Config.BatchBytes a chunk has at least.
const chunkBatches = 4

// unfinishedKey is in the engine while it holds a part of a group whose mark it does not have.
// It lies in the part of the meta space that package catalog leaves to the engine.
var unfinishedKey = []byte("\x00\x00\x00\x00\x00\x00\x00\x00unfinished")

// UnfinishedKey is the key that Unfinished looks for, for who looks at an engine that is not open.
func UnfinishedKey() []byte { return slices.Clone(unfinishedKey) }

// Unfinished reports whether a replay was interrupted inside a group: then the engine is right again
// only when the whole group after its mark has been replayed.
func Unfinished(e engine.Engine) (bool, error) {
	_, ok, release, err := e.Get(unfinishedKey)
	if err != nil {
		return false, err
	}
	if ok {
		release()
	}
	return ok, nil
}

// flushChunk applies what there is of the group, if it is much.
func (b *batches) flushChunk() error {
	if b.size() < chunkBatches*b.batchBytes || b.tainted {
		return nil
	}
	if err := b.can.Writable(); err != nil {
		return fmt.Errorf("after %s: %w", b.read, err)
	}
	b.chunks = true
	at := b.read
	return b.apply(func(batch engine.Batch) error {
		if err := batch.Set(unfinishedKey, nil); err != nil {
			batch.Discard()
			return err
		}
		if err := b.engine.Ingest(batch); err != nil {
			return fmt.Errorf("applying a part of the group after %s: %w", at, err)
		}
		return nil
	})
}
