package binlog

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// probeBlocks is the size of the probe's file in blocks.
	probeBlocks = 32
	// probeTime bounds the measurement. A sync under way is waited for.
	probeTime = 60 * time.Millisecond
	// probeRounds is after how many writes of each kind it is known well enough.
	probeRounds = 64
	// probeGain: direct writes have to be faster by this factor. Else the page cache is preferred, which
	// readers of the log find filled.
	probeGain = 1.05
)

func (o *Options) probeName() string { return o.Basename + ".probe" + tmpSuffix }

// probe measures which sync method is faster for a block in the log's
// directory: turn by turn, in a zero-filled file of its own, so that both meet the same load.
func (o *Options) probe() SyncMethod {
	if o.FS != vfs.Default || o.NoPreallocate {
		return SyncFdatasync
	}
	started := time.Now()
	buffered, direct, err := o.measure(started.Add(probeTime))
	m := SyncFdatasync
	switch {
	case errors.Is(err, errNoDirect):
		o.Logger.Info("the binary log is synced by fdatasync", "direct", err)
	case err != nil:
		o.Logger.Warn("the sync methods of the binary log could not be measured; fdatasync is used", "err", err)
	default:
		if float64(buffered) > probeGain*float64(direct) {
			m = SyncDirect
		}
		o.Logger.Info("chose how the binary log is synced", "method", m.String(), "fdatasync", buffered,
			"direct", direct, "duration", time.Since(started).Round(time.Millisecond))
	}
	return m
}

// measure returns the median time of a durable write of a block by each method.
func (o *Options) measure(deadline time.Time) (buffered, direct time.Duration, err error) {
	path := o.path(o.probeName())
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o640)
	if err != nil {
		return 0, 0, fmt.Errorf("create %s: %w", path, err)
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
	if _, err := f.WriteAt(zeroChunk[:probeBlocks*blockSize], 0); err != nil {
		return 0, 0, fmt.Errorf("fill %s: %w", path, err)
	}
	if err := f.Sync(); err != nil {
		return 0, 0, fmt.Errorf("sync %s: %w", path, err)
	}
	d, err := openDirect(path)
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	osFile, err := o.openWritable(o.probeName())
	if err != nil {
		return 0, 0, err
	}
	defer osFile.Close()
	return compareMethods(osFile, directFile{d}, deadline)
}

// compareMethods writes blocks by turns until it knows enough or deadline has passed, each kind at least once.
func compareMethods(f vfs.File, d blockFile, deadline time.Time) (buffered, direct time.Duration, err error) {
	block := alignedBuffer(blockSize)[:blockSize]
	var times [2][]time.Duration
	for n := range 2 * probeRounds {
		if n >= 2 && time.Now().After(deadline) {
			break
		}
		block[n%blockSize] = 1
		at := int64(n/2%probeBlocks) * blockSize
		started := time.Now()
		if n%2 == 0 {
			if _, err = f.WriteAt(block, at); err == nil {
				err = f.SyncData()
			}
		} else if err = d.writeBlocks(block, at); err != nil {
			err = fmt.Errorf("%w: %w", errNoDirect, err)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("probe: %w", err)
		}
		times[n%2] = append(times[n%2], time.Since(started))
	}
	for i := range times {
		slices.Sort(times[i])
	}
	return times[0][len(times[0])/2], times[1][len(times[1])/2], nil
}
