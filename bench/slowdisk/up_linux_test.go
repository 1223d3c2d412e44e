package slowdisk

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func requireDisk(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skipf("no slow disk can be made here: %v", err)
	}
}

// tiny options make a disk that takes a moment.
func tiny(t *testing.T) Options {
	return Options{Dir: filepath.Join(t.TempDir(), "slow disk"), Size: 32 << 20, Latency: 20 * time.Millisecond, Serve: []string{os.Args[0], serveForTest}}
}

// nothingLeft fails if a mount, a loop device, a directory or a process of the disk is there.
func nothingLeft(t *testing.T, o Options) {
	t.Helper()
	p, err := pathsOf(o.Dir)
	require.NoError(t, err)
	require.NoDirExists(t, p.backing)
	require.NoDirExists(t, p.dir)
	devices, err := attached(p.disk())
	require.NoError(t, err)
	require.Empty(t, devices)
	text, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	for _, m := range parseMounts(string(text)) {
		require.False(t, strings.HasPrefix(m.dir, filepath.Dir(p.dir)), m.dir)
	}
	require.NoError(t, await(func() (bool, error) { return len(serving(t, p)) == 0, nil }), "the serving process goes on")
}

// serving finds the processes that serve a disk.
func serving(t *testing.T, p paths) (pids []int) {
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err == nil && bytes.Contains(b, []byte(p.backing+"\x00")) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestUpAndDown(t *testing.T) {
	requireDisk(t)
	o := tiny(t)
	device, err := Up(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = Down(o.Dir) }) // if the test failed before it did
	list, err := mounts(mustPaths(t, o).dir)
	require.NoError(t, err)
	require.Equal(t, []mounted{{dir: mustPaths(t, o).dir, fs: "ext4", source: device}}, list)

	_, err = Up(context.Background(), o)
	require.ErrorContains(t, err, "take it down first")

	f, err := os.Create(filepath.Join(o.Dir, "file"))
	require.NoError(t, err)
	_, err = f.Write(make([]byte, 4096))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	before, err := Flushes(o.Dir)
	require.NoError(t, err)
	began := time.Now()
	_, err = f.WriteAt([]byte("overwritten"), 0)
	require.NoError(t, err)
	require.NoError(t, unix.Fdatasync(int(f.Fd())))
	require.GreaterOrEqual(t, time.Since(began), o.Latency, "a flush cannot be faster than its latency")
	overwrite, err := Flushes(o.Dir)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 4096), 4096)
	require.NoError(t, err)
	require.NoError(t, unix.Fdatasync(int(f.Fd())))
	appended, err := Flushes(o.Dir)
	require.NoError(t, err)
	require.Greater(t, overwrite, before)
	require.Greater(t, appended-overwrite, overwrite-before, "an append commits the journal")

	require.NoError(t, Set(o.Dir, 0))
	b, err := os.ReadFile(mustPaths(t, o).latency())
	require.NoError(t, err)
	require.Equal(t, "0s\n", string(b))
	require.NoError(t, os.WriteFile(mustPaths(t, o).latency(), []byte("3ms\n"), 0), "as a shell would")
	require.Error(t, os.WriteFile(mustPaths(t, o).latency(), []byte("long\n"), 0))
	require.Error(t, Set(o.Dir, time.Hour))

	require.ErrorIs(t, Down(o.Dir), ErrInUse)
	require.NoError(t, f.Sync(), "the disk is still up")
	require.NoError(t, f.Close())
	require.NoError(t, Down(o.Dir))
	nothingLeft(t, o)
	require.ErrorContains(t, Down(o.Dir), "no slow disk")
	require.ErrorContains(t, Set(o.Dir, 0), "no slow disk")
}

func mustPaths(t *testing.T, o Options) paths {
	p, err := pathsOf(o.Dir)
	require.NoError(t, err)
	return p
}

// TestFailures lets each step of Up fail.
func TestFailures(t *testing.T) {
	requireDisk(t)
	for _, c := range []struct {
		name string
		with func(o *Options)
		want string
	}{
		{"no such command", func(o *Options) { o.Serve = []string{"/none"} }, "/none"},
		{"the command ends", func(o *Options) { o.Serve = []string{"/bin/sh", "-c", "echo what is wrong >&2"} }, "what is wrong"},
		{"parent missing", func(o *Options) { o.Dir = filepath.Join(o.Dir, "none", "none") }, "none"},
		{"mkfs fails", func(*Options) {}, "no file system today"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := tiny(t)
			c.with(&o)
			if c.name == "mkfs fails" {
				t.Setenv("PATH", fakeMkfs(t))
			}
			_, err := Up(context.Background(), o)
			require.ErrorContains(t, err, c.want)
			nothingLeft(t, o)
		})
	}
}

// fakeMkfs is a directory with an mkfs.ext4 that fails.
func fakeMkfs(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mkfs.ext4"), []byte("#!/bin/sh\necho no file system today\nexit 1\n"), 0o755))
	return dir
}

func TestInterrupted(t *testing.T) {
	requireDisk(t)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
	defer stop()
	o := tiny(t)
	o.Serve = []string{"/bin/sh", "-c", "kill -USR1 $PPID; exec sleep 1000"} // says neither yes nor no
	_, err := Up(ctx, o)
	require.ErrorIs(t, err, context.Canceled)
	nothingLeft(t, o)
}

func TestOccupied(t *testing.T) {
	requireDisk(t)
	o := tiny(t)
	file := filepath.Join(o.Dir, "mine")
	require.NoError(t, os.Mkdir(o.Dir, 0o755))
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := Up(context.Background(), o)
	require.ErrorContains(t, err, "not empty")
	require.FileExists(t, file)
	require.NoDirExists(t, mustPaths(t, o).backing)

	require.NoError(t, os.Mkdir(mustPaths(t, o).backing, 0o755))
	require.ErrorContains(t, Down(o.Dir), "no slow disk", "a directory that is not ours stays")
	require.DirExists(t, mustPaths(t, o).backing)
}

// TestServingProcessKilled takes down a disk whose device has gone.
func TestServingProcessKilled(t *testing.T) {
	requireDisk(t)
	o := tiny(t)
	_, err := Up(context.Background(), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = Down(o.Dir) })
	p := mustPaths(t, o)
	pids := serving(t, p)
	require.Len(t, pids, 1)
	require.NoError(t, syscall.Kill(pids[0], syscall.SIGKILL))
	require.NoError(t, await(p.unlocked))
	require.NoError(t, Down(o.Dir))
	nothingLeft(t, o)
}

func TestParseMounts(t *testing.T) {
	const text = "21 20 0:5 / /proc rw,relatime shared:1 - proc proc rw\n" +
		"30 1 7:0 / /mnt/slow\\040disk rw,noatime - ext4 /dev/loop0 rw\n" +
		"short\n"
	require.Equal(t, []mounted{{"/proc", "proc", "proc"}, {"/mnt/slow disk", "ext4", "/dev/loop0"}}, parseMounts(text))
}

func TestServeArguments(t *testing.T) {
	require.Error(t, Serve(nil))
	require.Error(t, Serve([]string{"dir", "x"}))
	require.True(t, errors.Is(await(func() (bool, error) { return false, os.ErrClosed }), os.ErrClosed))
}
