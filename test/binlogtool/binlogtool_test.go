package binlogtool

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

func TestToolReadsAndReplays(t *testing.T) {
	peer.RequireMariaDB(t)
	peer.RequireTool(t, "sysbench")
	s := peer.Start(t, peer.Options{Binlog: true})
	db := s.DB("")
	defer db.Close()

	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range peer.Definitions {
		if _, err := conn.ExecContext(context.Background(), q); err != nil {
			t.Errorf("%s\n: %v", q, err)
		}
	}
	_ = conn.Close()
	peer.Exec(t, db, "FLUSH BINARY LOGS", "CREATE DATABASE sbtest")
	b := peer.Sysbench{Script: "oltp_write_only", Tables: 2, TableSize: 500, Threads: 4, Events: peer.Scaled(500, 20000)}
	b.Must(t, s, "prepare")
	peer.Exec(t, db, "FLUSH BINARY LOGS")
	b.Must(t, s, "run")

	var files []string
	for _, row := range peer.MustRows(t, db, "SHOW BINARY LOGS") {
		var name, size string
		if _, err := fmt.Sscanf(row, "%q %q", &name, &size); err != nil {
			t.Fatalf("SHOW BINARY LOGS: %s: %v", row, err)
		}
		files = append(files, name)
	}
	if len(files) < 3 {
		t.Fatalf("two FLUSH BINARY LOGS left only %v", files)
	}
	live := len(files) - 1
	rowLines := 0
	for i, name := range files {
		local, complaints := tool(t, "-vv", "--verify-binlog-checksum", filepath.Join(s.Dir, name))
		// The live file is preallocated: the tool stops at the first zero and
		// says so, as it does for any log that is still being written.
		if i != live && complaints != "" {
			t.Errorf("%s: mariadb-binlog complains: %s", name, complaints)
		}
		remote, complaints := tool(t, "-vv", "--read-from-remote-server", "--host=127.0.0.1",
			"--port="+strconv.Itoa(s.Port), "--user=root", name)
		if complaints != "" {
			t.Errorf("%s from the server: mariadb-binlog complains: %s", name, complaints)
		}
		a, b := essence(local), essence(remote)
		if a != b {
			t.Errorf("%s: %d lines from the file and %d from the server differ:\n%s", name, strings.Count(a, "\n"), strings.Count(b, "\n"), firstDifference(a, b))
		}
		rowLines += strings.Count(a, "###")
	}
	if rowLines < 10000 {
		t.Errorf("only %d lines describe rows", rowLines)
	}

	for _, from := range []string{"files", "server"} {
		t.Run("replay from "+from, func(t *testing.T) {
			target := peer.StartMariaDB(t, peer.Options{ServerID: 9})
			var args []string
			if from == "files" {
				for _, name := range files {
					args = append(args, filepath.Join(s.Dir, name))
				}
			} else {
				args = append([]string{"--read-from-remote-server", "--host=127.0.0.1", "--port=" + strconv.Itoa(s.Port), "--user=root"}, files...)
			}
			script, _ := tool(t, args...)
			replay(t, target, script)
			tdb := target.DB("")
			defer tdb.Close()
			peer.RequireEqualContent(t, db, tdb)
		})
	}
}

// replay gives a script of mariadb-binlog to a server.
func replay(t *testing.T, target *peer.Server, script string) {
	t.Helper()
	client := exec.Command("mariadb", "--no-defaults", "--socket="+target.Socket, "--user=root")
	client.Stdin = strings.NewReader(script)
	if out, err := client.CombinedOutput(); err != nil {
		t.Fatalf("replaying: %v\n%s", err, out)
	}
}

// tool runs mariadb-binlog and returns what it printed; a failure ends the test.
func tool(t *testing.T, args ...string) (out, complaints string) {
	t.Helper()
	cmd := exec.Command("mariadb-binlog", append([]string{"--no-defaults"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("mariadb-binlog %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// essence keeps the lines that say what a log does: transactions and rows.
func essence(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if i := strings.Index(line, "GTID "); i >= 0 && strings.HasPrefix(line, "#") {
			b.WriteString(line[i:])
		} else if strings.HasPrefix(line, "###") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i, x[i], y[i])
		}
	}
	return "one is the beginning of the other"
}
