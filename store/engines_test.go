package store

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/set"
	"github.com/duramendb/duramen/txn"
)

// several is a store with the LSM engine and two in memory.
type several struct {
	fs    *vfs.MemFS
	kinds []engine.Kind
	// open are the engines in memory that were opened last, by name.
	open  map[string]*enginetest.Memory
	fatal error
	*Store
}

var severalNames = []string{"InnoDB", "First", "Other"}

func newSeveral(t *testing.T) *several {
	s := &several{fs: vfs.NewCrashableMem(), open: map[string]*enginetest.Memory{}}
	s.kinds = []engine.Kind{lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10}}
	for _, name := range severalNames[1:] {
		s.kinds = append(s.kinds, &enginetest.MemoryKind{EngineName: name, Disk: &enginetest.Disk{},
			Opened: func(e *enginetest.Memory) { s.open[name] = e }})
	}
	s.reopen(t)
	x := s.Txns().Begin(txn.Options{})
	c := catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}}}
	for _, name := range severalNames {
		def := tableDef(x.NewTableID())
		def.Name, def.Engine = "in"+name, name
		c.Tables = append(c.Tables, def)
	}
	require.NoError(t, x.ChangeCatalog(c))
	x.SetDDL(event.Query{Schema: "test", SQL: "CREATE TABLE"})
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	return s
}

func (s *several) reopen(t *testing.T) {
	t.Helper()
	var err error
	s.Store, err = tryOpen(Options{FS: s.fs, Engines: s.kinds, Logger: slog.New(slog.DiscardHandler), Fatal: func(err error) { s.fatal = err }})
	require.NoError(t, err)
	store := s.Store
	t.Cleanup(func() { _ = store.Close() })
}

// crash loses what no engine and no file has made durable.
func (s *several) crash(t *testing.T) {
	t.Helper()
	s.fs = s.fs.CrashClone(vfs.CrashCloneCfg{})
	for i, k := range s.kinds { // the old store goes on with a disk of its own
		if m, ok := k.(*enginetest.MemoryKind); ok {
			s.kinds[i] = &enginetest.MemoryKind{EngineName: m.EngineName, Disk: m.Disk.Clone(), Opened: m.Opened}
		}
	}
	s.reopen(t)
}

// insert inserts a row into the tables of some engines, in one transaction.
func (s *several) insert(t *testing.T, id int, engines ...string) error {
	t.Helper()
	x := s.Txns().Begin(txn.Options{})
	defer x.Rollback()
	x.BeginStatement("INSERT", false)
	for _, name := range engines {
		tbl := s.Catalog().Current().Table("test", "in"+name)
		require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, id)))
	}
	_, err := x.Commit(ctx)
	return err
}

// rows is how many rows are in each table, which are intact, and where they should be.
func (s *several) rows(t *testing.T) (counts []int64) {
	t.Helper()
	results, err := s.CheckAll(ctx)
	require.NoError(t, err)
	byTable := map[string]int64{}
	for _, r := range results {
		require.True(t, r.OK(), r.Problems)
		byTable[r.Table] = r.Rows
	}
	for i, name := range severalNames {
		counts = append(counts, byTable["in"+name])
		for j, e := range s.Engine().Engines() {
			it, err := e.NewIter(s.Catalog().Current().Table("test", "in"+name).Span(-1))
			require.NoError(t, err)
			require.Equal(t, i == j && byTable["in"+name] > 0, it.First(), "rows of the engine %s in %s", name, e.Name())
			require.NoError(t, it.Close())
		}
	}
	return counts
}

func TestSeveralEngines(t *testing.T) {
	s := newSeveral(t)
	for id := range 20 {
		require.NoError(t, s.insert(t, id, severalNames...))
	}
	require.NoError(t, s.insert(t, 100, "InnoDB"))
	require.NoError(t, s.insert(t, 101, "Other"))
	require.Equal(t, []int64{21, 20, 21}, s.rows(t))
	end := s.Log().End()
	require.NoError(t, s.Checkpoint(ctx))
	for _, e := range s.Engine().Engines() {
		require.Equal(t, end, e.Durable().Position, e.Name())
	}
	require.Equal(t, end, s.Log().RecoveryStart())
	require.NoError(t, s.Close())
	s.reopen(t)
	require.Equal(t, []int64{21, 20, 21}, s.rows(t))
}

// A crash after a group is in one engine and before it is in the next: each is brought to the log's end from its own mark.
func TestCrashBetweenEngines(t *testing.T) {
	for applied := range severalNames {
		t.Run(fmt.Sprintf("after %d engines", applied), func(t *testing.T) {
			s := newSeveral(t)
			require.NoError(t, s.insert(t, 1, severalNames...))
			require.NoError(t, s.Checkpoint(ctx))
			require.NoError(t, s.insert(t, 2, severalNames...))
			engines := s.Engine().Engines()
			flush := func() { // as engines do on their own
				for _, e := range engines[:applied+1] {
					if _, err := e.Checkpoint(); err != nil {
						t.Error(err)
					}
				}
			}
			if applied < 2 {
				died := errors.New("the process died")
				s.open[severalNames[applied+1]].FailApply = func(engine.Mark) error {
					flush()
					return died
				}
				require.ErrorIs(t, s.insert(t, 3, severalNames...), died)
				require.ErrorIs(t, s.fatal, died)
			} else {
				require.NoError(t, s.insert(t, 3, severalNames...))
				flush()
			}
			first, last := engines[0].Durable(), engines[2].Durable()
			require.Equal(t, applied < 2, last.Position.Before(first.Position))
			s.crash(t)
			require.Equal(t, []int64{3, 3, 3}, s.rows(t))
			end := s.Log().StateClone().String()
			require.Equal(t, "0-1-4", end)
			for _, e := range s.Engine().Engines() {
				require.Equal(t, end, e.Applied().GTIDState, e.Name())
			}
			require.NoError(t, s.insert(t, 4, severalNames...))
			require.Equal(t, []int64{4, 4, 4}, s.rows(t))
		})
	}
}

