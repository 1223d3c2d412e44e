//go:build unix

package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/target"
)

// fakeServer answers as a server would; this process stands for its process.
type fakeServer struct {
	world *world
	name  string
	port  int
	dir   string
}

func (s *fakeServer) Address() load.Address {
	return load.Address{Host: "127.0.0.1", Port: s.port, User: "root", Database: "d"}
}
func (s *fakeServer) Pid() int        { return os.Getpid() }
func (s *fakeServer) DataDir() string { return s.dir }
func (s *fakeServer) Stop() error     { s.world.note("stop " + s.name); return os.RemoveAll(s.dir) }
func (s *fakeServer) Restart(context.Context) error {
	s.world.note("restart " + s.name)
	if s.world.stayDead {
		return errors.New("it does not want to")
	}
	delete(s.world.dead, s.name)
	return nil
}

func (s *fakeServer) Flush(context.Context) error {
	s.world.note("flush " + s.name)
	return s.world.flushFails
}

func (s *fakeServer) Follow(_ context.Context, primary load.Address) error {
	s.world.note(fmt.Sprintf("%s follows %d", s.name, primary.Port))
	return nil
}
func (s *fakeServer) StartReplica(context.Context) error { return nil }
func (s *fakeServer) StopReplica(context.Context) error  { return nil }
func (s *fakeServer) AwaitApplied(_ context.Context, to string) error {
	s.world.note(s.name + " applies " + to)
	return s.world.applyFails[s.name]
}

// LogPosition has a transaction for each time that the primary was asked.
func (s *fakeServer) LogPosition(context.Context) (string, error) {
	s.world.logged++
	return fmt.Sprintf("0-1-%d", s.world.logged), nil
}

func (s *fakeServer) Alive(context.Context) error {
	if s.world.dead[s.name] {
		return errors.New("it is dead")
	}
	return nil
}

func (s *fakeServer) Counters(context.Context) (target.Counters, error) {
	s.world.asked++
	n := uint64(s.world.asked)
	c := target.Counters{"binlog_commits": 10 * n, "binlog_group_commits": 5 * n, "innodb_data_fsyncs": 20 * n}
	s.world.pairs.count(s.name, c)
	return c, nil
}

func (s *fakeServer) Facts(context.Context) (target.Facts, error) {
	return target.Facts{Version: "fake", Settings: []target.Setting{{Name: "o", Value: "1"}}, SettingsFrom: "nowhere"}, nil
}

func (s *fakeServer) Engines(context.Context) ([]string, error) { return s.world.engines, nil }

func (s *fakeServer) TableEngine(_ context.Context, table string) (string, error) {
	if e, ok := s.world.made[table]; ok {
		return e, nil
	}
	return "", errors.New("there is no table " + table)
}

// world is what fake servers and the fake sysbench know of each other.
type world struct {
	t        *testing.T
	dir      string
	sysbench string
	events   []string
	ports    map[string]int
	dead     map[string]bool // servers
	stayDead bool
	refuse   map[string]bool // servers that do not start
	asked    int
	engines  []string          // that servers know
	made     map[string]string // table -> engine
	progress bytes.Buffer

	flushFails error

	applyFails map[string]error // by server
	logged     int

	pairs pairWorld
}

func (w *world) note(what string) { w.events = append(w.events, what) }

// newWorld makes a sysbench that writes its calls to calls, and fails where
// there is a file fail-PORT-WORKLOAD.
func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(), ports: map[string]int{"duramen/sync": 1, "mariadb/sync": 2}, dead: map[string]bool{}, refuse: map[string]bool{}}
	w.sysbench = filepath.Join(w.dir, "sysbench")
	script := `#!/bin/sh
dir='` + w.dir + `'
for a in "$@"; do
	case "$a" in
	--version) echo sysbench 1.0.20; exit;;
	--mysql-port=*) port=${a#*=};;
	--workload=*) workload=${a#*=};;
	--threads=*) threads=${a#*=};;
	--events=0) ;;
	--events=*) events=" ${a#*=} transactions";;
	--sets=sbtest) ;;
	--sets=*) sets=" ${a#*=}";;
	esac
	verb=$a
done
echo "$verb $workload $threads $port$sets$events" >>"$dir/calls"
[ -e "$dir/fail-$verb-$port-$workload" ] && { echo "FATAL: as asked"; exit 1; }
[ $verb = run ] || exit 0
cat <<END
Threads started!
Latency histogram (values are in milliseconds)
       2.000 |****  95
       9.000 |      5
@duramen events=$((100 * port * threads)) errors=1 reconnects=0 seconds=1.000000 min=0.001 avg=0.002 max=0.009
END
`
	require.NoError(t, os.WriteFile(w.sysbench, []byte(script), 0o755))
	return w
}

