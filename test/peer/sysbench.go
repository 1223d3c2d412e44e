package peer

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Sysbench describes one use of a bundled sysbench script.
type Sysbench struct {
	Script    string // such as "oltp_read_write"
	Database  string // default "sbtest"; has to exist
	Tables    int
	TableSize int
	Threads   int
	Time      time.Duration // of "run"; unlimited if 0 and Events is 0
	Events    int           // of "run"; unlimited if 0
	PSMode    string        // "auto" or "disable"
	// Ignore lists the error numbers after which sysbench retries. By default
	// that is a deadlock, and nothing else.
	Ignore string
	Args   []string
}

// Scripts are the scripts that sysbench 1.0.20 brings along.
var Scripts = []string{
	"oltp_delete", "oltp_insert", "oltp_point_select", "oltp_read_only", "oltp_read_write",
	"oltp_update_index", "oltp_update_non_index", "oltp_write_only",
	"bulk_insert", "select_random_points", "select_random_ranges",
}

// Command makes the command line for the verb prepare, run or cleanup.
func (b Sysbench) Command(s *Server, verb string) []string {
	or := func(v, d string) string {
		if v == "" {
			return d
		}
		return v
	}
	line := []string{
		"sysbench", b.Script, "--db-driver=mysql", "--mysql-host=127.0.0.1",
		"--mysql-port=" + strconv.Itoa(s.Port), "--mysql-user=root",
		"--mysql-db=" + or(b.Database, "sbtest"), "--mysql-ignore-errors=" + or(b.Ignore, "1213"),
		"--threads=" + strconv.Itoa(max(b.Threads, 1)), "--db-ps-mode=" + or(b.PSMode, "auto"),
	}
	if b.Script != "bulk_insert" {
		line = append(line, "--tables="+strconv.Itoa(b.Tables), "--table-size="+strconv.Itoa(b.TableSize))
	}
	if verb == "run" {
		line = append(line, fmt.Sprintf("--time=%d", int(b.Time.Seconds())), fmt.Sprintf("--events=%d", b.Events))
	}
	return append(append(line, b.Args...), verb)
}

// Result of a sysbench run.
type Result struct {
	Transactions int
	PerSecond    float64
	Ignored      int // retried errors
	Reconnects   int
	Output       string
}

var (
	reTransactions = regexp.MustCompile(`transactions:\s+(\d+)\s+\(([0-9.]+) per sec`)
	reIgnored      = regexp.MustCompile(`ignored errors:\s+(\d+)`)
	reReconnects   = regexp.MustCompile(`reconnects:\s+(\d+)`)
	// Custom scripts have events only.
	reEvents = regexp.MustCompile(`total number of events:\s+(\d+)`)
)

// Do runs the verb and returns an error with sysbench's output if it failed or
// printed FATAL.
func (b Sysbench) Do(ctx context.Context, s *Server, verb string) (Result, error) {
	line := b.Command(s, verb)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	out, err := cmd.CombinedOutput()
	r := Result{Output: string(out)}
	if err == nil && strings.Contains(r.Output, "FATAL") {
		err = fmt.Errorf("sysbench printed FATAL")
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w\n%s", strings.Join(line, " "), err, r.Output)
	}
	number := func(re *regexp.Regexp) int {
		if m := re.FindStringSubmatch(r.Output); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return 0
	}
	r.Transactions, r.Ignored, r.Reconnects = number(reTransactions), number(reIgnored), number(reReconnects)
	if m := reTransactions.FindStringSubmatch(r.Output); m != nil {
		r.PerSecond, _ = strconv.ParseFloat(m[2], 64)
	}
	if r.Transactions == 0 {
		r.Transactions = number(reEvents)
	}
	return r, nil
}

// Must is Do for a test.
func (b Sysbench) Must(t testing.TB, s *Server, verb string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	r, err := b.Do(ctx, s, verb)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
