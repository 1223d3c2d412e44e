package enginetest

import (
	"fmt"
	"io"
	"maps"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
)

// exportDir is where engines may put links.
const exportDir = "exports"

// past is what an engine held at each of its marks.
type past struct {
	mu     sync.Mutex
	models map[engine.Mark]model
	last   engine.Mark
}

// note remembers what is about to be applied with a mark.
func (p *past) note(m engine.Mark, holds model) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.models == nil {
		p.models = map[engine.Mark]model{}
	}
	p.models[m], p.last = holds, m
}

// newest is the mark that was noted last.
func (p *past) newest() engine.Mark {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func (p *past) at(t *testing.T, m engine.Mark) model {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	holds, ok := p.models[m]
	require.True(t, ok, "nothing was applied with the mark %v", m)
	return holds
}

// export begins an export.
func export(t *testing.T, e engine.Engine) *engine.Export {
	t.Helper()
	x, err := e.Capabilities().Exporter.Export(exportDir)
	require.NoError(t, err)
	return x
}

// requireCopy copies an export to another file system, ends it, and compares what an engine finds there with what was applied. from and to bound
// its mark.
func requireCopy(t *testing.T, h HasFiles, x *engine.Export, p *past, from, to engine.Mark) {
	t.Helper()
	require.False(t, x.Mark.Position.Before(from.Position), "the export says %v, though %v was durable before", x.Mark, from)
	kind, o := h.Kind()
	source := o.FS
	o.FS, o.SyncLog = crashfs.New(), nil
	require.NoError(t, o.FS.MkdirAll(o.Dir, 0o755))
	for _, file := range x.Files {
		f, err := o.FS.Create(o.FS.PathJoin(o.Dir, file.Name), vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		count := &counted{w: f}
		require.NoError(t, file.Copy(count))
		require.Equal(t, file.Bytes, count.n, file.Name)
		require.NoError(t, f.Close())
	}
	require.NoError(t, x.Close())
	_, err := source.Stat(exportDir)
	require.Error(t, err, "nothing is left of the export")

	m, _, err := kind.Peek(o, []byte("k"))
	require.NoError(t, err)
	require.False(t, m.Position.Before(x.Mark.Position), "a copy has the mark %v, the export %v", m, x.Mark)
	require.False(t, to.Position.Before(m.Position), "a copy has the mark %v, but the last one was %v", m, to)
	c, err := kind.Open(o)
	require.NoError(t, err)
	require.Equal(t, m, c.Durable())
	require.Equal(t, p.at(t, m), read(t, c))
	require.NoError(t, c.Close())
}

type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// An export stays as it is while the engine changes all its keys and writes new files.
func testExport(t *testing.T, h Harness) {
	files := h.(HasFiles)
	e := h.Open(t)
	var p past
	p.note(engine.Mark{}, model{})
	requireCopy(t, files, export(t, e), &p, engine.Mark{}, engine.Mark{})

	holds := model{}
	step := func(n uint64, changes []change) {
		holds = holds.with(changes)
		p.note(mark(n), holds)
		require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n)))
	}
	step(1, rows("a", 300, "old"))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	step(2, []change{setTo("a/000001", "newer")})
	x := export(t, e)
	step(3, rows("a", 300, "new"))
	step(4, []change{{key: "a/000100", upper: "a/000200"}, setTo("b", "1")})
	for n := range uint64(3) {
		_, err = e.Checkpoint()
		require.NoError(t, err)
		step(5+n, rows("c", 200, fmt.Sprint(n)))
	}
	requireCopy(t, files, x, &p, mark(1), mark(2))
	_, err = e.Checkpoint()
	require.NoError(t, err)
	requireCopy(t, files, export(t, e), &p, mark(7), mark(7))
	require.Equal(t, holds, read(t, e))
	require.NoError(t, e.Close())
	_, err = e.Capabilities().Exporter.Export(exportDir)
	require.ErrorIs(t, err, engine.ErrClosed)
}

// Exports are taken while somebody applies, and checkpoints follow each other.
func testExportUnderLoad(t *testing.T, h Harness) {
	files := h.(HasFiles)
	e := h.Open(t)
	var p past
	p.note(engine.Mark{}, model{})
	stop := make(chan struct{})
	var all sync.WaitGroup
	loop := func(f func(n uint64) error) {
		all.Go(func() {
			for n := uint64(1); ; n++ {
				if err := f(n); err != nil {
					t.Errorf("under load: %v", err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	holds := model{}
	loop(func(n uint64) error {
		changes := rows(fmt.Sprint("s", n%7), 20, fmt.Sprint(n))
		holds = holds.with(changes)
		p.note(mark(n), maps.Clone(holds))
		b := e.NewBatch()
		for _, c := range changes {
			if err := b.Set([]byte(c.key), []byte(*c.value)); err != nil {
				return err
			}
		}
		return e.Apply(b, mark(n))
	})
	loop(func(uint64) error { _, err := e.Checkpoint(); return err })
	for range 10 {
		before := e.Durable()
		x := export(t, e)
		requireCopy(t, files, x, &p, before, p.newest()) // an Apply that has not returned may be in it
	}
	close(stop)
	all.Wait()
	require.NoError(t, e.Close())
}

// What an import has left to be worked in is a part of the export.
func testExportOfImports(t *testing.T, h Harness) {
	files := h.(HasFiles)
	e := h.Open(t)
	var p past
	p.note(engine.Mark{}, model{})
	holds := model{}
	for n := uint64(1); n <= 6; n++ {
		changes := rows(fmt.Sprint("r", n%3), 400, fmt.Sprint(n))
		in := imported(t, h, e, changes)
		holds = holds.with(changes)
		p.note(mark(n), holds)
		require.NoError(t, e.Capabilities().Importer.ApplyImport(in, e.NewBatch(), mark(n)))
		requireCopy(t, files, export(t, e), &p, engine.Mark{}, mark(n))
		_, err := e.Checkpoint()
		require.NoError(t, err)
		requireCopy(t, files, export(t, e), &p, mark(n), mark(n))
	}
	require.NoError(t, e.Close())
}
