package btree

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// paceBytes is how much of a checkpoint the system may hold back before the pages are on their way to the device: a sync of
// the log must not find all of a checkpoint before it.
const paceBytes = 64 << 10

// pauseMax bounds the pause after a piece, which is as long as its writing took: half of the device is for others.
const pauseMax = 2 * time.Millisecond

// pacer writes the file for bbolt, and waits for the device after every paceBytes, unless somebody waits for the checkpoint.
type pacer struct {
	file     *os.File
	hurry    *atomic.Int32
	writeOut func(f *os.File, from, size int64) error
	from, to int64 // what has not been waited for
	bytes    int
}

func (p *pacer) writeAt(b []byte, off int64) (int, error) {
	n, err := p.file.WriteAt(b, off)
	if err != nil {
		return n, err
	}
	if p.bytes == 0 {
		p.from, p.to = off, off
	}
	p.from, p.to = min(p.from, off), max(p.to, off+int64(n))
	if p.bytes += n; p.bytes < paceBytes {
		return n, nil
	}
	p.bytes = 0
	if p.hurry.Load() > 0 {
		return n, nil
	}
	started := time.Now()
	if err := p.writeOut(p.file, p.from, p.to-p.from); err != nil {
		return n, fmt.Errorf("write out pages: %w", err) // as fatal as that of a sync, which would not tell it again
	}
	time.Sleep(min(time.Since(started), pauseMax))
	return n, nil
}
