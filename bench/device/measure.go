package device

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duramendb/duramen/bench/stat"
)

// measure gives the cell one turn: writes until spell has passed, or the file is full.
func (c *Cell) measure(ctx context.Context, f *files, meter *Meter, spell time.Duration) (Slice, error) {
	file, around, err := f.open(c.Method)
	if err != nil {
		return Slice{}, err
	}
	l := loop{file: file, size: int64(c.Size), limit: f.size / int64(c.Size), around: around}
	runtime.GOMAXPROCS(max(runtime.NumCPU(), c.InFlight+1))

	before := meter.Read()
	started := time.Now()
	latencies, err := l.run(ctx, c.InFlight, started.Add(spell))
	elapsed := time.Since(started)
	traffic := meter.Read().Since(before)
	if cerr := file.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("close: %w", cerr)
	}
	if err != nil {
		return Slice{}, err
	}
	c.Latencies.Merge(latencies)
	return Slice{
		Bench: "fsync", Time: started, Method: c.Method.Name, Size: c.Size, InFlight: c.InFlight,
		Writes: int64(latencies.Count()), Elapsed: elapsed, Latency: latencies.Latency(), Traffic: traffic,
	}, nil
}

// loop writes a file from its start to its end in steps of size.
type loop struct {
	file   *File
	size   int64
	limit  int64 // writes that fit into the file
	around bool  // begin again when it is full
	next   atomic.Int64
}

func (l *loop) run(ctx context.Context, writers int, until time.Time) (*stat.Histogram, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := make([]stat.Histogram, writers)
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			if errs[w] = l.write(ctx, &all[w], until); errs[w] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	for w := 1; w < writers; w++ {
		all[0].Merge(&all[w])
	}
	return &all[0], context.Cause(ctx)
}

// write is one writer. It writes at least once, if there is room.
func (l *loop) write(ctx context.Context, h *stat.Histogram, until time.Time) error {
	buf := Aligned(int(l.size))
	random := rand.NewChaCha8([32]byte{1}) // nothing that a device could compress
	// Read of a ChaCha8 does not fail.
	_, _ = random.Read(buf)
	for started := time.Now(); ; {
		n := l.next.Add(1) - 1
		if n >= l.limit {
			if !l.around {
				return nil
			}
			n %= l.limit
		}
		buf[0]++ // a rewritten block is not the same as before
		if err := l.file.WriteAt(buf, n*l.size); err != nil {
			return err
		}
		if err := l.file.Sync(); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
		now := time.Now()
		h.Record(now.Sub(started))
		started = now
		select {
		case <-ctx.Done():
			return nil // what was measured until then counts
		default:
		}
		if !now.Before(until) {
			return nil
		}
	}
}
