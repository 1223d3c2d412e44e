package commit

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine"
)

// A large group is replayed in chunks, so that memory is bounded: they are applied without
// moving the mark. Nobody reads during recovery; and if it is interrupted, the next one
// replays the whole group, which changes nothing as long as the images of its rows are full.
// A group with partial images, or with a change of the catalog, is replayed at once, whatever its size.

// chunkBatches is how many times ReplayConfig.BatchBytes a chunk has at least.
const chunkBatches = 4

// unfinishedKey is in the engine while it holds a part of a group whose mark it does not have.
// It lies in the part of the meta space that package catalog leaves to the engine.
var unfinishedKey = []byte("\x00\x00\x00\x00\x00\x00\x00\x00unfinished")

// UnfinishedKey is the key that Unfinished looks for, for who looks at an engine that is not open.
func UnfinishedKey() []byte { return slices.Clone(unfinishedKey) }

// Unfinished reports whether a replay was interrupted inside a group: then the engine is right again
// only when the whole group behind its mark has been replayed.
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

// announced reads a write mark. Before a write that may be a large group everything is applied, so
// that it shares its batch with nothing that must not be replayed twice.
func (r *replayer) announced(mark *event.Private) error {
	if len(mark.Payload) < 16 || binary.LittleEndian.Uint64(mark.Payload[8:]) < uint64(r.cfg.BatchBytes) {
		return nil
	}
	return r.flush(0)
}

// flushChunk applies what there is of the group, if it is much.
func (r *replayer) flushChunk() error {
	if r.redo.size() < chunkBatches*r.cfg.BatchBytes || r.redo.tainted || r.redo.pending != nil {
		return nil
	}
	if err := engine.Writable(r.cfg.Engine); err != nil {
		return fmt.Errorf("commit: replay for %s behind %s: %w", r.cfg.Engine.Name(), r.end, err)
	}
	if err := r.redo.applyChunk(); err != nil {
		return fmt.Errorf("commit: replay: applying a part of the group behind %s: %w", r.end, err)
	}
	return nil
}

func (r *redo) applyChunk() error {
	b := r.open()
	if err := b.Set(unfinishedKey, nil); err != nil {
		return err
	}
	r.batch, r.chunks = nil, true
	clear(r.written)
	return r.engine.Ingest(b)
}
