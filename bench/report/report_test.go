package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
)

func contender(name string, kind target.Kind, profile string) target.Contender {
	return target.Contender{Spec: target.Spec{Name: name, Kind: kind, Path: "/bin/" + name}, Profile: profile}
}

func info(tests ...suite.Test) *suite.Info {
	return &suite.Info{
		Config: suite.Config{
			Suite: "quick", Tests: tests, Tables: 2, TableSize: 1000, Time: time.Second, Repeats: 3, CacheBytes: 1 << 30, Base: suite.SameProfile,
			Contenders: []target.Contender{
				contender("duramen", target.Duramen, "sync"), contender("mariadb", target.MariaDB, "sync"),
				contender("duramen", target.Duramen, "nosync"), contender("mariadb", target.MariaDB, "nosync"),
			},
			Extra: map[string][]string{"mariadb": {"a=1", "b=2"}},
		},
		Machine: suite.Machine{Where: "ext4 <on> a disk", CPU: "a processor"},
		Servers: map[string]target.Facts{
			"mariadb/sync":   {Version: "10.11", SettingsFrom: "a table", Settings: []target.Setting{{Name: "log_bin", Value: "ON", Default: "OFF"}}},
			"mariadb/nosync": {Version: "10.11", SettingsFrom: "a table", Settings: []target.Setting{{Name: "log_bin", Value: "ON", Default: "OFF"}, {Name: "sync_binlog", Value: "0"}}},
		},
	}
}

func count(n uint64) device.Count { return device.Count{N: n, Known: true} }

// turn is a result with rate transactions in a second.
func turn(workload string, clients int, who string, round int, rate uint64) suite.Result {
	return suite.Result{
		Turn: suite.Turn{Workload: workload, Clients: clients, Contender: who, Round: round},
		Measured: &suite.Measured{
			Transactions: rate, Elapsed: time.Second, Errors: rate / 10, ClientCPU: time.Duration(rate) * 20 * time.Microsecond,
			Latency:   load.Latency{P50: time.Duration(round) * time.Millisecond, P95: 5 * time.Millisecond, P99: 9 * time.Millisecond},
			ServerCPU: count(rate * 50_000), Traffic: device.Traffic{Flushes: count(2 * rate), DeviceBytes: count(4096 * rate)},
			Commits: count(rate), Groups: count(rate / 4), PeakMemory: count(1 << 20),
		},
	}
}

func failedTurn(workload string, clients int, who string, round int) suite.Result {
	return suite.Result{Turn: suite.Turn{Workload: workload, Clients: clients, Contender: who, Round: round}, Failed: "it\nbroke"}
}

func results() []suite.Result {
	return []suite.Result{
		turn("insert", 1, "duramen/sync", 1, 200), turn("insert", 1, "duramen/sync", 2, 300), turn("insert", 1, "duramen/sync", 3, 100),
		turn("insert", 1, "mariadb/sync", 1, 100), turn("insert", 1, "mariadb/sync", 2, 100), turn("insert", 1, "mariadb/sync", 3, 200),
		failedTurn("insert", 1, "duramen/nosync", 1), failedTurn("insert", 1, "duramen/nosync", 2), failedTurn("insert", 1, "duramen/nosync", 3),
		turn("insert", 1, "mariadb/nosync", 1, 1000), failedTurn("insert", 1, "mariadb/nosync", 2), turn("insert", 1, "mariadb/nosync", 3, 2000),
	}
}

func table(t *testing.T, tables []chart.Table, title string) chart.Table {
	for _, table := range tables {
		if strings.HasPrefix(table.Title, title) {
			return table
		}
	}
	require.Fail(t, "no table", title)
	return chart.Table{}
}

