package binlog

import (
	"fmt"
	"log/slog"
	"time"
)

// Progress reports how far a long pass over the log is, now and then, in words
// that can be read on a terminal and in a file. A nil *Progress does nothing. It is
// used by one goroutine.
type Progress struct {
	logger   *slog.Logger
	what     string
	total    int64
	interval time.Duration
	now      func() time.Time

	done          int64
	started, next time.Time
	unchecked     int64 // bytes since the clock was looked at
}

// ProgressInterval is the time between two reports, unless told otherwise.
const ProgressInterval = 5 * time.Second

// clockBytes is how much is done between two looks at the clock.
const clockBytes = 1 << 20

// NewProgress starts a report on a pass over total bytes; what begins the
// sentence ("replaying the binary log"). An interval of 0 means ProgressInterval.
func NewProgress(logger *slog.Logger, what string, total int64, interval time.Duration) *Progress {
	return newProgress(logger, what, total, interval, time.Now)
}

func newProgress(logger *slog.Logger, what string, total int64, interval time.Duration, now func() time.Time) *Progress {
	if interval == 0 {
		interval = ProgressInterval
	}
	p := &Progress{logger: logger, what: what, total: total, interval: interval, now: now, started: now()}
	p.next = p.started.Add(interval)
	return p
}

// Add says that n more bytes are done, and reports if it is time to.
func (p *Progress) Add(n int) {
	if p == nil {
		return
	}
	p.done += int64(n)
	if p.unchecked += int64(n); p.unchecked < clockBytes {
		return
	}
	p.unchecked = 0
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(p.interval)
	elapsed := now.Sub(p.started)
	rate := float64(p.done) / elapsed.Seconds()
	left := time.Duration(float64(max(p.total-p.done, 0)) / rate * float64(time.Second)).Round(time.Second)
	percent := 100.0
	if p.total > 0 {
		percent = min(100*float64(p.done)/float64(p.total), 100)
	}
	p.logger.Info(fmt.Sprintf("%s: %.0f %% (%s of %s, %s/s, %s left)", p.what, percent, sizeText(p.done), sizeText(p.total), sizeText(int64(rate)), left),
		"percent", fmt.Sprintf("%.0f", percent), "bytes", p.done, "total", p.total, "bytes_per_second", int64(rate), "seconds_left", int64(left.Seconds()))
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
}
