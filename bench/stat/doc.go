// Package stat sums up measurements: medians with their range, and histograms
// of latencies that cost a few nanoseconds per value.
package stat
