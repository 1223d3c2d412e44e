package server

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// gcHeadroom is how much garbage may collect before the collector runs, if
	// the live heap is small: a server that holds 20 MB would otherwise collect
	// after every further 20 MB, many times a second under load.
	gcHeadroom = 64 << 20
	gcInterval = 2 * time.Second
	gcDefault  = 100 // Go's own percentage, and our minimum
	gcMax      = 800
)

// tuneGC adapts the collector's percentage to the live heap until ctx ends. It
// is for the process that is a server, not for one that embeds it; whoever
// sets GOGC decides instead.
func tuneGC(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(gcInterval)
	defer tick.Stop()
	for current := gcDefault; ; {
		metrics.Read(sample)
		if sample[0].Value.Kind() == metrics.KindUint64 {
			if percent := gcPercent(sample[0].Value.Uint64()); percent != current {
				debug.SetGCPercent(percent)
				current = percent
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// gcPercent is the percentage that leaves gcHeadroom to a live heap.
func gcPercent(live uint64) int {
	const atLeast = 8 << 20 // as before the first collection
	percent := int(gcHeadroom * 100 / max(live, atLeast))
	return min(max(percent, gcDefault), gcMax)
}
