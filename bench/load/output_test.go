package load

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The file is what sysbench 1.0.20 printed with --report-checkpoints=1, shortened in the histogram.
func TestReadsRealOutput(t *testing.T) {
	f, err := os.Open("testdata/warm-up.txt")
	require.NoError(t, err)
	defer f.Close()
	var order []string
	o, err := read(f, true, moments{
		began: func() { order = append(order, "began") },
		ended: func() { order = append(order, "ended") },
	})
	require.NoError(t, err)
	require.Equal(t, []string{"began", "ended"}, order)
	r, err := o.result(true)
	require.NoError(t, err)
	require.Equal(t, Result{
		Events: 100, Errors: 3, Elapsed: 2 * time.Second,
		Latency: Latency{
			Min: 95123 * time.Nanosecond, Avg: 450 * time.Microsecond, Max: 54700001 * time.Nanosecond,
			P50: 100 * time.Microsecond, P95: 120 * time.Microsecond, P99: 4028 * time.Microsecond,
		},
	}, r)
}

const (
	started   = "Threads started!\n"
	histogram = "Latency histogram (values are in milliseconds)\n       1.000 |****  10\n"
	report    = "@duramen events=10 errors=0 reconnects=0 seconds=1.000000 min=0.001 avg=0.001 max=0.001\n"
)

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name, output string
		warmUp       bool
		fails        string // part of the error; "" if there is a result
	}{
		{"without warm-up", started + histogram + report, false, ""},
		{"with warm-up", started + report + histogram + report, true, ""},
		{"nothing", "", false, "it printed nothing"},
		{"ended before its report", started + histogram, false, "without its report"},
		{"ended after its warm-up", started + report, true, "without its report"},
		{"fatal", "FATAL: mysql_stmt_execute() returned error 1062\n" + started + histogram + report, false, "error 1062"},
		{"no transaction", started + histogram + strings.Replace(report, "events=10", "events=0", 1), false, "no transaction"},
		{"lost connections", started + histogram + strings.Replace(report, "reconnects=0", "reconnects=2", 1), false, "lost their connection 2 times"},
		{"no histogram", started + report, false, "no histogram"},
		{"a number missing", started + histogram + "@duramen events=1\n", false, "lacks errors"},
		{"not a number", started + "@duramen events=x\n", false, "invalid syntax"},
		{"a line too long", started + strings.Repeat("x", 2<<20), false, "token too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := read(strings.NewReader(c.output), c.warmUp, moments{func() {}, func() {}})
			var r Result
			if err == nil {
				r, err = o.result(c.warmUp)
			}
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				require.Zero(t, r, "a failure has no numbers")
				return
			}
			require.NoError(t, err)
			require.EqualValues(t, 10, r.Events)
			require.Equal(t, time.Millisecond, r.Latency.P50)
		})
	}
}

func TestQuantile(t *testing.T) {
	h := []bucket{{1, 50}, {2, 45}, {3, 4}, {4, 1}}
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{{0, 1}, {0.5, 1}, {0.51, 2}, {0.95, 2}, {0.99, 3}, {1, 4}} {
		require.Equal(t, c.want, quantile(h, c.q), "%v", c.q)
	}
	require.Zero(t, quantile(nil, 0.5))
}

func TestTailKeepsTheEnd(t *testing.T) {
	var l tail
	require.Equal(t, "it printed nothing", l.text())
	for range 100 {
		l.add("line")
		l.add(" ")
	}
	l.add("last")
	require.Len(t, l, tailLines)
	require.True(t, strings.HasSuffix(l.text(), "\nlast"))
}
