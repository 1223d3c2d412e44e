package turns

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Options of Run.
type Options struct {
	Rounds int
	// Names of the cells, in the order in which they take their turns.
	Names []string
	// Progress is where the state is shown, usually stderr; nil for nowhere. A
	// terminal gets one line that changes, anything else a line every 10 seconds.
	Progress io.Writer

	nowForTesting func() time.Time
}

// Turn says whose turn it is. Both count from 0.
type Turn struct{ Round, Cell int }

// Run calls measure for every cell, Rounds times. It stops at the first error,
// and with ctx's error when ctx is done; a measure that is interrupted should return it.
func Run(ctx context.Context, o Options, measure func(ctx context.Context, t Turn) error) error {
	p := newProgress(o)
	defer p.end()
	for round := range o.Rounds {
		for cell := range o.Names {
			if err := ctx.Err(); err != nil {
				return err
			}
			t := Turn{Round: round, Cell: cell}
			p.show(t)
			if err := measure(ctx, t); err != nil {
				return err
			}
			p.done++
		}
	}
	return nil
}

type progress struct {
	o        Options
	terminal bool
	started  time.Time
	shown    time.Time
	width    int // of the line that is on the terminal
	done     int // turns
}

// everyFile is how often a progress that is not a terminal gets a line, everyTerminal how often a terminal.
const (
	everyFile     = 10 * time.Second
	everyTerminal = 100 * time.Millisecond
)

func newProgress(o Options) *progress {
	if o.nowForTesting == nil {
		o.nowForTesting = time.Now
	}
	p := &progress{o: o, started: o.nowForTesting()}
	p.shown = p.started
	if f, ok := o.Progress.(*os.File); ok {
		if fi, err := f.Stat(); err == nil {
			p.terminal = fi.Mode()&os.ModeCharDevice != 0
		}
	}
	return p
}

func (p *progress) show(t Turn) {
	now := p.o.nowForTesting()
	every := everyFile
	if p.terminal {
		every = everyTerminal
	}
	if p.o.Progress == nil || now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	total := p.o.Rounds * len(p.o.Names)
	line := fmt.Sprintf("round %d of %d, %d %%, %s left: %s",
		t.Round+1, p.o.Rounds, 100*p.done/max(total, 1), left(now.Sub(p.started), p.done, total), p.o.Names[t.Cell])
	if !p.terminal {
		_, _ = fmt.Fprintln(p.o.Progress, line)
		return
	}
	_, _ = fmt.Fprint(p.o.Progress, "\r"+line+strings.Repeat(" ", max(0, p.width-len(line))))
	p.width = len(line)
}

// end removes the line from the terminal.
func (p *progress) end() {
	if p.terminal && p.width > 0 {
		_, _ = fmt.Fprint(p.o.Progress, "\r"+strings.Repeat(" ", p.width)+"\r")
	}
}

// left is what remains if the other turns take as long as those before.
func left(elapsed time.Duration, done, total int) string {
	if done == 0 {
		return "?"
	}
	d := elapsed * time.Duration(total-done) / time.Duration(done)
	return d.Round(time.Second).String()
}
