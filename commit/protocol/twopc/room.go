package twopc

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/commit/protocol/redo"
)

// A redo log grows until a checkpoint of its engine. When the disk has no room for that, who is about to commit makes a checkpoint first,
// which gives room back; if that does not help, the commit is refused. What is in the binary log already never waits for room:
// commit records are put off, and under a redo log the bytes of a group are reserved there before the group gets its place.

// makeRoom sees to it that there will be room, while a session can still wait for it.
func (f *flight) makeRoom() error {
	err := f.lacksRoom()
	if !errors.Is(err, redo.ErrNoSpace) || f.p.o.Checkpoint == nil {
		return f.p.appended(err)
	}
	// An engine that cannot write its files would keep a checkpoint waiting.
	if failing := f.p.set.Capabilities().Writable(); failing != nil {
		return fmt.Errorf("%w: %w; and there can be no checkpoint: %w", binlog.ErrNoSpace, err, failing)
	}
	f.p.o.Logger.Warn("no room for the redo log of an engine; a commit waits for a checkpoint", "error", err)
	if failed := f.p.o.Checkpoint(); failed != nil {
		return fmt.Errorf("%w: %w; and the checkpoint that would make room failed: %w", binlog.ErrNoSpace, err, failed)
	}
	for _, e := range f.p.engines {
		if e == nil {
			continue
		}
		// The engine may have made everything durable by itself, so that no checkpoint was due.
		if err := e.trim(e.redo.Segment(), e.Durable()); err != nil {
			return err
		}
	}
	return f.p.appended(f.lacksRoom())
}

func (f *flight) lacksRoom() error {
	for i, e := range f.p.engines {
		if e == nil {
			continue
		}
		bytes := 0
		if c := f.parts[i].changes; c != nil {
			bytes = len(c.record) + redo.FrameSize
		}
		if e.carries() {
			bytes += len(f.req.Events)
		}
		if bytes == 0 {
			continue
		}
		if err := e.redo.MakeRoom(bytes); err != nil {
			return err
		}
	}
	return nil
}

// Log is the binary log for the pipeline.
func (p *Protocol) Log(l *binlog.Log) commit.Log {
	if p.o.Carry == nil {
		return commit.BinaryLog(l)
	}
	return commit.BinaryLogWithin(l, func(bytes int64) error { return p.appended(p.o.Carry.Reserve(bytes)) })
}
