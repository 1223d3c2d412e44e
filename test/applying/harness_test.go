package applying

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
)

// server is an engine over a store, on a file system in memory that may crash, or, to be measured, on a disk.
type server struct {
	t      testing.TB
	id     uint32
	fs     vfs.FS
	dir    string
	store  *store.Store
	engine *query.Engine
	sql    *query.Session
	// tune and config, if not nil, change how it is opened.
	tune   func(*store.Options)
	config func(*query.Config)
}

func newServer(t testing.TB, id uint32) *server {
	s := &server{t: t, id: id, fs: vfs.NewCrashableMem(), dir: "/data"}
	if _, measured := t.(*testing.B); measured {
		s.fs, s.dir = vfs.Default, t.TempDir()
	}
	s.open()
	t.Cleanup(s.close)
	return s
}

func (s *server) open() {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := store.Options{
		FS: s.fs, Dir: s.dir, Engines: []engine.Kind{lsm.Kind{}}, ServerID: s.id, MaxBinlogSize: 64 << 20, NoPreallocate: s.fs != vfs.Default, Logger: quiet,
		Collations: func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) },
		Fatal:      func(err error) { s.t.Errorf("store failed: %v", err) },
	}
	if s.tune != nil {
		s.tune(&o)
	}
	var err error
	s.store, err = store.Open(context.Background(), o)
	require.NoError(s.t, err)
	config := query.Config{Store: s.store, Logger: o.Logger}
	if s.config != nil {
		s.config(&config)
	}
	s.engine, err = query.New(config)
	require.NoError(s.t, err)
	s.sql, err = s.engine.NewSession(session.ConnInfo{User: "root", Host: "localhost"})
	require.NoError(s.t, err)
}

func (s *server) close() {
	s.sql.Close()
	require.NoError(s.t, s.engine.Close())
	require.NoError(s.t, s.store.Close())
}

// crash goes on with what a power failure would have left.
func (s *server) crash() {
	after := s.crashClone()
	s.close()
	s.fs = after
	s.open()
}

// rows are the answers of statements, as text.
type rows struct {
	lines []string
	cols  []result.Column
}

func (r *rows) Columns(cols []result.Column) error { r.cols = cols; return nil }
func (r *rows) Row(got result.Row) error {
	line := ""
	for i := range r.cols {
		v := got.Value(i)
		text := string(r.cols[i].AppendText(nil, v))
		if v.IsNull() {
			text = "NULL"
		}
		line += text + "|"
	}
	r.lines = append(r.lines, line)
	return nil
}
func (r *rows) EndRows(result.Status) error { return nil }
func (r *rows) OK(result.OK) error          { return nil }

func (s *server) exec(statements ...string) {
	s.t.Helper()
	for _, q := range statements {
		require.NoError(s.t, s.sql.Execute(context.Background(), q, &rows{}), q)
	}
}

func (s *server) query(q string) []string {
	s.t.Helper()
	var r rows
	require.NoError(s.t, s.sql.Execute(context.Background(), q, &r), q)
	return r.lines
}

// parts are the groups of a server's log after a place, each whole.
func (s *server) parts(from logpos.Pos) (parts []*primary.Part, end logpos.Pos) {
	s.t.Helper()
	r, err := s.store.Log().NewReader(from)
	require.NoError(s.t, err)
	defer func() { require.NoError(s.t, r.Close()) }()
	var p *primary.Part
	for {
		raw, at, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			return parts, r.Position()
		}
		require.NoError(s.t, err)
		e, err := event.Decode(append([]byte(nil), raw...))
		require.NoError(s.t, err)
		if _, private := e.Body.(*event.Private); private {
			continue
		}
		if g, ok := e.Body.(*event.GTIDInfo); ok {
			p = &primary.Part{GTID: *g, First: true, Last: true, Timestamp: e.Header.Timestamp}
			continue
		}
		if p == nil {
			continue
		}
		p.Events = append(p.Events, e)
		p.Bytes += len(raw)
		p.Place = primary.Place{File: "binlog.000001", Pos: at.Plus(len(raw)).Offset}
		_, ends := e.Body.(*event.Xid)
		q, isQuery := e.Body.(*event.Query)
		if ends || isQuery && (p.GTID.Flags&event.FLStandalone != 0 || q.SQL == "COMMIT") {
			parts = append(parts, p)
			p = nil
		}
	}
}

// reports remembers what an applier has told.
type reports struct {
	mu   sync.Mutex
	last gtid.GTID
	n    int
}

func (r *reports) Executed(p *primary.Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = p.GTID.GTID
	r.n++
}
func (r *reports) Retried()                 {}
func (r *reports) Skips(*primary.Part) bool { return false }
func (r *reports) State(string)             {}

func (s *server) applier(r apply.Report, o apply.Options) *apply.Applier {
	return apply.New(s.store.Txns(), o, r, func() (apply.Session, error) { return nil, errors.New("no session") })
}

// crashClone is what a power failure would leave now: what was synced, and nothing else.
func (s *server) crashClone() vfs.FS { return s.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{}) }
