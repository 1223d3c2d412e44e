package inspect

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress tells how far the reading of long files has come. On a terminal it draws a bar;
// elsewhere it writes a line every few seconds. Short runs show nothing. A nil
// Progress is silent.
type Progress struct {
	Out      io.Writer
	Terminal bool
	Total    uint64 // bytes to be read; a guess for files that grow
	// What is being done, for the reader: "verify".
	What string

	file  string
	done  uint64
	start time.Time
	last  time.Time
	drawn bool
	now   func() time.Time
}

const (
	barAfter  = 500 * time.Millisecond
	barEvery  = 100 * time.Millisecond
	lineEvery = 5 * time.Second
	barWidth  = 30
)

// File says which file is being read from here on.
func (p *Progress) File(name string) {
	if p != nil {
		p.file = name
	}
}

// Add counts n more bytes as read.
func (p *Progress) Add(n uint64) {
	if p == nil || p.Out == nil {
		return
	}
	if p.now == nil {
		p.now = time.Now
	}
	p.done += n
	now := p.now()
	if p.start.IsZero() {
		p.start, p.last = now, now
	}
	wait, every := lineEvery, lineEvery
	if p.Terminal {
		wait, every = barAfter, barEvery
	}
	if now.Sub(p.start) < wait || now.Sub(p.last) < every {
		return
	}
	p.last = now
	p.draw(now)
}

func (p *Progress) draw(now time.Time) {
	total := max(p.Total, p.done, 1)
	part := float64(p.done) / float64(total)
	speed := float64(p.done) / max(now.Sub(p.start).Seconds(), 0.001)
	left := time.Duration(float64(total-p.done) / max(speed, 1) * float64(time.Second)).Round(time.Second)
	text := fmt.Sprintf("%3.0f%% %s of %s, %s/s, %s left, %s", part*100, Bytes(p.done), Bytes(total), Bytes(uint64(speed)), left, p.file)
	if !p.Terminal {
		_, _ = fmt.Fprintf(p.Out, "%s: %s\n", p.What, text)
		return
	}
	filled := int(part * barWidth)
	_, _ = fmt.Fprintf(p.Out, "\r\x1b[K%s [%s%s] %s", p.What, strings.Repeat("=", filled), strings.Repeat(" ", barWidth-filled), text)
	p.drawn = true
}

// Clear removes the bar, so that other output may follow.
func (p *Progress) Clear() {
	if p != nil && p.drawn {
		_, _ = fmt.Fprint(p.Out, "\r\x1b[K")
		p.drawn = false
	}
}

// Bytes is a size for people: 1.5 MiB.
func Bytes(n uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, i := float64(n)/1024, 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

// TotalSize adds up the sizes of files, for Progress.Total. Missing files count as empty.
func (s *Set) TotalSize(files []File) uint64 {
	var sum uint64
	for _, f := range files {
		if fi, err := s.FS.Stat(f.Path); err == nil {
			sum += uint64(fi.Size())
		}
	}
	return sum
}
