package binlog

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"
)

const (
	// probeBytes is the size of the probe's file.
	probeBytes = 32 * blockSize
	// probeTime bounds the measurement. A write under way is waited for.
	probeTime = 75 * time.Millisecond
	// probeRounds is after how many writes of each kind it is known well enough.
	probeRounds = 96
)

// contestant is a way to write a block durably, and how long it took.
type contestant struct {
	method SyncMethod
	unit   int
	write  func(block []byte, off int64) error
	times  []time.Duration
	err    error // it does not work here
}

// typical is the lower quartile: what disturbs a measurement only ever makes it longer.
func (c *contestant) typical() time.Duration {
	if len(c.times) == 0 {
		return 0
	}
	slices.Sort(c.times)
	return c.times[len(c.times)/4]
}

// probe measures which way of syncing is the fastest for a small write in the log's directory: turn by turn,
// in a zero-filled file of its own, so that all meet the same load. With SyncDirect
// only the unit is in question.
func (o *Options) probe() (m SyncMethod, unit int) {
	started := time.Now()
	list, err := o.measure(started.Add(probeTime))
	if err != nil {
		o.Logger.Warn("the sync methods of the binary log could not be measured; fdatasync is used", "err", err)
		return SyncFdatasync, blockSize
	}
	best := choose(list, o.SyncMethod == SyncDirect)
	attrs := []any{"method", best.method.String(), "unit", best.unit}
	for i := range list {
		c := &list[i]
		if c.err != nil {
			attrs = append(attrs, slog.String(c.name(), c.err.Error()))
		} else {
			attrs = append(attrs, slog.Duration(c.name(), c.typical()))
		}
	}
	o.Logger.Info("chose how the binary log is synced", append(attrs, "took", time.Since(started).Round(time.Millisecond))...)
	return best.method, best.unit
}

func (c *contestant) name() string {
	if c.method == SyncDirect {
		return fmt.Sprintf("%s_%d", c.method, c.unit)
	}
	return c.method.String()
}

// nearlyEqual is up to how much longer, in percent, a direct write may take and still be chosen: between equals
// it is the better one, because it rewrites less of the last block and leaves the page cache alone.
const nearlyEqual = 10

// choose picks the winner; the first of the list is fdatasync.
func choose(list []contestant, directOnly bool) *contestant {
	best := &list[0]
	for i := range list[1:] {
		c := &list[1+i]
		if c.err != nil {
			continue
		}
		limit := best.typical()
		if best.method == SyncFdatasync {
			limit += limit * nearlyEqual / 100
		}
		if directOnly && best.method == SyncFdatasync || limit > c.typical() {
			best = c
		}
	}
	return best
}

// measure lets all ways write by turns, until deadline has passed or enough is known.
func (o *Options) measure(deadline time.Time) (list []contestant, err error) {
	dir := o.dir()
	path := dir.path(dir.probeName())
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o640)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	defer func() {
		cerr := f.Close()
		if rerr := os.Remove(path); cerr == nil {
			cerr = rerr
		}
		if err == nil && cerr != nil {
			err = fmt.Errorf("remove %s: %w", path, cerr)
		}
	}()
	if _, err := f.WriteAt(zeroChunk[:probeBytes], 0); err != nil {
		return nil, fmt.Errorf("fill %s: %w", path, err)
	}
	if err := f.Sync(); err != nil {
		return nil, fmt.Errorf("sync %s: %w", path, err)
	}
	buffered, err := dir.openWritable(dir.probeName())
	if err != nil {
		return nil, err
	}
	defer buffered.Close()
	list = []contestant{{method: SyncFdatasync, unit: blockSize, write: func(block []byte, off int64) error {
		if _, err := buffered.WriteAt(block, off); err != nil {
			return err
		}
		return buffered.SyncData()
	}}}
	direct, err := openDirect(path)
	if err == nil {
		defer direct.Close()
	}
	for _, unit := range []int{blockSize, sectorSize} {
		list = append(list, contestant{method: SyncDirect, unit: unit, err: err, write: func(block []byte, off int64) error {
			_, err := direct.WriteAt(block, off)
			return err
		}})
	}
	return list, compare(list, deadline)
}

// compare writes by turns. A direct way that fails is out; if fdatasync fails that is an error.
func compare(list []contestant, deadline time.Time) error {
	buf := alignedBuffer(blockSize)[:blockSize]
	for round := range probeRounds {
		for i := range list {
			c := &list[i]
			if c.err != nil {
				continue
			}
			if round > 0 && time.Now().After(deadline) {
				return nil
			}
			buf[round] = byte(round + 1)
			at := int64(round * c.unit % probeBytes)
			started := time.Now()
			err := c.write(buf[:c.unit], at)
			switch {
			case err == nil:
				c.times = append(c.times, time.Since(started))
			case c.method == SyncDirect:
				c.err = err
			default:
				return fmt.Errorf("probe: %w", err)
			}
		}
	}
	return nil
}
