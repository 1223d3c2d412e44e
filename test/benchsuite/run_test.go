package benchsuite

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/duramendb/duramen/bench/suite"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/test/peer"
)

// bench makes a command line of bench run, small in everything that args do not say.
func bench(t *testing.T, out string, args ...string) *exec.Cmd {
	line := []string{"bench", "run", "--out", out}
	if len(args) > 0 {
		line = append(line, "--time=1s", "--warm-up=0s", "--settle=0s", "--repeats=1", "--tables=1", "--table-size=500", "--cache=64M")
	}
	cmd := exec.Command(peer.Binary(t), append(line, args...)...)
	// What a killed one leaves in there goes with the test.
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	// Our own group: nothing that happens to this test's reaches it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// run runs the command to its end and returns what it printed and its exit code.
func run(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func results(t *testing.T, dir string) map[string]suite.Result {
	t.Helper()
	_, list, err := suite.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]suite.Result{}
	for _, r := range list {
		m[r.Turn.String()] = r
	}
	return m
}

func TestRunAndReport(t *testing.T) {
	peer.RequireMariaDB(t)
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--tests=update-nonindex,delete", "--clients=2", "--warm-up=1s", "--server=duramen", "--server=mariadb"))
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	rs := results(t, out)
	if len(rs) != 4 {
		t.Errorf("%d results:\n%s", len(rs), text)
	}
	for name, r := range rs {
		if r.Measured == nil || r.Measured.Transactions == 0 || r.Measured.Latency.P99 == 0 || !r.Measured.Commits.Known || !r.Measured.ServerCPU.Known {
			t.Errorf("%s: %+v", name, r)
		}
	}
	info, _, err := suite.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"duramen/sync", "mariadb/sync"} {
		found := false
		for _, s := range info.Servers[who].Settings {
			found = found || s.Name == "sync_binlog" && s.Value == "1"
		}
		if !found {
			t.Errorf("%s: sync_binlog is not among the options %v", who, info.Servers[who])
		}
	}
	if left, err := filepath.Glob(filepath.Join(out, "duramen-bench-data*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for _, name := range []string{"report.md", "report.html"} {
		if err := os.Remove(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	report, code := run(t, exec.Command(peer.Binary(t), "bench", "report", "--base=duramen/sync", out))
	if code != 0 || !strings.Contains(report, "Base of mariadb/sync: duramen/sync.") {
		t.Errorf("bench report: exit code %d:\n%s", code, report)
	}
	page, err := os.ReadFile(filepath.Join(out, "report.html"))
	if err != nil || !bytes.Contains(page, []byte("<svg ")) {
		t.Errorf("report.html: %v", err)
	}
}

var pidFile = regexp.MustCompile(`(?m)^pid-file = (.*)$`)

// awaitTurns waits until a running benchmark has so many results and gives the process id of its Duramen.
func awaitTurns(t *testing.T, out string, n int, ended <-chan error) int {
	t.Helper()
	peer.Await(t, 2*time.Minute, "results", func() (bool, error) {
		select {
		case err := <-ended:
			t.Fatalf("bench run has ended: %v", err)
		default:
		}
		text, err := os.ReadFile(filepath.Join(out, "results.jsonl"))
		return bytes.Count(text, []byte("\n")) >= n, err
	})
	cnf, err := os.ReadFile(filepath.Join(out, "servers", "duramen-sync", "server.cnf"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pidFile.FindStringSubmatch(string(cnf))[1])
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Ctrl-C ends everything cleanly; a kill ends everything, too, and the next run removes what it has left. Either
// way the run can be resumed with --out alone.
func TestInterrupted(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	data := filepath.Join(out, "duramen-bench-data")
	args := []string{"--tests=point-query", "--clients=1,2,3,4,5,6", "--server=duramen"}
	const all = 6 // turns: some are left after both signals
	turns := 0
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		cmd := bench(t, out, args...)
		args = nil
		var text bytes.Buffer
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		turns++
		pid := awaitTurns(t, out, turns, ended)
		if err := syscall.Kill(cmd.Process.Pid, signal); err != nil {
			t.Fatal(err)
		}
		<-ended
		peer.Await(t, time.Minute, "the end of the server", func() (bool, error) {
			return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH), nil
		})
		if signal == syscall.SIGINT {
			if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(text.String(), "interrupted; go on with: duramen bench run --out "+out) {
				t.Errorf("exit code %d:\n%s", cmd.ProcessState.ExitCode(), text.String())
			}
			if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the data of the server is still there: %v", err)
			}
		}
		turns = len(results(t, out))
	}
	if turns >= all {
		t.Fatalf("%d turns had been made before the kill, so nothing is left to resume", turns)
	}
	text, code := run(t, bench(t, out))
	if code != 0 || !strings.Contains(text, strconv.Itoa(turns)+" of 6 turns were measured before") {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	if n := len(results(t, out)); n != all {
		t.Errorf("%d results", n)
	}
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data of the server is still there: %v", err)
	}
}

func TestFailingCell(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--tests=point-query", "--clients=1,32", "--server=duramen", "--option=duramen:max-connections=10"))
	if code != 1 || !strings.Contains(text, "1 of 2") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
	rs := results(t, out)
	if r := rs["point-query, 1 client, duramen/sync, repeat 1"]; r.Measured == nil {
		t.Errorf("one client: %+v", r)
	}
	if r := rs["point-query, 32 clients, duramen/sync, repeat 1"]; r.Measured != nil || !strings.Contains(r.Failed, "Too many connections") {
		t.Errorf("many clients: %+v", r)
	}
	if !regexp.MustCompile(`(?m)^point-query +32 +FAILED$`).MatchString(text) {
		t.Errorf("the table does not say FAILED:\n%s", text)
	}
}

func TestRunningServer(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	s := peer.Start(t, peer.Options{})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE USER b@'127.0.0.1' IDENTIFIED BY 'geheim'", "GRANT ALL ON *.* TO b@'127.0.0.1'")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--tests=point-query", "--clients=1", "--server=mine=b:geheim@tcp("+s.Addr()+")/"))
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	r := results(t, out)["point-query, 1 client, mine/as-is, repeat 1"]
	if r.Measured == nil || !r.Measured.ServerCPU.Known {
		t.Errorf("%+v", r)
	}
	if rows := peer.MustRows(t, db, "SHOW DATABASES LIKE 'duramen_bench'"); len(rows) > 0 {
		t.Error("its database is still there")
	}
	if err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("geheim")) {
			t.Errorf("%s has the password", path)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if strings.Contains(text, "geheim") {
		t.Error("the password was printed")
	}
}