func TestTables(t *testing.T) {
	r, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}, suite.Test{Workload: "scan", Clients: []int{8}}), results(), Options{})
	require.NoError(t, err)
	tables := r.Tables()
	require.Equal(t, "FAILED", tables[0].Title, "nobody overlooks it")
	require.Equal(t, [][]string{
		{"insert, 1 client, duramen/nosync, repeat 1", "3", "it broke"},
		{"insert, 1 client, mariadb/nosync, repeat 2", "1", "it broke"},
	}, tables[0].Rows)
	require.Equal(t, [][]string{
		{"scan", "8", "-", "-", "-", "-"},
		{"insert", "1", "200 (100-300)", "100 (100-200)", "FAILED", "1,500 (1,000-2,000) [1 of 3 failed]"},
	}, table(t, tables, "Transactions per second").Rows)
	// Ratios are made within a repeat: 200/100, 300/100, 100/200.
	require.Equal(t, []string{"insert", "1", "2.00 (0.50-3.00)", "1", "FAILED", "1 [1 of 3 failed]"}, table(t, tables, "Relative").Rows[1])
	require.Equal(t, "2.00ms / 5.00ms / 9.00ms", table(t, tables, "Latency").Rows[1][2])

	costs := table(t, tables, "What a transaction costs")
	require.Equal(t, []string{"workload", "clients", "server", "server CPU, µs", "client CPU, µs", "flushes", "device bytes", "logged", "per group", "peak memory", "repeated"},
		costs.Columns, "columns that nobody knows are left out")
	require.Equal(t, []string{"insert", "1", "duramen/sync", "50", "20", "2", "4,096", "1", "4", "1 MiB", "0.10"}, costs.Rows[0])
	require.Len(t, costs.Rows, 3, "failed cells have no costs")
	require.Equal(t, 12, r.Missing())
	require.Contains(t, table(t, tables, "Transactions per second").Notes[1], "12 of 24 turns are still to be made")
}

func TestAcross(t *testing.T) {
	i := info(suite.Test{Workload: inFirst, Clients: []int{1}}, suite.Test{Workload: inSecond, Clients: []int{1}}, suite.Test{Workload: acrossTwo, Clients: []int{1}})
	for n := range i.Config.Contenders {
		i.Config.Contenders[n].Engines = []string{"InnoDB", "ROCKSDB"}
	}
	i.Config.Notes = []string{"mysql has one engine."}
	i.Servers["mariadb/sync"] = target.Facts{Engines: map[string]string{"first": "InnoDB", "second": "MyRocks"}}
	res := []suite.Result{
		// 2 and 1/2 seconds for 1000: their mean is 1.25.
		turn(inFirst, 1, "mariadb/sync", 1, 500), turn(inSecond, 1, "mariadb/sync", 1, 2000), turn(acrossTwo, 1, "mariadb/sync", 1, 400),
		turn(inFirst, 1, "mariadb/sync", 2, 500), turn(inSecond, 1, "mariadb/sync", 2, 2000), turn(acrossTwo, 1, "mariadb/sync", 2, 800),
		turn(inFirst, 1, "mariadb/sync", 3, 500), turn(acrossTwo, 1, "mariadb/sync", 3, 9000), // nothing to compare it with
		turn(acrossTwo, 1, "duramen/sync", 1, 400),
	}
	r, err := New(i, res, Options{})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"1", "mariadb/sync", "0.75 (0.50-1.00)", "1.20 (0.80-1.60)", "-", "-", "-", "4,096", "4,096", "4,096"}},
		table(t, r.Tables(), "Transactions over two engines").Rows)
	require.Contains(t, table(t, r.Tables(), "Transactions per second").Notes, "mysql has one engine.")
	require.Equal(t, []string{"mariadb/sync", "InnoDB", "ROCKSDB (MyRocks)", "-"}, table(t, r.Context(), "Engines of the tables").Rows[1])

	plain, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}), results(), Options{})
	require.NoError(t, err)
	for _, table := range append(plain.Tables(), plain.Context()...) {
		require.NotContains(t, table.Title, "ngines")
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	res := []suite.Result{turn("insert", 1, "duramen/sync", 1, 100), turn("insert", 1, "mariadb/sync", 1, 100)}
	res[1].Measured.Flushes, res[1].Measured.Groups = device.Count{}, device.Count{}
	r, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}), res, Options{})
	require.NoError(t, err)
	row := table(t, r.Tables(), "What a transaction costs").Rows[1]
	require.Equal(t, []string{"insert", "1", "mariadb/sync", "50", "20", "-", "4,096", "1", "-", "1 MiB", "0.10"}, row)
}

