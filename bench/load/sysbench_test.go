//go:build unix

package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fake writes a program that behaves as the shell script says, and answers --version.
func fake(t *testing.T, version, script string) string {
	path := filepath.Join(t.TempDir(), "sysbench")
	text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '" + version + "'; exit; fi\n" + script
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	return path
}

func newFake(t *testing.T, script string) *Sysbench {
	s, err := New(t.Context(), fake(t, "sysbench 1.0.20", script), t.TempDir())
	require.NoError(t, err)
	return s
}

func options() Options {
	return Options{
		Address:  Address{Host: "127.0.0.1", Port: 1, User: "root", Database: "d"},
		Workload: "insert", Tables: 1, TableSize: 10, Clients: 1, Time: time.Second, Prepared: true, Seed: 1,
	}
}

func TestFindsSysbench(t *testing.T) {
	for _, c := range []struct{ name, path, fails string }{
		{"installed", fake(t, "sysbench 1.0.20", ""), ""},
		{"missing", filepath.Join(t.TempDir(), "sysbench"), "apt-get install sysbench"},
		{"another version", fake(t, "sysbench 0.5", ""), `says it is "sysbench 0.5"`},
		{"broken", fake(t, "", "exit 3"), "apt-get install sysbench"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := New(t.Context(), c.path, dir)
			if c.fails != "" {
				require.ErrorIs(t, err, ErrNoSysbench)
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "sysbench 1.0.20", s.Version)
			require.FileExists(t, s.Script)
		})
	}
}

const good = `cat <<'END'
` + started + histogram + report + `END
`

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, script string
		warmUp       time.Duration
		fails        string
	}{
		{"good", good, 0, ""},
		{"good, with warm-up", strings.Replace(good, histogram, report+histogram, 1), time.Second, ""},
		{"exit code, in spite of a report", good + "exit 1\n", 0, "exit status 1"},
		{"killed", good + "kill -9 $$\n", 0, "signal: killed"},
		{"says why", "echo FATAL: no server >&2; exit 1\n", 0, "no server"},
		{"FATAL and exit code 0", "echo FATAL: no server\n" + good, 0, "no server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options()
			o.WarmUp = c.warmUp
			var order []string
			r, err := newFake(t, c.script).Run(t.Context(), o,
				func(pid int) { require.Positive(t, pid); order = append(order, "began") }, func() { order = append(order, "ended") })
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				require.Zero(t, r)
				return
			}
			require.NoError(t, err)
			require.EqualValues(t, 10, r.Events)
			require.Equal(t, []string{"began", "ended"}, order)
		})
	}
}

func TestInterruptedRunLeavesNothing(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	// The grandchild holds the pipe open: only killing the whole group ends it.
	s := newFake(t, "sleep 1000 & echo $! >"+pidFile+"\necho 'Threads started!'\nwait\n")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Run(ctx, options(), func(int) { cancel() }, func() {})
	require.ErrorIs(t, err, context.Canceled)
	pid, err := os.ReadFile(pidFile)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "stat"))
		return err != nil || strings.Contains(string(stat), ") Z ") // gone, or waiting for init to notice
	}, time.Minute, 10*time.Millisecond)
}

func TestCommand(t *testing.T) {
	s := newFake(t, "")
	o := options()
	o.Address.Password, o.Prepared = "geheim", false
	cmd, err := s.command(o, "run")
	require.NoError(t, err)
	line := strings.Join(cmd.Args, " ")
	require.NotContains(t, line, "geheim")
	require.Contains(t, line, "--config-file="+s.ConfigFile)
	require.Contains(t, line, "--db-ps-mode=disable")
	require.Contains(t, line, "--mysql-port=1")
	fi, err := os.Stat(s.ConfigFile)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode())

	o.Address.Socket = "/s"
	cmd, err = s.command(o, "run")
	require.NoError(t, err)
	require.Contains(t, cmd.Args, "--mysql-socket=/s")
	require.NotContains(t, strings.Join(cmd.Args, " "), "--mysql-port")
}

func TestPrepareNamesSets(t *testing.T) {
	o := options()
	for _, c := range []struct {
		sets []Set
		want string
	}{
		{nil, "--sets=sbtest"},
		{[]Set{{Prefix: Plain}, {Prefix: First, Engine: "InnoDB"}, {Prefix: Second, Engine: "BTREE"}}, "--sets=sbtest,first:InnoDB,second:BTREE"},
	} {
		o.Sets = c.sets
		file := filepath.Join(t.TempDir(), "line")
		require.NoError(t, newFake(t, `echo "$@" >`+file+"\n").Prepare(t.Context(), o))
		line, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, strings.Fields(string(line)), c.want)
	}
}

func TestPrepareFails(t *testing.T) {
	require.NoError(t, newFake(t, "").Prepare(t.Context(), options()))
	require.ErrorContains(t, newFake(t, "echo FATAL: full; exit 1").Prepare(t.Context(), options()), "sysbench prepare: sysbench: FATAL: full")
	require.ErrorContains(t, newFake(t, "exit 2").Restore(t.Context(), options()), "sysbench restore: sysbench: exit status 2")
}

func TestWorkloads(t *testing.T) {
	lua := string(script)
	for _, w := range Workloads {
		require.NotEmpty(t, w.What)
		found, err := Find(w.Name)
		require.NoError(t, err)
		require.Equal(t, w, found)
		if !strings.Contains(lua, `["`+w.Name+`"] =`) {
			t.Errorf("the script does not know %s", w.Name)
		}
	}
	_, err := Find("nothing")
	require.ErrorContains(t, err, "there are delete, insert")
}
