package logbench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/bench/device"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want string // part of the error
	}{
		{"defaults", Options{}, ""},
		{"all contenders", Options{Contenders: Contenders()}, ""},
		{"unknown contender", Options{Contenders: []string{"tape"}}, "raw-direct"},
		{"twice", Options{Contenders: []string{"raw", "raw"}}, "twice"},
		{"nobody", Options{Committers: []int{0}}, "committers"},
		{"negative", Options{Duration: -1}, "positive"},
		{"sync method", Options{SyncMethod: "hope"}, "hope"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.EnsureDefaults()
			err := c.o.Validate()
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
	require.Len(t, makers, len(Contenders()))
}

func TestPipelinesComeFirst(t *testing.T) {
	require.Equal(t, []string{"log", "lsm", "raw", "bare"}, sorted([]string{"raw", "log", "bare", "lsm"}))
}

func TestShape(t *testing.T) {
	s := shape{transactionBytes: 600, markBytes: 44, perGroup: 2.5}
	require.Equal(t, 1544, s.groupBytes())
	r := runner{}
	require.InDelta(t, transactionBytes(), r.shape(7).transactionBytes, 0)
	require.Greater(t, transactionBytes(), 2*imageBytes)
}

func TestPerEventByte(t *testing.T) {
	written := func(n uint64) device.Traffic {
		return device.Traffic{DeviceBytes: device.Count{N: n, Known: true}}
	}
	for _, c := range []struct {
		name   string
		slices []Slice
		want   string
	}{
		{"none", nil, "-"},
		{"sum", []Slice{{EventBytes: 100, Traffic: written(150)}, {EventBytes: 300, Traffic: written(350)}}, "1.25"},
		{"without zeros", []Slice{{EventBytes: 100, ZeroBytes: 50, Traffic: written(150)}}, "1.00"},
		{"not known", []Slice{{EventBytes: 100, Traffic: written(150)}, {EventBytes: 100}}, "-"},
		{"fewer than the zeros", []Slice{{EventBytes: 100, ZeroBytes: 500, Traffic: written(150)}}, "-"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, (&Cell{Slices: c.slices}).perEventByte()) })
	}
}

func TestRatiosOfUnequalKinds(t *testing.T) {
	r := Result{Options: Options{Committers: []int{1}, Contenders: []string{"lsm", "bare", "raw"}}, Meter: &device.Meter{Why: "test"}}
	slice := func(commits, groups int64) []Slice { return []Slice{{Commits: commits, Groups: groups, Elapsed: 1e9}} }
	r.Cells = []*Cell{
		{Contender: "lsm", Committers: 1, Slices: slice(100, 10)},
		{Contender: "bare", Committers: 1, Slices: slice(200, 40)},
		{Contender: "raw", Committers: 1, Slices: slice(125, 12)},
	}
	table := r.ratios(r.pairs())
	require.Equal(t, []string{"committers", "lsm / raw", "lsm / bare"}, table.Columns)
	require.Equal(t, []string{"1", "0.83 (0.83-0.83)", "0.50 (0.50-0.50)"}, table.Rows[0])
	var out strings.Builder
	for _, table := range r.Tables() {
		require.NoError(t, table.Text(&out))
	}
	require.Contains(t, out.String(), "Not available here: test")
}