// A profile that the server refuses is no measurement, and says what was wrong.
func TestRefusedProfile(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--suite=protocols", "--profiles=onelog", "--tests=point-query", "--clients=1", "--option=duramen:commit-protocol=none"))
	if code != 1 || !strings.Contains(text, "duramen/onelog cannot be measured") || !strings.Contains(text, "commit-protocol") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
}

// An engine that the server does not know is no measurement either.
func TestUnknownEngine(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--tests=two-across", "--clients=1", "--tables=2", "--server=duramen", "--engines=duramen=InnoDB,NONE"))
	if code != 1 || !strings.Contains(text, "does not know the engine NONE for second tables; it has InnoDB") {
		t.Errorf("exit code %d:\n%s", code, text)
	}
}

// Transactions over MariaDB's two engines, with what the report says of them.
func TestEngines(t *testing.T) {
	peer.RequireTool(t, "sysbench")
	peer.RequireMariaDB(t)
	if engines := enginesOf(t, target.MariaDB); len(engines) < 2 {
		t.Skip("MariaDB's RocksDB is not installed (Debian package mariadb-plugin-rocksdb)")
	}
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--suite=engines", "--tests=two-in-first,two-in-second,two-across", "--clients=2", "--tables=2", "--profiles=sync", "--server=mariadb"))
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	rs := results(t, out)
	if len(rs) != 3 {
		t.Errorf("%d results", len(rs))
	}
	for name, r := range rs {
		// Those that write what is there already are not logged.
		if m := r.Measured; m == nil || !m.Commits.Known || m.Commits.N*10 < m.Transactions*9 {
			t.Errorf("%s: hardly all transactions have changed anything: %+v", name, m)
		}
	}
	if !regexp.MustCompile(`(?m)^2 +mariadb/sync +[0-9.]+ \(`).MatchString(text) {
		t.Errorf("no ratio of transactions over two engines:\n%s", text)
	}
	info, _, err := suite.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if e := info.Servers["mariadb/sync"].Engines; e["first"] != "InnoDB" || e["second"] != "ROCKSDB" {
		t.Errorf("engines %v", e)
	}
}