func (w *world) options(tests ...Test) Options {
	cfg := New(Suites[0])
	require.NoError(w.t, cfg.SetContenders(specs(), []string{"sync"}))
	cfg.Tests, cfg.Repeats, cfg.WarmUp, cfg.Time, cfg.Settle = tests, 2, 0, time.Second, 0
	now := time.Unix(1000, 0)
	return Options{
		Config: cfg, Out: filepath.Join(w.dir, "out"), Sysbench: w.sysbench, Progress: &w.progress,
		startForTesting: w.start,
		nowForTesting:   func() time.Time { now = now.Add(time.Second); return now },
	}
}

func (w *world) start(_ context.Context, c target.Contender, o target.Options) (server, error) {
	w.note("start " + c.String())
	if w.refuse[c.String()] {
		return nil, errors.New("it does not start")
	}
	require.NoError(w.t, os.MkdirAll(o.DataDir, 0o700))
	return &fakeServer{world: w, name: c.String(), port: w.ports[c.String()], dir: o.DataDir}, nil
}

func (w *world) fail(verb, workload string, port int) string {
	path := filepath.Join(w.dir, fmt.Sprintf("fail-%s-%d-%s", verb, port, workload))
	require.NoError(w.t, os.WriteFile(path, nil, 0o644))
	return path
}

func (w *world) calls() []string {
	text, err := os.ReadFile(filepath.Join(w.dir, "calls"))
	require.NoError(w.t, err)
	require.NoError(w.t, os.Remove(filepath.Join(w.dir, "calls")))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (w *world) results() map[string]Result {
	_, results, err := Load(filepath.Join(w.dir, "out"))
	require.NoError(w.t, err)
	byTurn := map[string]Result{}
	for _, r := range results {
		byTurn[r.Turn.String()] = r
	}
	return byTurn
}

func TestRun(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, Run(t.Context(), w.options(Test{"scan", []int{1, 4}}, Test{"delete", []int{1}})))
	require.Equal(t, []string{
		"prepare delete 4 1", "prepare delete 4 2",
		"run scan 1 1", "run scan 1 2", "run scan 1 1", "run scan 1 2",
		"run scan 4 1", "run scan 4 2", "run scan 4 1", "run scan 4 2",
		"run delete 1 1", "restore delete 4 1", "run delete 1 2", "restore delete 4 2",
		"run delete 1 1", "restore delete 4 1", "run delete 1 2", "restore delete 4 2",
	}, w.calls())
	require.Equal(t, []string{"start duramen/sync", "start mariadb/sync", "stop duramen/sync", "stop mariadb/sync"}, w.events)
	require.NoDirExists(t, filepath.Join(w.dir, "out", dataRootName), "the data of the servers is removed")

	results := w.results()
	require.Len(t, results, 12)
	m := results["scan, 4 clients, mariadb/sync, repeat 2"].Measured
	require.EqualValues(t, 800, m.Transactions)
	require.EqualValues(t, 1, m.Errors)
	require.Equal(t, 800.0, m.PerSecond())
	require.Equal(t, 2*time.Millisecond, m.Latency.P95)
	require.Equal(t, 9*time.Millisecond, m.Latency.P99)
	require.Equal(t, device.Count{N: 10, Known: true}, m.Commits)
	require.Equal(t, device.Count{N: 5, Known: true}, m.Groups)
	require.Equal(t, device.Count{N: 20, Known: true}, m.ServerSyncs)

	info, _, err := Load(filepath.Join(w.dir, "out"))
	require.NoError(t, err)
	require.Equal(t, "fake", info.Servers["mariadb/sync"].Version)
	require.Equal(t, "sysbench 1.0.20", info.Sysbench)
	require.Contains(t, w.progress.String(), "[12/12] delete, 1 client, mariadb/sync, repeat 2: 200/s, p99 9.00ms; 0s left\n")
	require.Contains(t, w.progress.String(), "[4/12] scan, 1 client, mariadb/sync, repeat 2: 200/s, p99 9.00ms; 8s left\n")
}

