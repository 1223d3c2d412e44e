package engine

import "time"

// Stats are what every engine can tell about itself. Counters begin at zero when it is opened.
type Stats struct {
	// DiskBytes is what its files take now.
	DiskBytes uint64
	// PendingBytes is about how much memory is taken by changes that a restart would not find: a checkpoint frees it.
	PendingBytes uint64
	// WrittenBytes is how much was written to files, by imports as well.
	WrittenBytes uint64
	// Checkpoints have made something durable, whether Checkpoint was called or the engine had reasons of its own.
	// CheckpointTime is how long they took in all.
	Checkpoints    uint64
	CheckpointTime time.Duration
}

// Add adds the stats of another engine.
func (s *Stats) Add(o Stats) {
	s.DiskBytes += o.DiskBytes
	s.PendingBytes += o.PendingBytes
	s.WrittenBytes += o.WrittenBytes
	s.Checkpoints += o.Checkpoints
	s.CheckpointTime += o.CheckpointTime
}
