package serverfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/serverfile"
)

func TestPolicy(t *testing.T) {
	base := t.TempDir()
	data, out, other := filepath.Join(base, "data"), filepath.Join(base, "out"), filepath.Join(base, "other")
	for _, d := range []string{data, out, other, filepath.Join(data, "sub")} {
		require.NoError(t, os.Mkdir(d, 0o755))
	}
	require.NoError(t, os.Symlink(data, filepath.Join(out, "todata")))
	require.NoError(t, os.Symlink(other, filepath.Join(out, "toother")))
	require.NoError(t, os.Symlink(filepath.Join(other, "target"), filepath.Join(out, "dangling")))
	require.NoError(t, os.WriteFile(filepath.Join(other, "secret"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(other, "secret"), filepath.Join(out, "secret")))
	policy := func(value string, given, null bool) serverfile.Policy {
		p, err := serverfile.New(data, value, given, null)
		require.NoError(t, err)
		return p
	}
	for _, c := range []struct {
		name string
		p    serverfile.Policy
		file string
		want error
	}{
		{"default", policy("", false, false), filepath.Join(data+"-files", "a"), nil},
		{"default, again", policy("", false, false), filepath.Join(data+"-files", "a"), fs.ErrExist},
		{"default, relative", policy("", false, false), "../data-files/b", nil},
		{"default, bare name", policy("", false, false), "b", serverfile.ErrOutside},
		{"default, the option file", policy("", false, false), filepath.Join(data, "my.cnf"), serverfile.ErrOutside},
		{"default, dots", policy("", false, false), data + "-files/../data/my.cnf", serverfile.ErrOutside},
		{"default, elsewhere", policy("", false, false), filepath.Join(other, "a"), serverfile.ErrOutside},
		{"null", policy("", true, true), filepath.Join(other, "a"), serverfile.ErrOutside},
		{"NULL", policy("NULL", true, false), filepath.Join(data+"-files", "c"), serverfile.ErrOutside},
		{"a directory", policy(out, true, false), filepath.Join(out, "a"), nil},
		{"beside a directory", policy(out, true, false), filepath.Join(base, "outside"), serverfile.ErrOutside},
		{"the directory itself", policy(out, true, false), out, serverfile.ErrOutside},
		{"a link out of it", policy(out, true, false), filepath.Join(out, "toother", "a"), serverfile.ErrOutside},
		{"a link into the data", policy(out, true, false), filepath.Join(out, "todata", "my.cnf"), serverfile.ErrOutside},
		{"a dangling link", policy(out, true, false), filepath.Join(out, "dangling"), fs.ErrExist},
		{"anywhere", policy("", true, false), filepath.Join(other, "b"), nil},
		{"anywhere, exists", policy("", true, false), filepath.Join(other, "b"), fs.ErrExist},
		{"anywhere, data", policy("", true, false), filepath.Join(data, "my.cnf"), serverfile.ErrOutside},
		{"anywhere, below data", policy("", true, false), filepath.Join(data, "sub", "x"), serverfile.ErrOutside},
		{"anywhere, data by a link", policy("", true, false), filepath.Join(out, "todata", "x"), serverfile.ErrOutside},
		{"anywhere, relative", policy("", true, false), "my.cnf", serverfile.ErrOutside},
		{"no directory", policy("", true, false), filepath.Join(base, "none", "x"), fs.ErrNotExist},
	} {
		f, err := c.p.Create(c.file)
		if c.want == nil {
			require.NoError(t, err, c.name)
			require.NoError(t, f.Close())
			continue
		}
		require.ErrorIs(t, err, c.want, c.name)
	}
	require.NoFileExists(t, filepath.Join(data, "my.cnf"))
	require.NoFileExists(t, filepath.Join(other, "target"))

	for _, c := range []struct {
		name string
		p    serverfile.Policy
		file string
		want error
	}{
		{"inside", policy(out, true, false), filepath.Join(out, "a"), nil},
		{"a link to a file elsewhere", policy(out, true, false), filepath.Join(out, "secret"), serverfile.ErrOutside},
		{"elsewhere", policy(out, true, false), filepath.Join(other, "secret"), serverfile.ErrOutside},
		{"anywhere", policy("", true, false), filepath.Join(out, "secret"), nil},
		{"a directory", policy("", true, false), other, serverfile.ErrNotRegular},
		{"nothing", policy("", true, false), filepath.Join(other, "nothing"), fs.ErrNotExist},
		{"a device", policy("", true, false), "/dev/zero", serverfile.ErrNotRegular},
	} {
		f, err := c.p.Open(c.file)
		if c.want == nil {
			require.NoError(t, err, c.name)
			require.NoError(t, f.Close())
			continue
		}
		require.ErrorIs(t, err, c.want, c.name)
	}
	_, err := serverfile.New(data, filepath.Join(data, "sub"), true, false)
	require.Error(t, err, "the data directory is not for files")
}
