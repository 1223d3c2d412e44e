package suite

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/duramendb/duramen/bench/chart"
)

// progress tells what happens, a line for each turn.
type progress struct {
	w       io.Writer // nil: nowhere
	now     func() time.Time
	total   int
	before  int // turns that an earlier run has measured
	ended   int // turns of this run
	spent   time.Duration
	perTurn time.Duration // what a turn takes at least
}

// say writes a line. That nobody can read it is no reason to stop measuring.
func (p *progress) say(format string, args ...any) {
	if p.w != nil {
		_, _ = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// turn reports a turn that took so long.
func (p *progress) turn(r Result, took time.Duration) {
	p.ended++
	p.spent += took
	what := "FAILED: " + firstLine(r.Failed)
	if m := r.Measured; m != nil {
		what = chart.Count(m.PerSecond()) + "/s"
		if m.Latency.P99 > 0 { // replicas have no clients that wait
			what += ", p99 " + chart.Duration(m.Latency.P99)
		}
	}
	p.say("[%d/%d] %s: %s; %s left", p.before+p.ended, p.total, r.Turn, what, p.left().Round(time.Second))
}

// left is what the other turns will take, if they take as long as those before.
func (p *progress) left() time.Duration {
	each := p.perTurn
	if p.ended > 0 {
		each = p.spent / time.Duration(p.ended)
	}
	return each * time.Duration(p.total-p.before-p.ended)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
