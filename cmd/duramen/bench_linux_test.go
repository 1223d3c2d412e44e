package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/server"
)

// TestBenchSlowdiskUsage is about the command line; package slowdisk has the tests of the disk.
func TestBenchSlowdiskUsage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"up", "--size", "big", dir}, server.ExitUsage, "big"},
		{[]string{"up", "--latency", "1h", dir}, server.ExitFailure, "1h"},
		{[]string{"set", dir}, server.ExitUsage, "latency"},
		{[]string{"set", "--latency", "1ms", dir}, server.ExitFailure, "no slow disk"},
		{[]string{"down"}, server.ExitUsage, "arg"},
		{[]string{"serve", dir, "99"}, server.ExitFailure, ""},
	} {
		t.Run(strings.Join(c.args[:len(c.args)-1], " "), func(t *testing.T) {
			cmd := root()
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			cmd.SetArgs(append([]string{"bench", "slowdisk"}, c.args...))
			err := cmd.Execute()
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.code, exitCode(err))
			require.NoDirExists(t, dir+".slowdisk")
		})
	}
}

func TestBench(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string // in the tables
		code int
	}{
		{"fsync --sizes 512,4096 --in-flight 2 --methods append,settled", []string{"settled", "4 KiB", "flushes"}, server.ExitOK},
		{"log --committers 1,3 --contenders log,raw --sync-method fdatasync", []string{"log / raw", "synced by fdatasync"}, server.ExitOK},
		{"engine --rows 500,2000 --row-bytes 100", []string{"row of a scan backwards", "Keys of 16 bytes, rows of 100"}, server.ExitOK},
		{"engine --engines tape", nil, server.ExitFailure},
		{"engine --rows none", nil, server.ExitUsage},
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
