package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/server"
)

// TestBenchRunUsage is about the command line; test/benchsuite runs it with servers.
func TestBenchRunUsage(t *testing.T) {
	results := t.TempDir()
	run := `{"config":{"contenders":[{"name":"prod","kind":"running","profile":"as-is"}]}}`
	require.NoError(t, os.WriteFile(filepath.Join(results, "run.json"), []byte(run), 0o644))
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"run", server.ExitUsage, "out"},
		{"run --out OUT --suite none", server.ExitUsage, "there are quick, binlog-engine"},
		{"run --out OUT --tests none", server.ExitUsage, "there are delete, insert"},
		{"run --out OUT --server none", server.ExitUsage, "want [NAME=]KIND[:PATH]"},
		{"run --out OUT --server duramen --server duramen", server.ExitUsage, `two servers are called "duramen"`},
		{"run --out OUT --server duramen --profiles nobinlog", server.ExitUsage, `profile "nobinlog"`},
		{"run --out OUT --server duramen --clients 0", server.ExitUsage, "0 clients"},
		{"run --out OUT --server duramen --time 0s", server.ExitUsage, "at least 1s"},
		{"run --out OUT --server duramen --ps-mode maybe", server.ExitUsage, "want on or off"},
		{"run --out OUT --server duramen --cache much", server.ExitUsage, "--cache"},
		{"run --out OUT --server duramen --option mariadb:a=1", server.ExitUsage, "the name of a server that is started"},
		{"run --out OUT --server duramen --option a", server.ExitUsage, "NAME:OPTION=VALUE"},
		{"run --out OUT --server duramen --engines duramen=InnoDB", server.ExitUsage, "no workload of this run uses them"},
		{"run --out OUT --suite engines --server duramen --engines mariadb=InnoDB", server.ExitUsage, "with the name of a server"},
		{"run --out OUT --suite engines --server duramen --engines duramen", server.ExitUsage, "NAME=FIRST[,SECOND[,MEMORY]]"},
		{"run --out OUT --suite engines --server duramen --engines duramen=,", server.ExitUsage, "want a name"},
		{"run --out OUT --suite engines --server duramen --engines duramen=InnoDB", server.ExitUsage, "none of the servers has engines for second tables"},
		{"run --out OUT --suite engines --server u@tcp(h:1)/", server.ExitUsage, "--engines running="},
		{"run --out OUT --server duramen --sysbench /none", server.ExitFailure, "apt-get install sysbench"},
		{"run --out RESULTS", server.ExitUsage, `"prod", whose password was not kept`},
		{"position --server duramen", server.ExitUsage, "has to be a MariaDB"},
		{"position --server none", server.ExitUsage, "want [NAME=]KIND[:PATH]"},
		{"report OUT", server.ExitFailure, "no results in"},
		{"report", server.ExitUsage, "arg"},
	} {
		t.Run(c.args, func(t *testing.T) {
			var text bytes.Buffer
			cmd := root()
			cmd.SetOut(&text)
			cmd.SetErr(&text)
			args := strings.NewReplacer("OUT", out, "RESULTS", results).Replace("bench " + c.args)
			cmd.SetArgs(strings.Fields(args))
			err := cmd.Execute()
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.code, exitCode(err))
			require.NoDirExists(t, out)
		})
	}
}
