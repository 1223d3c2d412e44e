package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/replay"
)

// EngineCheck is what CheckEngine found in one engine, as of the engine's own mark.
type EngineCheck struct {
	Engine, Dir string
	Mark        engine.Mark
	// Inside says that the engine holds a part of the transaction after its mark: a replay was interrupted.
	Inside bool
	// Databases and Tables are the definitions, which are those of all engines.
	Databases []string
	Tables    []EngineTable
	// Positions is the table of replication positions (gtid_pos_in_engine).
	Positions []twopc.Position
	// Orphans are key spaces without a definition. The next start removes them.
	Orphans []catalog.KeySpace
	// Problems are sentences about what belongs to no table of this engine.
	Problems []string
}

// EngineTable is a definition in an engine.
type EngineTable struct {
	ID               uint32
	DB, Name, Engine string
	Columns, Indexes int
	// Found is nil for a table that another engine holds.
	Found *CheckResult
}

// OK reports whether nothing was found.
func (c *EngineCheck) OK() bool {
	for _, t := range c.Tables {
		if t.Found != nil && !t.Found.OK() {
			return false
		}
	}
	return len(c.Problems) == 0
}

// CheckEngine opens one engine of a data directory by itself, without the others and without the log, and compares the rows and
// index entries of its tables. name is one of o.Engines, by its own name, or InnoDB for the first one; an error of any other
// name says which there are. No log is needed: what the engine lacks of it is not looked at. o.FS has to be one whose changes go
// nowhere, as the engine may write when it is opened. Of o only FS, Dir, Engines, Collations and Logger count.
func CheckEngine(ctx context.Context, o Options, name string) (_ *EngineCheck, err error) {
	o.ensureDefaults()
	s := &Store{opts: o, logger: o.Logger}
	if s.lock, err = lockDir(o.FS, o.Dir); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.lock.Close()) }()
	f, err := readFormat(o.FS, o.Dir)
	if err != nil {
		return nil, &OpenError{Dir: o.Dir, Op: "read format of", Kind: ErrFormat, Err: err}
	}
	kind, err := s.kindNamed(f, name)
	if err != nil {
		return nil, err
	}
	c := &EngineCheck{Engine: kind.Name(), Dir: kind.Dir()}
	opts := s.engineOptions(kind)
	opts.SyncLog = nil // what is written goes nowhere
	if c.Mark, c.Inside, err = kind.Peek(opts, replay.UnfinishedKey()); err != nil {
		return nil, s.engineError(kind, err)
	}
	if c.Mark == (engine.Mark{}) {
		return nil, &OpenError{Dir: o.Dir, Op: "open the storage engine in", Kind: ErrCorrupt, Unchanged: true,
			Err: fmt.Errorf("the directory %s holds no engine %s: its files were removed, or it has never had a checkpoint", kind.Dir(), kind.Name())}
	}
	e, err := kind.Open(opts)
	if err != nil {
		return nil, s.engineError(kind, err)
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return c, s.checkEngine(ctx, c, e, func(def *catalog.TableDef) bool {
		if def.Engine == "" || strings.EqualFold(def.Engine, set.DefaultName) {
			return kind.Dir() == f.engines[0]
		}
		return strings.EqualFold(def.Engine, kind.Name())
	})
}

func (s *Store) engineError(kind engine.Kind, err error) error {
	e := &OpenError{Dir: s.opts.Dir, Op: "open the storage engine " + kind.Name() + " in", Err: err, Unchanged: true}
	if errors.Is(err, engine.ErrDamaged) {
		e.Kind = ErrCorrupt
	}
	return e
}

// kindNamed is the engine of a name, which has files in the directory.
func (s *Store) kindNamed(f format, name string) (engine.Kind, error) {
	var names []string
	for _, kind := range s.opts.Engines {
		if !f.has(kind) {
			continue
		}
		if strings.EqualFold(name, kind.Name()) || strings.EqualFold(name, set.DefaultName) && kind.Dir() == f.engines[0] {
			return kind, nil
		}
		names = append(names, kind.Name())
	}
	e := &OpenError{Dir: s.opts.Dir, Op: "look for the storage engine " + name + " in", Kind: ErrNoEngine, Unchanged: true,
		Hint: "those with files there are " + strings.Join(names, ", ")}
	for _, kind := range s.opts.Engines {
		if strings.EqualFold(name, kind.Name()) && kind.Volatile() {
			e.Err = errors.New("it keeps no files")
		}
	}
	return nil, e
}

// checkEngine looks at definitions and keys.
func (s *Store) checkEngine(ctx context.Context, c *EngineCheck, e engine.Engine, owns func(*catalog.TableDef) bool) (err error) {
	snapshot, err := s.loadCatalog(e)
	if err != nil {
		return s.fail("load the table definitions in", ErrCorrupt, err)
	}
	for _, db := range snapshot.Databases() {
		c.Databases = append(c.Databases, db.Name)
	}
	if c.Positions, err = twopc.Positions(e); err != nil {
		return s.fail("read the replication positions in", ErrCorrupt, err)
	}
	it, err := e.NewIter(nil, nil)
	if err != nil {
		return s.fail("look for orphans in", nil, err)
	}
	c.Orphans, err = snapshot.Orphans(it)
	if err = errors.Join(err, it.Close()); err != nil {
		return s.fail("look for orphans in", ErrCorrupt, err)
	}
	snap := e.Snapshot()
	defer func() { err = errors.Join(err, snap.Close()) }()
	for _, t := range snapshot.AllTables() {
		found := EngineTable{ID: t.ID(), DB: t.Def.DB, Name: t.Def.Name, Engine: t.Def.Engine, Columns: len(t.Columns), Indexes: len(t.Indexes)}
		if owns(t.Def) {
			if found.Found, err = checkTable(ctx, t, snap); err != nil {
				return err
			}
		} else if there, err := hasKeys(snap, t.ID()); err != nil {
			return err
		} else if there {
			c.Problems = append(c.Problems, fmt.Sprintf("there are keys of %s.%s, which is a table of %s", t.Def.DB, t.Def.Name, t.Def.Engine))
		}
		c.Tables = append(c.Tables, found)
	}
	return nil
}

// hasKeys reports whether there is any key of a table.
func hasKeys(snap engine.Snapshot, table uint32) (bool, error) {
	it, err := snap.NewIter(catalog.TableSpan(table))
	if err != nil {
		return false, err
	}
	there := it.First()
	return there, errors.Join(it.Error(), it.Close())
}