func TestFailedTurnIsNoNumber(t *testing.T) {
	w := newWorld(t)
	reason := w.fail("run", "scan", 2)
	o := w.options(Test{"scan", []int{1}}, Test{"range", []int{1}})
	err := Run(t.Context(), o)
	require.ErrorIs(t, err, ErrFailedTurns)
	require.ErrorContains(t, err, "2 of 8")
	results := w.results()
	r := results["scan, 1 client, mariadb/sync, repeat 1"]
	require.Nil(t, r.Measured)
	require.Equal(t, "sysbench: FATAL: as asked", r.Failed)
	require.NotNil(t, results["range, 1 client, mariadb/sync, repeat 1"].Measured, "others are measured")
	require.Contains(t, w.progress.String(), "[2/8] scan, 1 client, mariadb/sync, repeat 1: FAILED: sysbench: FATAL: as asked; 6s left\n")

	// What has failed is tried again, and nothing else.
	w.calls()
	require.NoError(t, os.Remove(reason))
	require.NoError(t, Run(t.Context(), o))
	require.Equal(t, []string{"prepare delete 4 2", "run scan 1 2", "run scan 1 2"}, w.calls())
	require.NotNil(t, w.results()["scan, 1 client, mariadb/sync, repeat 1"].Measured)
}

func TestServerThatDoesNotStart(t *testing.T) {
	w := newWorld(t)
	w.refuse["mariadb/sync"] = true
	require.ErrorIs(t, Run(t.Context(), w.options(Test{"scan", []int{1}})), ErrFailedTurns)
	results := w.results()
	require.Len(t, results, 4)
	require.Equal(t, "it does not start", results["scan, 1 client, mariadb/sync, repeat 2"].Failed)
	require.NotNil(t, results["scan, 1 client, duramen/sync, repeat 2"].Measured)

	w.refuse["duramen/sync"] = true
	o := w.options(Test{"scan", []int{1}})
	o.Out = filepath.Join(w.dir, "other")
	err := Run(t.Context(), o)
	require.ErrorContains(t, err, "no server can be measured")
	require.NotErrorIs(t, err, ErrFailedTurns)
}

func TestTablesThatCannotBeLoadedOrRestored(t *testing.T) {
	w := newWorld(t)
	w.fail("restore", "delete", 1)
	w.fail("prepare", "delete", 2)
	require.ErrorIs(t, Run(t.Context(), w.options(Test{"delete", []int{1}})), ErrFailedTurns)
	results := w.results()
	require.NotNil(t, results["delete, 1 client, duramen/sync, repeat 1"].Measured, "its tables were in order")
	require.Contains(t, results["delete, 1 client, duramen/sync, repeat 2"].Failed, "after delete, 1 client, duramen/sync, repeat 1: sysbench restore")
	require.Contains(t, results["delete, 1 client, mariadb/sync, repeat 1"].Failed, "sysbench prepare")
}

