package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/txn"
)

// replicated applies transactions of another server.
type replicated struct {
	*testing.T
	o      Options
	s      *Store
	tables map[string]*catalog.Table // by engine
	seq    uint64
	id     int
}

// newReplicated makes a store with a table in each of two engines; the second keeps its files in other.
func newReplicated(t *testing.T, name protocol.Name, in string) *replicated {
	r := &replicated{T: t, tables: map[string]*catalog.Table{}}
	r.o = Options{Logger: quiet(), FS: crashfs.New(), CommitProtocol: name, PositionIn: in, Engines: []engine.Kind{
		lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 1 << 20}, &enginetest.MemoryKind{EngineName: "Other", Disk: &enginetest.Disk{}}}}
	r.open()
	x := r.s.Txns().Begin(txn.Options{})
	c := catalog.Change{Databases: []catalog.DatabaseDef{{Name: "test"}}}
	for _, engine := range []string{"InnoDB", "Other"} {
		def := tableDef(x.NewTableID())
		def.Name, def.Engine = "in"+engine, engine
		c.Tables = append(c.Tables, def)
	}
	require.NoError(t, x.ChangeCatalog(c))
	_, err := x.Commit(ctx)
	require.NoError(t, err)
	r.find()
	return r
}

func (r *replicated) open() {
	r.Helper()
	r.s = open(r.T, r.o)
}

func (r *replicated) find() {
	for _, engine := range []string{"InnoDB", "Other"} {
		r.tables[engine] = r.s.Catalog().Current().Table("test", "in"+engine)
	}
}

// crash opens the store with what is left when the power fails, in which in is the engine of the positions.
func (r *replicated) crash(in string) {
	r.Helper()
	left := crashed(r.o.FS.(*crashfs.FS))
	require.NoError(r, r.s.Close())
	r.o.FS, r.o.PositionIn = left, in
	r.open()
	r.find()
}

// apply is a transaction of another server, with a row in the tables of some engines.
func (r *replicated) apply(domain uint32, engines ...string) {
	r.Helper()
	r.seq++
	x := r.s.Txns().Begin(txn.Options{Domain: domain, ServerID: 77})
	x.SetSeqNo(r.seq, false)
	r.insert(x, engines...)
}

func (r *replicated) insert(x *txn.Txn, engines ...string) {
	r.Helper()
	x.BeginStatement("INSERT", false)
	for _, engine := range engines {
		r.id++
		require.NoError(r, x.Insert(ctx, r.tables[engine], image(r.T, r.tables[engine], r.id)))
	}
	_, err := x.Commit(ctx)
	require.NoError(r, err)
}

// positions are the rows of each engine, as text.
func (r *replicated) positions() (of [2][]string) {
	r.Helper()
	for i, e := range r.s.Engine().Engines() {
		rows, err := twopc.Positions(e)
		require.NoError(r, err)
		for _, row := range rows {
			of[i] = append(of[i], row.GTID.String())
		}
	}
	return of
}

// The row is in the engine that was asked for, and is what the engine's transactions say, also after a crash. Nothing is kept of
// transactions of this server.
func TestPosition(t *testing.T) {
	for _, name := range []protocol.Name{protocol.TwoPC, protocol.TwoPCEager} {
		for _, c := range []struct {
			in   string
			want [2][]string
			// foreign are the transactions with the row in an engine that has nothing else of them.
			foreign uint64
		}{
			{"lsm", [2][]string{{"1-77-3", "2-77-4"}, nil}, 1},
			{"Other", [2][]string{nil, {"1-77-3", "2-77-4"}}, 2},
			{"auto", [2][]string{{"1-77-3", "2-77-4"}, {"1-77-2"}}, 0},
			{"", [2][]string{}, 0},
		} {
			t.Run(string(name)+" "+c.in, func(t *testing.T) {
				r := newReplicated(t, name, c.in)
				syncs, _ := r.s.CommitCost()
				r.apply(1, "InnoDB")
				cost, _ := r.s.CommitCost()
				want := uint64(2) // the first engine and the log
				if name == protocol.TwoPCEager {
					want = 3
				}
				if c.in == "Other" { // and the second, as if there were rows in it
					want = 2*want - 1
				}
				require.Equal(t, want, cost-syncs)
				r.apply(1, "Other")
				r.apply(1, "InnoDB", "Other")
				r.apply(2, "InnoDB")
				r.insert(r.s.Txns().Begin(txn.Options{Domain: 1}), "Other")
				require.Equal(t, c.want, r.positions())
				require.Equal(t, twopc.PositionStats{Foreign: c.foreign, MadeMulti: c.foreign}, r.s.PositionStats())
				r.crash(c.in)
				require.Equal(t, c.want, r.positions())
			})
		}
	}
}

// A table in another engine than before: the larger sub_id tells which row counts. One that nobody keeps up to date is removed.
func TestPositionMoves(t *testing.T) {
	r := newReplicated(t, protocol.TwoPC, "lsm")
	r.apply(1, "InnoDB")
	r.apply(1, "InnoDB")
	before, err := twopc.Positions(r.s.Engine().Engines()[0])
	require.NoError(t, err)
	r.crash("other")
	r.apply(1, "InnoDB")
	require.Equal(t, [2][]string{{"1-77-2"}, {"1-77-3"}}, r.positions())
	after, err := twopc.Positions(r.s.Engine().Engines()[1])
	require.NoError(t, err)
	require.Greater(t, after[0].SubID, before[0].SubID)
	r.crash("")
	require.Equal(t, [2][]string{}, r.positions())
	r.apply(1, "InnoDB")
	require.Equal(t, [2][]string{}, r.positions())
	r.crash("auto")
	require.Equal(t, [2][]string{}, r.positions())
}

// Where the log is the position, or the engine is not there, the option is refused, and nothing is made or changed.
func TestPositionRefused(t *testing.T) {
	for _, name := range []protocol.Name{"", protocol.OneLog, protocol.Engine} {
		fs := crashfs.New()
		_, err := tryOpen(Options{Logger: quiet(), FS: fs, CommitProtocol: name, PositionIn: "auto"})
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, "the position is the log itself")
		s := open(t, Options{Logger: quiet(), FS: fs, CommitProtocol: protocol.TwoPC, PositionIn: "auto"}) // it is still empty
		require.NoError(t, s.Close())
	}
	fs := crashfs.New()
	s := open(t, Options{Logger: quiet(), FS: fs})
	require.NoError(t, s.Close())
	_, err := tryOpen(Options{Logger: quiet(), FS: fs, PositionIn: "lsm"})
	require.ErrorIs(t, err, ErrOption)
	_, err = tryOpen(Options{Logger: quiet(), FS: crashfs.New(), CommitProtocol: protocol.TwoPC, PositionIn: "btree"})
	require.ErrorIs(t, err, ErrNoEngine)
	require.ErrorContains(t, err, "lsm or auto")
}
