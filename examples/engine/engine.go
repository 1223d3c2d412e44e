package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/sorted"
)

// treeKind is an engine that keeps everything in memory, and writes all of it to one file at each checkpoint. What it has
// not written when the process ends, it is told again from the log.
type treeKind struct{}

func (treeKind) Name() string { return "TREE" }

func (treeKind) Dir() string { return "tree" }

// Peek looks at what Open would find.
func (treeKind) Peek(o engine.Options, key []byte) (engine.Mark, bool, error) {
	m, mark, err := load(o)
	if err != nil {
		return engine.Mark{}, false, err
	}
	_, there, _, err := m.Get(key)
	return mark, there, err
}

func (treeKind) Open(o engine.Options) (engine.Engine, error) {
	m, mark, err := load(o)
	if err != nil {
		return nil, err
	}
	t := &tree{Contents: sorted.NewContents(m, mark), options: o}
	t.mu.durable = mark
	return t, nil
}

// tree reads and changes its contents in memory by the methods of sorted.Contents.
type tree struct {
	*sorted.Contents
	options engine.Options

	saving sync.Mutex // one checkpoint at a time
	mu     struct {
		sync.Mutex
		durable engine.Mark
	}
}

func (t *tree) Name() string { return treeKind{}.Name() }

// Capabilities are none: large transactions have to fit into memory, and RESET MASTER is refused.
func (t *tree) Capabilities() engine.Capabilities { return engine.Capabilities{} }

// Checkpoint makes the log durable as far as the contents go, and then the contents: log first.
func (t *tree) Checkpoint() (engine.Mark, error) {
	t.saving.Lock()
	defer t.saving.Unlock()
	m, mark, err := t.Current()
	if err == nil && t.options.SyncLog != nil {
		err = t.options.SyncLog(mark.Position)
	}
	if err == nil {
		err = save(t.options, m, mark)
	}
	if err != nil {
		return engine.Mark{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.durable = mark
	return mark, nil
}

func (t *tree) Durable() engine.Mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mu.durable
}

// file is what is in the file.
type file struct {
	Mark         engine.Mark
	Keys, Values [][]byte
}

// save replaces the file at once: it is written under another name, synced, and renamed.
func save(o engine.Options, m sorted.Map, mark engine.Mark) (err error) {
	c := file{Mark: mark}
	m.All(func(key, value []byte) bool {
		c.Keys, c.Values = append(c.Keys, key), append(c.Values, value)
		return true
	})
	path := o.FS.PathJoin(o.Dir, "contents")
	f, err := o.FS.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err = errors.Join(gob.NewEncoder(f).Encode(c), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = o.FS.Rename(path+".new", path); err != nil {
		return err
	}
	dir, err := o.FS.OpenDir(o.Dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// load reads the file; without one the engine is empty.
func load(o engine.Options) (sorted.Map, engine.Mark, error) {
	m := sorted.Empty()
	f, err := o.FS.Open(o.FS.PathJoin(o.Dir, "contents"))
	if oserror.IsNotExist(err) {
		return m, engine.Mark{}, nil
	} else if err != nil {
		return m, engine.Mark{}, err
	}
	var c file
	if err := errors.Join(gob.NewDecoder(f).Decode(&c), f.Close()); err != nil {
		return m, engine.Mark{}, fmt.Errorf("%w: %w", engine.ErrDamaged, err)
	}
	var b sorted.Batch
	for i, key := range c.Keys {
		if err := b.Set(key, c.Values[i]); err != nil {
			return m, engine.Mark{}, err
		}
	}
	return m.With(&b), c.Mark, nil
}