func TestServerThatDies(t *testing.T) {
	for _, stayDead := range []bool{false, true} {
		t.Run(fmt.Sprint(stayDead), func(t *testing.T) {
			w := newWorld(t)
			w.stayDead = stayDead
			o := w.options(Test{"scan", []int{1}})
			o.Repeats = 3
			turns := 0
			o.startForTesting = func(ctx context.Context, c target.Contender, to target.Options) (server, error) {
				s, err := w.start(ctx, c, to)
				return &mortal{s.(*fakeServer), func() {
					if turns++; c.Name == "mariadb" && turns == 3 {
						w.dead[c.String()] = true // in its first turn: the others have asked twice by then
					}
				}}, err
			}
			require.ErrorIs(t, Run(t.Context(), o), ErrFailedTurns)
			results := w.results()
			require.Equal(t, "it is dead", results["scan, 1 client, mariadb/sync, repeat 1"].Failed, "though sysbench has a number")
			second := results["scan, 1 client, mariadb/sync, repeat 2"]
			if stayDead {
				require.Contains(t, second.Failed, "it could not be started again")
				require.NotEmpty(t, results["scan, 1 client, mariadb/sync, repeat 3"].Failed)
			} else {
				require.NotNil(t, second.Measured)
			}
			require.Contains(t, w.events, "restart mariadb/sync")
		})
	}
}

// mortal calls back whenever counters are read.
type mortal struct {
	*fakeServer
	asked func()
}

func (m *mortal) Counters(ctx context.Context) (target.Counters, error) {
	m.asked()
	return m.fakeServer.Counters(ctx)
}

func TestResume(t *testing.T) {
	w := newWorld(t)
	o := w.options(Test{"scan", []int{1, 2}})
	ctx, cancel := context.WithCancel(t.Context())
	o.startForTesting = func(ctx context.Context, c target.Contender, to target.Options) (server, error) {
		s, err := w.start(ctx, c, to)
		return &mortal{s.(*fakeServer), func() {
			if w.asked == 5 { // the third turn has begun
				cancel()
			}
		}}, err
	}
	require.ErrorIs(t, Run(ctx, o), context.Canceled)
	require.Len(t, w.results(), 2, "what was interrupted is not a result")
	require.Equal(t, []string{"stop duramen/sync", "stop mariadb/sync"}, w.events[2:])
	require.NoDirExists(t, filepath.Join(w.dir, "out", dataRootName))
	before := w.results()
	w.calls()

	// A kill may leave half a line, and data of servers.
	path := filepath.Join(w.dir, "out", resultsFile)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"workload":"scan","clie`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	leftover := filepath.Join(w.dir, "out", dataRootName, "duramen-sync")
	require.NoError(t, os.MkdirAll(leftover, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(leftover, "f"), nil, 0o600))

	w.asked = 100
	w.progress.Reset()
	require.NoError(t, Run(t.Context(), o))
	require.Equal(t, []string{
		"prepare delete 4 1", "prepare delete 4 2", "run scan 1 1", "run scan 1 2", "run scan 2 1", "run scan 2 2", "run scan 2 1", "run scan 2 2",
	}, w.calls())
	require.Contains(t, w.progress.String(), "2 of 8 turns were measured before\n")
	require.Contains(t, w.progress.String(), "[3/8] scan, 1 client, duramen/sync, repeat 2: ")
	after := w.results()
	require.Len(t, after, 8)
	for name, r := range before {
		require.Equal(t, r, after[name])
	}

	// Nothing is left to do: no server is started.
	w.events = nil
	require.NoError(t, Run(t.Context(), o))
	require.Empty(t, w.events)
}

func TestOtherConfigurationIsRefused(t *testing.T) {
	w := newWorld(t)
	o := w.options(Test{"scan", []int{1}})
	require.NoError(t, Run(t.Context(), o))
	o.TableSize++
	err := Run(t.Context(), o)
	require.ErrorIs(t, err, ErrOtherRun)
	require.ErrorContains(t, err, "table_size was 10000, is 10001")
}

func TestTwoRunsInOneDirectory(t *testing.T) {
	w := newWorld(t)
	o := w.options(Test{"scan", []int{1}})
	o.startForTesting = func(ctx context.Context, c target.Contender, to target.Options) (server, error) {
		second := o
		require.ErrorContains(t, Run(ctx, second), "another run writes to")
		second.Out, second.Data = filepath.Join(w.dir, "elsewhere"), o.Out
		require.ErrorContains(t, Run(ctx, second), "another run uses")
		return w.start(ctx, c, to)
	}
	require.NoError(t, Run(t.Context(), o))
}

