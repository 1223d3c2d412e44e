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

func TestBench(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string // in the tables
		code int
	}{
		{"fsync --sizes 512,4096 --in-flight 2 --methods append,settled", []string{"settled", "4 KiB", "flushes"}, server.ExitOK},
		{"log --committers 1,3 --contenders log,raw --sync-method fdatasync", []string{"log / raw", "synced by fdatasync"}, server.ExitOK},
		{"preallocation --committers 2", []string{"lsm / lsm-append"}, server.ExitOK},
		{"fsync --sizes 0", nil, server.ExitFailure},
		{"fsync --sizes many", nil, server.ExitUsage},
		{"log --contenders tape", nil, server.ExitFailure},
	} {
		t.Run(c.args, func(t *testing.T) {
			dir, results := t.TempDir(), t.TempDir()
			svg, raw := filepath.Join(results, "picture.svg"), filepath.Join(results, "raw.jsonl")
			cmd := root()
			var out, progress bytes.Buffer
			cmd.SetOut(&out)
			cmd.SetErr(&progress)
			cmd.SetArgs(append([]string{"bench"}, append(strings.Fields(c.args), "--dir", dir, "--duration", "20ms", "--rounds", "2", "--svg", svg, "--json", raw)...))
			err := cmd.Execute()
			entries, derr := os.ReadDir(dir)
			require.NoError(t, derr)
			require.Empty(t, entries)
			if c.code != server.ExitOK {
				require.Error(t, err)
				require.Equal(t, c.code, exitCode(err))
				return
			}
			require.NoError(t, err)
			for _, want := range c.want {
				require.Contains(t, out.String(), want)
			}
			require.FileExists(t, svg)
			b, err := os.ReadFile(raw)
			require.NoError(t, err)
			require.Contains(t, string(b), `"round":1`)
		})
	}
}
