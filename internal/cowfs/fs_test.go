package cowfs

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// tree is everything in a file system, contents by size and checksum: directories end with a slash.
func tree(t *testing.T, f vfs.FS, dir string) map[string]string {
	out := map[string]string{}
	names, err := f.List(dir)
	require.NoError(t, err)
	for _, name := range names {
		path := f.PathJoin(dir, name)
		st, err := f.Stat(path)
		require.NoError(t, err)
		require.Equal(t, name, st.Name())
		if st.IsDir() {
			out[path+"/"] = ""
			for k, v := range tree(t, f, path) {
				out[k] = v
			}
			continue
		}
		data := contents(t, f, path)
		require.EqualValues(t, st.Size(), len(data))
		out[path] = fmt.Sprintf("%d %08x", len(data), crc32.ChecksumIEEE(data))
	}
	return out
}

func contents(t *testing.T, f vfs.FS, path string) []byte {
	h, err := f.Open(path)
	require.NoError(t, err)
	data, err := io.ReadAll(h)
	require.NoError(t, err)
	require.NoError(t, h.Close())
	return data
}

func fill(t *testing.T, f vfs.FS, path string, data []byte) {
	h, err := f.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = h.Write(slices.Clone(data))
	require.NoError(t, err)
	require.NoError(t, h.Close())
}

// Random operations do the same as on a file system in memory, and the one below never changes.
func TestLikeMemFS(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		base, model := vfs.NewMem(), vfs.NewMem()
		for _, f := range []vfs.FS{base, model} {
			require.NoError(t, f.MkdirAll("/d/sub", 0o755))
			require.NoError(t, f.MkdirAll("/d/deep/er", 0o755))
		}
		for i, path := range []string{"/d/a", "/d/b", "/d/sub/a", "/d/deep/er/a"} {
			data := make([]byte, []int{0, 100, blockSize, 3*blockSize + 17}[(i+int(seed))%4])
			for k := range data {
				data[k] = byte(rng.Uint32())
			}
			fill(t, base, path, data)
			fill(t, model, path, data)
		}
		before := tree(t, base, "/d")
		f := New(base)
		paths := []string{"/d/a", "/d/b", "/d/c", "/d/sub/a", "/d/sub/b", "/d/deep/er/a", "/d/deep/er/b", "/d/new/a", "/d/new/b"}
		dirs := []string{"/d/sub", "/d/deep", "/d/deep/er", "/d/new"}
		pick := func(list []string) string { return list[rng.IntN(len(list))] }
		for step := range 60 {
			what, err1, err2 := random(rng, f, model, pick(paths), pick(paths), pick(dirs))
			require.Equal(t, err1 == nil, err2 == nil, "seed %d, step %d, %s: %v; %v", seed, step, what, err1, err2)
			require.Equal(t, errors.Is(err1, fs.ErrNotExist), errors.Is(err2, fs.ErrNotExist), "seed %d, step %d, %s: %v; %v", seed, step, what, err1, err2)
			require.Equal(t, tree(t, model, "/d"), tree(t, f, "/d"), "seed %d, step %d, %s", seed, step, what)
		}
		require.NoError(t, f.Close())
		require.Equal(t, before, tree(t, base, "/d"), "seed %d", seed)
	}
}

// random does one operation on both.
func random(rng *rand.Rand, a, b vfs.FS, path, other, dir string) (what string, errA, errB error) {
	both := func(do func(f vfs.FS) error) (string, error, error) { return what, do(a), do(b) }
	switch rng.IntN(8) {
	case 0:
		what = "create " + path
		return both(func(f vfs.FS) error { return closed(f.Create(path, vfs.WriteCategoryUnspecified)) })
	case 1:
		what = "remove " + path
		return both(func(f vfs.FS) error { return f.Remove(path) })
	case 2:
		what = "rename " + path + " " + other
		if _, err := b.Stat(b.PathDir(other)); path == other || err != nil {
			return what, nil, nil //nolint:nilerr // vfs.MemFS has lost the file before it finds the directory missing
		}
		return both(func(f vfs.FS) error { return f.Rename(path, other) })
	case 3:
		what = "mkdir " + dir
		return both(func(f vfs.FS) error { return f.MkdirAll(dir, 0o755) })
	case 4:
		if rng.IntN(3) > 0 {
			return "nothing", nil, nil
		}
		what = "remove all " + dir
		return both(func(f vfs.FS) error { return f.RemoveAll(dir) })
	case 5:
		what = "link " + path + " " + other
		return both(func(f vfs.FS) error { return f.Link(path, other) })
	case 6:
		what = "open " + path
		return both(func(f vfs.FS) error { return closed(f.Open(path)) })
	}
	data := make([]byte, 1+rng.IntN(2*blockSize))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	off := rng.Int64N(3 * blockSize)
	what = fmt.Sprintf("write %s %d at %d", path, len(data), off)
	return both(func(f vfs.FS) error {
		h, err := f.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		_, err = h.WriteAt(slices.Clone(data), off)
		return errors.Join(err, h.Close())
	})
}

func closed(f vfs.File, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

// A file that was cut and grows again has zeros where it had something.
func TestTruncate(t *testing.T) {
	base := vfs.NewMem()
	data := make([]byte, 2*blockSize)
	for i := range data {
		data[i] = 1
	}
	fill(t, base, "/f", data)
	f := New(base)
	h, err := f.OpenReadWrite("/f", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = h.WriteAt([]byte{2, 2}, blockSize+10)
	require.NoError(t, err)
	require.NoError(t, h.(*handle).Truncate(blockSize+11))
	_, err = h.WriteAt([]byte{3}, 2*blockSize+5)
	require.NoError(t, err)
	got := contents(t, f, "/f")
	require.Len(t, got, 2*blockSize+6)
	require.Equal(t, []byte{1, 2, 0, 0}, got[blockSize+9:blockSize+13])
	require.Equal(t, make([]byte, blockSize-6), got[blockSize+11:2*blockSize+5])
	require.EqualValues(t, 3, got[2*blockSize+5])
	require.NoError(t, h.(*handle).Truncate(3))
	require.Equal(t, []byte{1, 1, 1}, contents(t, f, "/f"))

	r, err := f.Open("/f")
	require.NoError(t, err)
	_, err = r.WriteAt([]byte{1}, 0)
	require.ErrorIs(t, err, fs.ErrPermission)
	require.True(t, bytes.Equal(data, contents(t, base, "/f")))
}
