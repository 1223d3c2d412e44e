package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Latency of a transaction. In JSON it is in nanoseconds.
type Latency struct {
	Min time.Duration `json:"min_ns"`
	Avg time.Duration `json:"avg_ns"`
	P50 time.Duration `json:"p50_ns"`
	P95 time.Duration `json:"p95_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
}

// output is what a run of sysbench has said.
type output struct {
	reports   []map[string]float64 // the lines with @duramen, the last is the result
	histogram []bucket
	fatal     []string // what it gave up for
	tail      tail
}

// bucket of sysbench's latency histogram.
type bucket struct {
	latency time.Duration
	events  uint64
}

// moments are called when the measured time begins and has ended.
type moments struct{ began, ended func() }

const reportPrefix = "@duramen "

var histogramLine = regexp.MustCompile(`^\s*([0-9.]+) \|\**\s+([0-9]+)$`)

// read reads what sysbench prints, to the end.
func read(r io.Reader, warmUp bool, m moments) (*output, error) {
	o := &output{}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "Threads started!":
			if !warmUp {
				m.began()
			}
		case strings.HasPrefix(line, reportPrefix):
			report, err := parseReport(line)
			if err != nil {
				return o, err
			}
			o.reports = append(o.reports, report)
			if warmUp && len(o.reports) == 1 {
				m.began()
			}
		case strings.HasPrefix(line, "Latency histogram"):
			m.ended()
		case strings.HasPrefix(line, "FATAL"):
			o.fatal = append(o.fatal, line)
		default:
			if b, ok, err := parseBucket(line); err != nil {
				return o, err
			} else if ok {
				o.histogram = append(o.histogram, b)
				continue // some hundred lines that nobody misses in the tail
			}
		}
		o.tail.add(line)
	}
	if err := lines.Err(); err != nil {
		return o, fmt.Errorf("read the output of sysbench: %w", err)
	}
	return o, nil
}

func parseReport(line string) (map[string]float64, error) {
	report := map[string]float64{}
	for _, f := range strings.Fields(strings.TrimPrefix(line, reportPrefix)) {
		name, value, _ := strings.Cut(f, "=")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("line of sysbench %q: %w", line, err)
		}
		report[name] = v
	}
	return report, nil
}

func parseBucket(line string) (b bucket, ok bool, err error) {
	m := histogramLine.FindStringSubmatch(line)
	if m == nil {
		return bucket{}, false, nil
	}
	ms, err1 := strconv.ParseFloat(m[1], 64)
	n, err2 := strconv.ParseUint(m[2], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return bucket{}, false, fmt.Errorf("histogram line of sysbench %q: %w", line, err)
	}
	return bucket{latency: time.Duration(math.Round(ms * float64(time.Millisecond))), events: n}, true, nil
}

// quantile is the latency below or at which the part q of all events lies.
func quantile(histogram []bucket, q float64) time.Duration {
	var all, seen uint64
	for _, b := range histogram {
		all += b.events
	}
	rank := max(uint64(q*float64(all)+0.5), 1)
	for _, b := range histogram {
		if seen += b.events; seen >= rank {
			return b.latency
		}
	}
	return 0
}

// result sums the output up. The number of reports tells a run that came to its end.
func (o *output) result(warmUp bool) (Result, error) {
	want := 1
	if warmUp {
		want = 2
	}
	if len(o.fatal) > 0 {
		return Result{}, o.gaveUp()
	}
	if len(o.reports) != want {
		return Result{}, fmt.Errorf("sysbench ended without its report: %s", o.tail.text())
	}
	r := o.reports[want-1]
	for _, name := range []string{"events", "errors", "reconnects", "seconds", "min", "avg", "max"} {
		if _, ok := r[name]; !ok {
			return Result{}, fmt.Errorf("the report of sysbench lacks %s", name)
		}
	}
	seconds := func(name string) time.Duration { return time.Duration(math.Round(r[name] * float64(time.Second))) }
	res := Result{
		Events: uint64(r["events"]), Errors: uint64(r["errors"]), Elapsed: seconds("seconds"),
		Latency: Latency{
			Min: seconds("min"), Avg: seconds("avg"), Max: seconds("max"),
			P50: quantile(o.histogram, 0.50), P95: quantile(o.histogram, 0.95), P99: quantile(o.histogram, 0.99),
		},
	}
	switch {
	case r["reconnects"] > 0:
		return Result{}, fmt.Errorf("clients lost their connection %.0f times", r["reconnects"])
	case res.Events == 0 || res.Elapsed <= 0:
		return Result{}, fmt.Errorf("no transaction was made in %v", res.Elapsed)
	case len(o.histogram) == 0:
		return Result{}, errors.New("sysbench printed no histogram")
	}
	return res, nil
}

func (o *output) gaveUp() error { return fmt.Errorf("sysbench: %s", strings.Join(o.fatal, "; ")) }

// tail keeps the last lines for an error message.
type tail []string

const tailLines = 12

func (t *tail) add(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	*t = append(*t, line)
	if len(*t) > tailLines {
		*t = (*t)[1:]
	}
}

func (t tail) text() string {
	if len(t) == 0 {
		return "it printed nothing"
	}
	return strings.Join(t, "\n")
}
