package shipment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/store"
)

var takes = Accepts{Format: store.FormatVersion, Basename: "binlog", Dirs: []string{"lsm", "btree"}}

// contents are the files of the shipments here.
var contents = []struct {
	name string
	data []byte
}{
	{"lsm/000001.sst", bytes.Repeat([]byte("0123456789abcdef"), (2*ChunkBytes+4096)/16)},
	{"lsm/marker.manifest.000001.MANIFEST-000001", nil},
	{"btree/base.bolt", bytes.Repeat([]byte{7}, ChunkBytes)},
	{"binlog.000007", []byte("log")},
	{"binlog.index", []byte("./binlog.000007\n")},
	{"FORMAT", nil},
}

func exportOf() *store.Export {
	x := &store.Export{LogBasename: "binlog", Place: logpos.At(7, 3), Point: gtid.NewPoint()}
	for _, f := range contents {
		x.Files = append(x.Files, store.ExportedFile{Name: f.name, Bytes: int64(len(f.data)), Copy: func(w io.Writer) error {
			_, err := io.Copy(w, bytes.NewReader(f.data))
			return err
		}})
	}
	return x
}

// rows are those of a shipment.
func rows(t testing.TB) (all []Row) {
	t.Helper()
	require.NoError(t, Send(context.Background(), exportOf(), "11.0-test", func(r *Row) error {
		row := *r
		row.Data = bytes.Clone(r.Data)
		require.LessOrEqual(t, len(r.Data), ChunkBytes)
		all = append(all, row)
		return nil
	}))
	return all
}