func TestBase(t *testing.T) {
	for _, c := range []struct {
		rule suite.Base
		base string
		want []string // of duramen/sync, mariadb/sync, duramen/nosync, mariadb/nosync
	}{
		{suite.SameProfile, "", []string{"mariadb/sync", "mariadb/sync", "mariadb/nosync", "mariadb/nosync"}},
		{suite.FirstOfAll, "", []string{"mariadb/sync", "mariadb/sync", "mariadb/sync", "mariadb/sync"}},
		{suite.SameServer, "", []string{"duramen/sync", "mariadb/sync", "duramen/sync", "mariadb/sync"}},
		{suite.SameServer, "duramen/nosync", []string{"duramen/nosync", "duramen/nosync", "duramen/nosync", "duramen/nosync"}},
	} {
		i := info(suite.Test{Workload: "insert", Clients: []int{1}})
		i.Config.Base = c.rule
		r, err := New(i, nil, Options{Base: c.base})
		require.NoError(t, err)
		var got []string
		for _, n := range r.names {
			got = append(got, r.base[n])
		}
		require.Equal(t, c.want, got, "%v %v", c.rule, c.base)
	}
	_, err := New(info(), nil, Options{Base: "x"})
	require.ErrorContains(t, err, `no "x" to compare with`)

	alone := info(suite.Test{Workload: "insert", Clients: []int{1}})
	alone.Config.Contenders = alone.Config.Contenders[:1]
	r, err := New(alone, nil, Options{})
	require.NoError(t, err)
	require.False(t, r.compares())
	require.Len(t, r.Tables(), 3, "nothing to compare with")
}

func TestContext(t *testing.T) {
	r, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}), nil, Options{})
	require.NoError(t, err)
	tables := r.Context()
	require.Equal(t, [][]string{{"log_bin", "OFF", "ON", "ON"}, {"sync_binlog", "", "default", "0"}}, table(t, tables, "Options of mariadb").Rows)
	require.Empty(t, table(t, tables, "Options of duramen").Rows)
	require.Equal(t, []string{"duramen/sync", "-", "/bin/duramen"}, table(t, tables, "Servers").Rows[0])
	require.Contains(t, table(t, tables, "Suite quick").Rows, []string{"further options of mariadb", "a=1, b=2"})
}

func TestPictures(t *testing.T) {
	r, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}, suite.Test{Workload: "scan", Clients: []int{1, 2}}), results(), Options{})
	require.NoError(t, err)
	var kinds []string
	for _, p := range r.Pictures() {
		kinds = append(kinds, fmt.Sprintf("%T", p.drawing))
	}
	line, bar := "*chart.Figure", "*chart.Bars"
	require.Equal(t, slices.Repeat([]string{line, bar, bar}, 8), kinds,
		"throughput, relative, p50, p95, p99, processor, flushes, bytes; bars for each profile")
	bars := r.Pictures()[1].drawing.(*chart.Bars)
	require.Equal(t, "Throughput, sync", bars.Title)
	require.Equal(t, []string{"insert (1)"}, bars.Groups)
	require.Empty(t, r.Pictures()[2].drawing.(*chart.Bars).Series[0].Points, "a failed cell has no bar")
	relative := r.Pictures()[4].drawing.(*chart.Bars)
	require.Len(t, relative.Series, 1, "the base itself is not shown")
	require.Equal(t, 2.0, relative.Series[0].Points[0].Value)
	require.Equal(t, []chart.Point{{Place: 0, Value: 200, Low: 100, High: 300, Annotation: "200"}}, bars.Series[0].Points)
}

func TestDocuments(t *testing.T) {
	r, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}), results(), Options{})
	require.NoError(t, err)
	var text, md, html strings.Builder
	require.NoError(t, r.Text(&text))
	require.NoError(t, r.Markdown(&md))
	require.NoError(t, r.HTML(&html))
	require.Contains(t, text.String(), "200 (100-300)")
	require.Contains(t, md.String(), "| insert | 1 | 200 (100-300) | 100 (100-200) | FAILED |")
	require.Contains(t, md.String(), "**Options of mariadb that differ from its defaults**")
	page := html.String()
	require.Contains(t, page, "4 of 12 turns failed")
	require.Contains(t, page, `<td class="bad">FAILED</td>`)
	require.Contains(t, page, "ext4 &lt;on&gt; a disk")
	require.NotContains(t, page, "<on>")
	require.Equal(t, 16, strings.Count(page, "<svg "))
	require.NotContains(t, page, "src=", "it needs nothing else")
	require.NotContains(t, page, "href=")
	require.Equal(t, strings.Count(page, "http"), strings.Count(page, `xmlns="http://www.w3.org/2000/svg"`))
}