// A large transaction is imported by each engine that it touches.
func TestSeveralEnginesLarge(t *testing.T) {
	s := newSeveral(t)
	s.Txns().SetLargeCommitThreshold(2000)
	x := s.Txns().Begin(txn.Options{})
	x.BeginStatement("INSERT", false)
	for id := range 500 {
		for _, name := range severalNames[:2] {
			tbl := s.Catalog().Current().Table("test", "in"+name)
			require.NoError(t, x.Insert(ctx, tbl, image(t, tbl, id)))
		}
	}
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, s.Txns().Stats().LargeCommits)
	require.Equal(t, []int64{500, 500, 0}, s.rows(t))
	s.crash(t)
	require.Equal(t, []int64{500, 500, 0}, s.rows(t))
}

// A table's engine has to be there.
func TestEngineIsMissing(t *testing.T) {
	s := newSeveral(t)
	x := s.Txns().Begin(txn.Options{})
	def := tableDef(x.NewTableID())
	def.Name, def.Engine = "csv", "CSV"
	require.ErrorIs(t, x.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{def}}), set.ErrNoEngine)
	def = s.Catalog().Current().Table("test", "inOther").Def
	moved := *def
	moved.Engine = "First"
	require.ErrorIs(t, x.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{&moved}}), set.ErrMoved)
	x.Rollback()

	require.NoError(t, s.Close())
	_, err := tryOpen(Options{FS: s.fs, Engines: s.kinds[:2]})
	require.ErrorIs(t, err, set.ErrNoEngine)
	require.ErrorContains(t, err, "memory-Other")
	_, err = tryOpen(Options{FS: s.fs, Engines: append(s.kinds, lsm.Kind{})})
	require.ErrorContains(t, err, "directory lsm")
	s.reopen(t)
}

// RESET MASTER moves all engines to the new log.
func TestSeveralEnginesReset(t *testing.T) {
	s := newSeveral(t)
	require.NoError(t, s.insert(t, 1, "First"))
	require.NoError(t, s.ResetLog(ctx, 1, s.Log().StateClone(), false))
	for _, e := range s.Engine().Engines() {
		require.Equal(t, s.Log().End(), e.Durable().Position, e.Name())
	}
	require.NoError(t, s.insert(t, 2, "Other"))
	s.crash(t)
	require.Equal(t, []int64{0, 1, 1}, s.rows(t))
}

// stuckKind is a kind of engine whose checkpoints can be made to fail.
type stuckKind struct {
	engine.Kind
	stuck *error
}

func (k stuckKind) Open(o engine.Options) (engine.Engine, error) {
	e, err := k.Kind.Open(o)
	return stuckEngine{e, k.stuck}, err
}

type stuckEngine struct {
	engine.Engine
	stuck *error
}

func (e stuckEngine) Checkpoint() (engine.Mark, error) {
	if *e.stuck != nil {
		return engine.Mark{}, *e.stuck
	}
	return e.Engine.Checkpoint()
}

// A segment that one engine still needs is not purged, however far the others are and whoever asks.
func TestPurgeWithAnEngineBehind(t *testing.T) {
	for behind, name := range severalNames {
		t.Run(name, func(t *testing.T) {
			s := newSeveral(t)
			require.NoError(t, s.insert(t, 1, severalNames...))
			require.NoError(t, s.Close())
			var stuck error
			s.kinds[behind] = stuckKind{s.kinds[behind], &stuck}
			s.reopen(t)
			require.NoError(t, s.Pipeline().Rotate())
			require.NoError(t, s.Checkpoint(ctx))
			needed := s.Engine().Durable().Position.Segment
			require.Equal(t, s.Log().End().Segment, needed)
			stuck = errors.New("the disk of one engine is full")
			for id := range 5 {
				require.NoError(t, s.insert(t, 10+id, severalNames...))
				require.NoError(t, s.Pipeline().Rotate())
			}
			end := s.Log().End().Segment
			require.ErrorIs(t, s.Checkpoint(ctx), stuck)
			for i, e := range s.Engine().Engines() {
				require.Equal(t, i == behind, e.Durable().Position.Segment == needed, "%s is at %s", e.Name(), e.Durable().Position)
			}
			// PURGE BINARY LOGS, the limits, and the log itself.
			_, err := s.PurgeLog(ctx, end)
			require.ErrorIs(t, err, stuck)
			s.SetRetention(Retention{MaxBytes: 1})
			_, err = s.ApplyRetention(ctx)
			require.ErrorIs(t, err, stuck)
			_, err = s.Log().PurgeTo(end)
			require.NoError(t, err)
			require.Equal(t, needed, s.Log().Segments()[0].Segment, "what nobody needs is gone, and no more")

			stuck = nil
			s.kinds[behind] = s.kinds[behind].(stuckKind).Kind
			s.crash(t)
			require.Equal(t, []int64{6, 6, 6}, s.rows(t))
			end = s.Log().End().Segment
			gone, err := s.PurgeLog(ctx, end)
			require.NoError(t, err)
			require.NotEmpty(t, gone)
			require.Equal(t, end, s.Log().Segments()[0].Segment)
			s.crash(t)
			require.Equal(t, []int64{6, 6, 6}, s.rows(t))
		})
	}
}