func TestNoSysbench(t *testing.T) {
	w := newWorld(t)
	o := w.options(Test{"scan", []int{1}})
	o.Sysbench = filepath.Join(w.dir, "none")
	require.ErrorIs(t, Run(t.Context(), o), load.ErrNoSysbench)
	require.Empty(t, w.events)
}

func TestLoadRefusesNonsense(t *testing.T) {
	for _, c := range []struct{ name, line, fails string }{
		{"not JSON", "x", "line 1"},
		{"neither measured nor failed", `{"workload":"scan"}`, "neither a measurement nor a failure"},
		{"both", `{"workload":"scan","failed":"x","measured":{}}`, "neither a measurement nor a failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, infoFile), []byte("{}"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, resultsFile), []byte(c.line+"\n"), 0o644))
			_, _, err := Load(dir)
			require.ErrorContains(t, err, c.fails)
		})
	}
	_, _, err := Load(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSettleEnds(t *testing.T) {
	for _, atMost := range []time.Duration{0, settleTick} {
		r := &runner{o: Options{Config: Config{Settle: atMost}}, meter: device.NewMeter(t.TempDir())}
		r.settle(t.Context())
	}
}

func TestRunOverEngines(t *testing.T) {
	for _, c := range []struct {
		name    string
		engines []string
		made    map[string]string
		fails   string
	}{
		{"both", []string{"InnoDB", "Aria", "ROCKSDB"}, map[string]string{"first1": "InnoDB", "second1": "ROCKSDB"}, ""},
		{"names in another case", []string{"innodb", "rocksdb"}, map[string]string{"first1": "innodb", "second1": "rocksdb"}, ""},
		{"unknown engine", []string{"InnoDB", "Aria"}, nil, "does not know the engine ROCKSDB for second tables; it has InnoDB, Aria"},
		{"one instead of the other", []string{"InnoDB", "ROCKSDB"}, map[string]string{"first1": "InnoDB", "second1": "InnoDB"},
			"first tables (ENGINE=InnoDB) and second tables (ENGINE=ROCKSDB) are both in InnoDB"},
		{"no table", []string{"InnoDB", "ROCKSDB"}, nil, "there is no table first1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.engines, w.made = c.engines, c.made
			o := w.options(Test{"two-across", []int{1}}, Test{"point-first", []int{1}})
			o.Repeats = 1
			o.Contenders = o.Contenders[1:]
			o.Contenders[0].Engines = []string{"InnoDB", "ROCKSDB"}
			err := Run(t.Context(), o)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{"prepare delete 4 2 first:InnoDB,second:ROCKSDB", "run two-across 1 2", "run point-first 1 2"}, w.calls())
			info, _, err := Load(o.Out)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"first": c.made["first1"], "second": c.made["second1"]}, info.Servers["mariadb/sync"].Engines)
		})
	}
}

// A turn of a number of transactions begins with a server that has written everything, and what it wrote last is part of it.
func TestFlush(t *testing.T) {
	w := newWorld(t)
	o := w.options(Test{"update-nonindex", []int{4}})
	o.Events, o.Flush, o.Repeats = 7000, true, 1
	asked := map[string]int{}
	o.startForTesting = func(ctx context.Context, c target.Contender, to target.Options) (server, error) {
		s, err := w.start(ctx, c, to)
		return &mortal{s.(*fakeServer), func() { asked[c.String()]++; w.note("ask " + c.String()) }}, err
	}
	require.NoError(t, Run(t.Context(), o))
	require.Equal(t, []string{
		"start duramen/sync", "flush duramen/sync", "start mariadb/sync", "flush mariadb/sync",
		"flush duramen/sync", "ask duramen/sync", "flush duramen/sync", "ask duramen/sync",
		"flush mariadb/sync", "ask mariadb/sync", "flush mariadb/sync", "ask mariadb/sync",
		"stop duramen/sync", "stop mariadb/sync",
	}, w.events)
	require.Contains(t, w.calls(), "run update-nonindex 4 2 7000 transactions")

	w.flushFails = errors.New("it is stuck")
	o.Out = filepath.Join(w.dir, "other")
	require.ErrorContains(t, Run(t.Context(), o), "it is stuck")
}