func TestAmplification(t *testing.T) {
	i := info(suite.Test{Workload: "update-first", Clients: []int{64}}, suite.Test{Workload: "point-first", Clients: []int{64}})
	for n := range i.Config.Contenders {
		i.Config.Contenders[n].Engines = []string{"InnoDB"}
	}
	i.Servers["duramen/sync"] = target.Facts{Engines: map[string]string{load.First: "ROCKSDB"}}
	var all []suite.Result
	for round, bytes := range []uint64{188, 376, 1880} {
		res := turn("update-first", 64, "duramen/sync", round+1, 1000)
		res.Measured.DeviceBytes, res.Measured.LogBytes = count(1000*bytes), count(500_000)
		all = append(all, res, turn("point-first", 64, "duramen/sync", round+1, 1000))
	}
	r, err := New(i, all, Options{})
	require.NoError(t, err)
	_, any := r.amplification()
	require.False(t, any, "what a server puts off is not counted without a flush")
	i.Config.Flush = true
	got, any := r.amplification()
	require.True(t, any)
	require.Equal(t, [][]string{{"update-first", "64", "duramen/sync", "InnoDB (ROCKSDB)", "2.00 (1.00-10.00)", "376", "500", "2", "1"}}, got.Rows)
}

// Costs have charts, where they are known; each chart is a file.
func TestCharts(t *testing.T) {
	r, err := New(info(suite.Test{Workload: "insert", Clients: []int{1}}, suite.Test{Workload: "scan", Clients: []int{1, 2}}), results(), Options{})
	require.NoError(t, err)
	i := slices.IndexFunc(r.Pictures(), func(p picture) bool { return p.title == "Bytes to the device per transaction, sync" })
	require.Positive(t, i)
	require.Equal(t, chart.Point{Value: 4096, Annotation: "4,096"}, r.Pictures()[i].drawing.(*chart.Bars).Series[0].Points[0])
	i = slices.IndexFunc(r.Pictures(), func(p picture) bool {
		return strings.HasPrefix(p.title, "Processor time") && strings.HasSuffix(p.title, "nosync")
	})
	require.Equal(t, 50.0, r.Pictures()[i].drawing.(*chart.Bars).Series[1].Points[0].Value, "microseconds")
	require.Empty(t, r.Pictures()[i].drawing.(*chart.Bars).Series[0].Points, "a failed cell")

	files, err := r.Charts()
	require.NoError(t, err)
	require.Len(t, files, len(r.Pictures()))
	require.Contains(t, string(files["bytes-to-the-device-per-transaction-sync.svg"]), "<svg ")
	require.Contains(t, files, "throughput.svg")
}

func TestEngineRatios(t *testing.T) {
	i := info(suite.Test{Workload: "update-first", Clients: []int{8}}, suite.Test{Workload: "update-second", Clients: []int{8}}, suite.Test{Workload: "point-first", Clients: []int{8}})
	for n := range i.Config.Contenders {
		i.Config.Contenders[n].Engines = []string{"A", "B"}
	}
	var all []suite.Result
	for round, rate := range []uint64{90, 110, 300} {
		all = append(all, turn("update-first", 8, "duramen/sync", round+1, 100), turn("update-second", 8, "duramen/sync", round+1, rate))
	}
	r, err := New(i, append(all, turn("point-first", 8, "duramen/sync", 1, 10)), Options{})
	require.NoError(t, err)
	got, any := r.engineRatios()
	require.True(t, any)
	require.Equal(t, [][]string{{"8", "duramen/sync", "update-second", "1.10 (0.90-3.00)"}}, got.Rows)
	_, any = r.inverse()
	require.False(t, any, "it is for profiles of one server")
}

func TestInverse(t *testing.T) {
	i := info(suite.Test{Workload: "insert", Clients: []int{1}})
	i.Config.Base = suite.SameServer
	i.Config.Contenders = i.Config.Contenders[:3]
	r, err := New(i, []suite.Result{
		turn("insert", 1, "duramen/sync", 1, 300), turn("insert", 1, "duramen/sync", 2, 100), turn("insert", 1, "duramen/nosync", 1, 100), turn("insert", 1, "duramen/nosync", 2, 100),
		turn("insert", 1, "mariadb/sync", 1, 100),
	}, Options{})
	require.NoError(t, err)
	for _, m := range r.cell(test{"insert", 1}, "duramen/nosync").measured {
		m.Measured.DeviceBytes = count(4 * 4096 * 100)
	}
	got, any := r.inverse()
	require.True(t, any)
	require.Equal(t, [][]string{{"insert", "1", "duramen/sync", "duramen/nosync", "2.00 (1.00-3.00)", "-", "0.25 (0.25-0.25)", "1.00 (1.00-1.00)", "1.00 (1.00-1.00)"}}, got.Rows)
}
