package store

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/logpos"
)

// engineDir is where an engine's files lie.
func (s *Store) engineDir(kind engine.Kind) string { return s.opts.FS.PathJoin(s.opts.Dir, kind.Dir()) }

func (s *Store) engineOptions(kind engine.Kind) engine.Options {
	o := &s.opts
	return engine.Options{FS: o.FS, Dir: s.engineDir(kind), SyncLog: s.syncLogTo, Fatal: o.Fatal, Logger: o.Logger}
}

// openEngines opens the engines that were decided about, and looks whether they are what they were then.
func (s *Store) openEngines(ds decisions) error {
	var engines []engine.Engine
	fail := func(err error) error {
		for _, e := range engines {
			_ = e.Close() // the error tells what happened
		}
		return err
	}
	for _, d := range ds {
		e, err := d.kind.Open(s.engineOptions(d.kind))
		if err != nil {
			return fail(s.fail("open the storage engine in", nil, err))
		}
		engines = append(engines, e)
		switch mark := e.Durable(); {
		case mark != d.mark:
			return fail(s.fail("recover", ErrCorrupt, fmt.Errorf("%s holds everything up to %s, but when it was looked at up to %s", d.text(), mark.Position, d.mark.Position)))
		case e.Name() != d.kind.Name():
			return fail(s.fail("open the storage engine in", nil, fmt.Errorf("an engine %s calls itself %s", d.kind.Name(), e.Name())))
		case ds.first().plan.Reset != nil && e.Capabilities().MarkResetter == nil:
			return fail(s.fail("finish the interrupted RESET MASTER of", nil, fmt.Errorf("storage engine %s cannot be moved to a new log", e.Name())))
		}
	}
	all, err := set.New(engines...)
	if err != nil {
		return fail(s.fail("open the storage engines in", nil, err))
	}
	s.engine = all
	return nil
}

// owns says which tables an engine holds; nil: all.
func (s *Store) owns(e engine.Engine) func(*catalog.TableDef) bool {
	if len(s.engine.Engines()) == 1 {
		return nil
	}
	return func(def *catalog.TableDef) bool {
		owner, err := s.engine.For(def)
		return err == nil && owner == e
	}
}

// placeTables tells the engines of all tables. One whose engine is not there would be without its rows.
func (s *Store) placeTables(snapshot *catalog.Snapshot) error {
	for _, t := range snapshot.AllTables() {
		if err := s.engine.Place(t.Def); err != nil {
			e := &OpenError{Dir: s.opts.Dir, Op: "open the storage engines in", Err: err}
			if errors.Is(err, set.ErrNoEngine) {
				e.Hint = "start a server that has this storage engine"
			}
			return e
		}
	}
	return nil
}

// syncLogTo is what engines call before they make anything durable.
func (s *Store) syncLogTo(pos logpos.Pos) error {
	if f := s.syncLog.Load(); f != nil {
		return (*f)(pos)
	}
	return s.log.Sync() // recovery: no pipeline yet
}

func (s *Store) loadCatalog(e engine.Engine) (*catalog.Snapshot, error) {
	it, err := e.NewIter(catalog.MetaSpan())
	if err != nil {
		return nil, err
	}
	snapshot, err := catalog.Load(it, s.opts.Collations)
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	return snapshot, err
}

// removeOrphans deletes the key spaces that no definition refers to: what was
// built for a DDL statement that never made it into the log.
func (s *Store) removeOrphans(e engine.Engine, snapshot *catalog.Snapshot) error {
	it, err := e.NewIter(nil, nil)
	if err != nil {
		return s.fail("look for orphans in", nil, err)
	}
	orphans, err := snapshot.Orphans(it)
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return s.fail("look for orphans in", ErrCorrupt, err)
	}
	if len(orphans) == 0 {
		return nil
	}
	batch := e.NewBatch()
	for _, k := range orphans {
		s.logger.Info("removing a key space that was not finished", "table", k.Table, "index", k.Index, "whole", k.Whole)
		lower, upper := k.Span()
		if err := batch.DeleteRange(lower, upper); err != nil {
			batch.Discard()
			return s.fail("remove orphans in", nil, err)
		}
	}
	if err := e.Ingest(batch); err != nil {
		return s.fail("remove orphans in", nil, err)
	}
	return nil
}