// receive makes a directory of rows.
func receive(dir string, rows []Row) (*Manifest, error) {
	r := NewReceiver(dir, takes)
	for i := range rows {
		if err := r.Add(&rows[i]); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	m, err := r.Finish()
	return m, errors.Join(err, r.Close())
}

func TestShipment(t *testing.T) {
	dir := t.TempDir()
	m, err := receive(dir, rows(t))
	require.NoError(t, err)
	require.Equal(t, "binlog.000007", m.LogFile)
	require.EqualValues(t, 3, m.Position)
	for _, f := range contents {
		b, err := os.ReadFile(filepath.Join(dir, f.name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(f.data, b), f.name)
	}
	_, err = receive(dir, rows(t))
	require.ErrorIs(t, err, fs.ErrExist, "nothing is overwritten")
}

// Whatever is changed, lost, doubled or moved is noticed, and so is an end that comes too early.
func TestDamage(t *testing.T) {
	good := rows(t)
	damaged := func(what string, rows []Row) {
		t.Helper()
		_, err := receive(t.TempDir(), rows)
		require.ErrorIs(t, err, ErrDamaged, what)
	}
	for i := range good {
		damaged(fmt.Sprint("without row ", i), slices.Delete(slices.Clone(good), i, i+1))
		damaged(fmt.Sprint("up to row ", i), good[:i])
		damaged(fmt.Sprint("twice row ", i), slices.Insert(slices.Clone(good), i, good[i]))
		if i > 0 {
			swapped := slices.Clone(good)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			damaged(fmt.Sprint("swapped row ", i), swapped)
		}
		for what, change := range map[string]func(*Row){
			"data":   func(r *Row) { r.Data = bytes.Clone(r.Data); r.Data[len(r.Data)/2] ^= 1 },
			"short":  func(r *Row) { r.Data = r.Data[:len(r.Data)-1] },
			"sum":    func(r *Row) { r.Sum ^= 1 << 31 },
			"offset": func(r *Row) { r.Offset++ },
			"file":   func(r *Row) { r.File += "x" },
			"none":   func(r *Row) { r.Data, r.Sum = nil, 0 },
		} {
			changed := slices.Clone(good)
			change(&changed[i])
			damaged(fmt.Sprint(what, " of row ", i), changed)
		}
	}
	// A part that is another one, with its own sum.
	forged := slices.Clone(good)
	forged[1].Data = bytes.Repeat([]byte{1}, len(forged[1].Data))
	forged[1].Sum = crc32.ChecksumIEEE(forged[1].Data)
	damaged("forged", forged)
	longer := slices.Clone(good)
	longer[3].Data = append(bytes.Clone(longer[3].Data), 1)
	longer[3].Sum = crc32.ChecksumIEEE(longer[3].Data)
	damaged("longer", longer)
}

// first is a manifest's row.
func first(t testing.TB, m Manifest) Row {
	t.Helper()
	data, err := json.Marshal(m)
	require.NoError(t, err)
	return Row{Data: data, Sum: crc32.ChecksumIEEE(data)}
}

// Names that would lead out of the directory, or to settings of a server, are refused before anything is written.
func TestNames(t *testing.T) {
	try := func(m Manifest) error {
		parent := t.TempDir()
		dir := filepath.Join(parent, "data")
		require.NoError(t, os.Mkdir(dir, 0o750))
		r := NewReceiver(dir, takes)
		row := first(t, m)
		err := r.Add(&row)
		require.NoError(t, r.Close())
		if err != nil {
			left, lerr := os.ReadDir(dir)
			require.NoError(t, lerr)
			require.Empty(t, left)
		}
		return err
	}
	good := Manifest{Version: Version, Format: store.FormatVersion, Basename: "binlog", Files: []File{{Name: "FORMAT", Bytes: 1}}}
	require.NoError(t, try(good))
	for _, name := range []string{
		"", ".", "..", "/", "../x", "/etc/passwd", "lsm", "lsm/", "lsm/..", "lsm/../x", "lsm/.x", "lsm/a/b", "lsm//a", "/lsm/a", "other/a", "my.cnf", "replication.json",
		"clone.unfinished", "LOCK", "format", "FORMAT ", "FORMAT/x", "binlog", "binlog.", "binlog.1", "binlog.000001.idx", "binlog.000001/x", "binlog.reset", "binlog.index\x00",
		"binlog.000001\n", "binlog.index.", `lsm\..\x`, "lsm/a b", "lsm/a\x00", "x/binlog.000001", "other.000001",
	} {
		m := good
		m.Files = []File{{Name: name}}
		require.ErrorIs(t, try(m), ErrUnsuitable, "%q", name)
	}
	for _, name := range []string{"lsm/MANIFEST-000001", "btree/run-000001", "binlog.999999", "binlog.1000000", "binlog.index"} {
		m := good
		m.Files = []File{{Name: name}}
		require.NoError(t, try(m), name)
	}
	for what, change := range map[string]func(*Manifest){
		"version":  func(m *Manifest) { m.Version++ },
		"format":   func(m *Manifest) { m.Format++ },
		"basename": func(m *Manifest) { m.Basename = "mysql-bin" },
	} {
		m := good
		change(&m)
		require.ErrorIs(t, try(m), ErrUnsuitable, what)
	}
	for what, files := range map[string][]File{"none": nil, "negative": {{Name: "FORMAT", Bytes: -1}}, "twice": {{Name: "FORMAT"}, {Name: "FORMAT"}}} {
		m := good
		m.Files = files
		require.ErrorIs(t, try(m), ErrDamaged, what)
	}
	odd := Accepts{Format: takes.Format, Basename: "../../x"}
	require.False(t, odd.takes("../../x.000001"))
}

// A sender stops with its context, and with the first error of a file or of whoever takes the rows. A file that has changed its size is one.
func TestSendFails(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	killed := errors.New("killed")
	sent := 0
	err := Send(ctx, exportOf(), "", func(*Row) error {
		if sent++; sent == 2 {
			cancel(killed)
		}
		return nil
	})
	require.ErrorIs(t, err, killed)
	require.Equal(t, 2, sent)

	gone := errors.New("gone")
	require.ErrorIs(t, Send(context.Background(), exportOf(), "", func(*Row) error { return gone }), gone)
	x := exportOf()
	x.Files[3].Bytes++
	require.ErrorIs(t, Send(context.Background(), x, "", func(*Row) error { return nil }), io.ErrUnexpectedEOF)
	x.Files[3].Copy = func(io.Writer) error { return gone }
	require.ErrorIs(t, Send(context.Background(), x, "", func(*Row) error { return nil }), gone)
}

// FuzzReceiver takes rows from anybody: what is written lies where it may, has the size that was announced, and is complete if nothing was an error.
func FuzzReceiver(f *testing.F) {
	m, err := json.Marshal(Manifest{Version: Version, Format: store.FormatVersion, Basename: "binlog", Files: []File{{"lsm/a", 3}, {"FORMAT", 0}}})
	require.NoError(f, err)
	f.Add(m, "lsm/a", uint64(0), []byte("abc"), []byte(`{"sums":[891568578,0]}`))
	f.Add(bytes.ReplaceAll(m, []byte("lsm/a"), []byte("../a")), "../a", uint64(0), []byte("abc"), []byte(`{}`))
	f.Fuzz(func(t *testing.T, manifest []byte, file string, offset uint64, data, last []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "data")
		require.NoError(t, os.Mkdir(dir, 0o750))
		_, err := receive(dir, []Row{
			{Data: manifest, Sum: crc32.ChecksumIEEE(manifest)}, {File: file, Offset: offset, Data: data, Sum: crc32.ChecksumIEEE(data)},
			{Offset: 1, Data: last, Sum: crc32.ChecksumIEEE(last)},
		})
		total := 0
		require.NoError(t, filepath.WalkDir(parent, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, ok := strings.CutPrefix(path, dir+string(filepath.Separator))
			require.True(t, ok && takes.takes(filepath.ToSlash(name)), path)
			info, err := d.Info()
			total += int(info.Size())
			return err
		}))
		require.LessOrEqual(t, total, len(data))
		if err == nil {
			require.Equal(t, len(data), total)
		}
	})
}
