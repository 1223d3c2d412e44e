package lsm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// fullManifest is a disk that is full when a compaction wants to tell the MANIFEST of the tables that it has written.
type fullManifest struct {
	vfs.FS
	flushing, full atomic.Bool
}

func (fs *fullManifest) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasSuffix(name, ".sst") && !fs.flushing.Load() {
		fs.full.Store(true)
	}
	f, err := fs.FS.Create(name, c)
	if err == nil && strings.HasPrefix(fs.PathBase(name), "MANIFEST-") {
		f = &fullFile{f, fs}
	}
	return f, err
}

type fullFile struct {
	vfs.File
	fs *fullManifest
}

func (f *fullFile) Write(p []byte) (int, error) {
	if f.fs.full.Load() {
		return 0, syscall.ENOSPC
	}
	return f.File.Write(p)
}

const (
	manifestDir  = "LSM_TEST_MANIFEST_DIR"
	exitDiskFull = 7
)

// endFullManifest is the process that ends.
func endFullManifest(t *testing.T, dir string) {
	fs := &fullManifest{FS: vfs.Default}
	e, err := Open(Options{FS: fs, Dir: dir, MemTableBytes: 64 << 10, Fatal: func(err error) {
		fmt.Println("fatal:", err)
		if errors.Is(err, syscall.ENOSPC) {
			os.Exit(exitDiskFull)
		}
		os.Exit(1)
	}})
	require.NoError(t, err)
	for n := 1; n < 1000; n++ {
		b := e.NewBatch()
		require.NoError(t, b.Set([]byte("k"), fmt.Append(nil, n)))
		require.NoError(t, e.Apply(b, engine.Mark{Position: logpos.At(1, uint64(n))}))
		fs.flushing.Store(true)
		m, err := e.Checkpoint()
		fs.flushing.Store(false)
		require.NoError(t, err)
		fmt.Println("durable:", m.Position.Offset)
	}
	t.Fatal("it goes on without a MANIFEST")
}

// TestFullManifestIsFatal: the disk is full when a compaction writes to the MANIFEST. Pebble cannot go on; the engine calls Fatal, with
// what was wrong, and what was durable is there at the next start.
func TestFullManifestIsFatal(t *testing.T) {
	if dir := os.Getenv(manifestDir); dir != "" {
		endFullManifest(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullManifestIsFatal$")
	cmd.Env = append(os.Environ(), manifestDir+"="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	require.Equal(t, exitDiskFull, exit.ExitCode(), "%s", out)
	require.Equal(t, 1, strings.Count(string(out), "fatal: lsm: "), "%s", out)
	said := regexp.MustCompile(`durable: (\d+)`).FindAllStringSubmatch(string(out), -1)
	require.NotEmpty(t, said)
	last, err := strconv.ParseUint(said[len(said)-1][1], 10, 64)
	require.NoError(t, err)
	e := directory{dir}.Open(t)
	durable := e.Durable().Position.Offset
	require.GreaterOrEqual(t, durable, last)
	value, closer, err := e.(*Engine).db.Get([]byte("k"))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(durable), string(value))
	require.NoError(t, closer.Close())
	require.NoError(t, e.Close())
}
