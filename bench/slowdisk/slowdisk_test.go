package slowdisk

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serveForTest is the command of the serving process: this test binary.
const serveForTest = "serve-a-slow-disk"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveForTest {
		if err := Serve(os.Args[2:]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"0", 0}, {"512", 512}, {"512M", 512 << 20}, {"8G", 8 << 30}, {"8g", 8 << 30}, {"8GiB", 8 << 30}, {" 1T ", 1 << 40}, {"16k", 16 << 10}, {"64B", 64},
		{"", -1}, {"G", -1}, {"-1G", -1}, {"1.5G", -1}, {"8P", -1}, {"99999999T", -1},
	} {
		got, err := ParseSize(c.text)
		if c.want < 0 {
			require.Error(t, err, c.text)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestOptions(t *testing.T) {
	fine := Options{Dir: "x", Serve: []string{"y"}}
	for _, c := range []struct {
		name string
		with func(o *Options)
		ok   bool
	}{
		{"defaults", func(*Options) {}, true},
		{"no directory", func(o *Options) { o.Dir = "" }, false},
		{"no command", func(o *Options) { o.Serve = nil }, false},
		{"small", func(o *Options) { o.Size = 1 << 20 }, false},
		{"negative", func(o *Options) { o.Latency = -time.Millisecond }, false},
		{"for ever", func(o *Options) { o.Latency = time.Hour }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := fine
			c.with(&o)
			o.ensureDefaults()
			require.Equal(t, c.ok, o.validate() == nil)
		})
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")))
	p, err := pathsOf(filepath.Join(dir, "link", "disk"))
	require.NoError(t, err)
	want, err := filepath.EvalSymlinks(filepath.Join(dir, "real"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(want, "disk"), p.dir)
	require.Equal(t, filepath.Join(want, "disk.slowdisk", "fuse", "disk"), p.disk())
}
