package syncs

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

const commits = 200

// syncing calls make data durable; sizing calls can change the size of a file.
var (
	syncing = map[string]bool{"fsync": true, "fdatasync": true, "sync_file_range": true, "syncfs": true, "sync": true, "msync": true}
	sizing  = map[string]bool{"ftruncate": true, "truncate": true, "fallocate": true}
)

func TestOneSyncPerCommit(t *testing.T) {
	peer.RequireTool(t, "strace")
	for _, method := range []string{"fdatasync", "direct"} {
		t.Run(method, func(t *testing.T) { oneSyncPerCommit(t, method) })
	}
}

func oneSyncPerCommit(t *testing.T, method string) {
	s := peer.Start(t, peer.Options{Args: []string{"--binlog-sync-method=" + method}})
	db := s.DB("", "interpolateParams=true")
	defer db.Close()
	db.SetMaxOpenConns(1)
	peer.Exec(t, db, "CREATE DATABASE syncs", "CREATE TABLE syncs.t (id INT PRIMARY KEY, k INT NOT NULL, KEY k (k))", "INSERT INTO syncs.t VALUES (1,0),(2,0)")
	// Warm up: the first writes may open files.
	for range 20 {
		peer.Exec(t, db, "UPDATE syncs.t SET k=k+1 WHERE id=1")
	}

	// The server prepares its next segment in the background; let it finish.
	for last, same := sizes(s.Dir), 0; same < 10; {
		<-time.After(100 * time.Millisecond)
		if now := sizes(s.Dir); maps.Equal(last, now) {
			same++
		} else {
			last, same = now, 0
		}
	}

	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", "-f", "-y", "-o", trace, "-e",
		"trace=fsync,fdatasync,sync_file_range,syncfs,sync,msync,ftruncate,truncate,fallocate,pwrite64,pwritev,pwritev2,write,writev",
		"-p", strconv.Itoa(s.Pid()))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	attached := bufio.NewReader(stderr)
	if line, err := attached.ReadString('\n'); err != nil || !strings.Contains(line, "attached") {
		_ = cmd.Wait()
		if os.Getenv("DURAMEN_REQUIRE_PEERS") == "1" {
			t.Fatalf("strace cannot attach here: %s %v", line, err)
		}
		t.Skipf("strace may not attach to processes here: %s %v", line, err)
	}
	before := sizes(s.Dir)
	for range commits / 2 {
		peer.Exec(t, db, "UPDATE syncs.t SET k=k+1 WHERE id=1")
		peer.Exec(t, db, "BEGIN", "UPDATE syncs.t SET k=k+1 WHERE id=1", "UPDATE syncs.t SET k=k+1 WHERE id=2", "COMMIT")
	}
	after := sizes(s.Dir)
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()

	calls := parse(t, trace, s.Dir, synchronousFiles(t, s.Pid()))
	perFile, total := map[string]int{}, 0
	for _, c := range calls {
		if syncing[c.name] || c.synchronous {
			perFile[c.file]++
			total++
		}
	}
	if len(perFile) != 1 {
		t.Fatalf("%d commits synced these files: %v", commits, perFile)
	}
	for file, n := range perFile {
		if n != commits {
			t.Errorf("%d commits made %d syncs of %s:\n%s", commits, n, file, between(calls))
		}
		if !strings.Contains(filepath.Base(file), "binlog.") {
			t.Errorf("the synced file is %s, not a segment of the log", file)
		}
		if before[file] != after[file] || before[file] == 0 {
			t.Errorf("%s: size %d before and %d after", file, before[file], after[file])
		}
		for _, c := range calls {
			if sizing[c.name] && c.file == file {
				t.Errorf("a call changed the size of the log: %s", c.line)
			}
		}
		t.Logf("%d commits: %d syncs, all of %s, which kept its %d bytes", commits, n, filepath.Base(file), after[file])
	}
}

// between are the calls from where a sync follows another without a write of the log in between, for the report.
func between(calls []call) string {
	var b strings.Builder
	for i := 1; i < len(calls); i++ {
		if syncing[calls[i].name] && syncing[calls[i-1].name] {
			for _, c := range calls[max(0, i-4):min(len(calls), i+4)] {
				fmt.Fprintln(&b, c.line)
			}
		}
	}
	return b.String()
}

// sizes of all files below dir.
func sizes(dir string) map[string]int64 {
	m := map[string]int64{}
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				m[path] = info.Size()
			}
		}
		return nil
	})
	return m
}

type call struct {
	name, file, line string
	synchronous      bool // a write that is durable when it returns
}

var reCall = regexp.MustCompile(`^\d+\s+(\w+)\((?:AT_FDCWD<[^>]*>, )?(?:(\d+)<([^>]*)>)?`)

// synchronousFiles are the file descriptors of a process whose writes are durable when they return.
func synchronousFiles(t *testing.T, pid int) map[string]bool {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fdinfo", pid)
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	fds := map[string]bool{}
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue // closed meanwhile
		}
		for line := range strings.Lines(string(b)) {
			if text, ok := strings.CutPrefix(line, "flags:"); ok {
				flags, err := strconv.ParseUint(strings.TrimSpace(text), 8, 64)
				fds[e.Name()] = err == nil && flags&syscall.O_DSYNC != 0
			}
		}
	}
	return fds
}

// parse reads strace's output; only calls on files below dir count. Writes to the file descriptors
// dsync are synchronous.
func parse(t *testing.T, trace, dir string, dsync map[string]bool) []call {
	t.Helper()
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	for line := range strings.Lines(string(b)) {
		m := reCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		c := call{name: m[1], file: m[3], line: strings.TrimSpace(line)}
		if (syncing[c.name] && c.name != "sync" && !strings.HasPrefix(c.file, dir)) || (!syncing[c.name] && !strings.HasPrefix(c.file, dir)) {
			continue
		}
		if strings.HasPrefix(c.name, "pwrite") || strings.HasPrefix(c.name, "write") {
			c.synchronous = strings.Contains(line, "RWF_DSYNC") || strings.Contains(line, "RWF_SYNC") || dsync[m[2]]
		}
		calls = append(calls, c)
	}
	return calls
}

// TestCommitsShareSyncs lets 16 clients commit and shows that there are fewer
// syncs than commits; how many fewer is not asserted.
func TestCommitsShareSyncs(t *testing.T) {
	peer.RequireTool(t, "strace")
	trace := filepath.Join(t.TempDir(), "trace")
	s := peer.Start(t, peer.Options{
		Wrap: []string{"strace", "-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync"}, Args: []string{"--binlog-sync-method=fdatasync"},
	})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE syncs", "CREATE TABLE syncs.t (id INT PRIMARY KEY, k INT NOT NULL)")
	const clients, each = 16, 25
	for i := range clients {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO syncs.t VALUES (%d,0)", i))
	}
	begin := len(parse(t, trace, s.Dir, nil))
	done := make(chan error, clients)
	for i := range clients {
		go func() {
			for range each {
				if _, err := db.Exec(fmt.Sprintf("UPDATE syncs.t SET k=k+1 WHERE id=%d", i)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("the clients hang")
		}
	}
	n := len(parse(t, trace, s.Dir, nil)) - begin
	if n >= clients*each {
		t.Errorf("%d commits of %d clients made %d syncs: they do not share", clients*each, clients, n)
	}
	t.Logf("%d commits of %d clients: %d syncs", clients*each, clients, n)
}
