package store

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replay"
)

// TestTableIsComplete: every combination of log and engine that can be observed has exactly one row.
func TestTableIsComplete(t *testing.T) {
	for l := logGood; l <= logDamaged; l++ {
		for e := engineBehind; e <= engineInside; e++ {
			rows := 0
			for _, r := range recoveryTable {
				if r.log == l && r.engine == e {
					rows++
					require.Equal(t, r.reason == nil, r.verdict == start || r.verdict == moveTo)
					require.True(t, l == logGood || r.verdict == corrupt, "damage is never started with")
				}
			}
			require.Equal(t, 1, rows, "%d %d", l, e)
		}
	}
	require.Equal(t, moveTo, rowFor(logAnew, engineLevel).verdict)
}

// TestFactsOfEngine: plan and mark give the facts.
func TestFactsOfEngine(t *testing.T) {
	at := func(segment, offset uint64) engine.Mark {
		return engine.Mark{Position: logpos.At(segment, offset)}
	}
	plan := func(first, end logpos.Pos, boundary bool) *binlog.Plan {
		p := &binlog.Plan{First: first, Boundary: boundary}
		p.End = end
		return p
	}
	first, end := logpos.At(2, 300), logpos.At(4, 900)
	for name, c := range map[string]struct {
		plan *binlog.Plan
		mark engine.Mark
		want engineFact
	}{
		"new":                    {plan(logpos.Pos{}, logpos.Pos{}, false), at(0, 0), engineLevel},
		"new engine, whole log":  {plan(logpos.At(1, 300), end, false), at(0, 0), engineBehind},
		"new engine, purged log": {plan(first, end, false), at(0, 0), engineEarlier},
		"log gone":               {plan(logpos.Pos{}, logpos.Pos{}, false), at(1, 400), engineAhead},
		"behind":                 {plan(first, end, true), at(3, 400), engineBehind},
		"behind, inside a group": {plan(first, end, false), at(3, 401), engineAstray},
		"level":                  {plan(first, end, true), at(4, 900), engineLevel},
		"ahead":                  {plan(first, end, false), at(4, 901), engineAhead},
		"ahead, in a later file": {plan(first, end, false), at(5, 300), engineAhead},
		"before the log's first": {plan(first, end, false), at(1, 300), engineEarlier},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := (&decision{plan: c.plan, mark: c.mark}).facts()
			require.Equal(t, c.want, got)
			c.plan.State = gtid.NewState()
			_, got = (&decision{plan: c.plan, mark: c.mark, unfinished: true}).facts()
			require.Equal(t, engineInside, got)
			c.plan.State.Update(gtid.GTID{Server: 1, Seq: 1}) // there is a group after the mark
			_, got = (&decision{plan: c.plan, mark: c.mark, unfinished: true}).facts()
			require.Equal(t, c.want, got)
		})
	}
}

// files is everything below a directory, but not the lock file.
func files(t testing.TB, fs vfs.FS, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := fs.List(dir)
	require.NoError(t, err)
	for _, name := range names {
		path := fs.PathJoin(dir, name)
		info, err := fs.Stat(path)
		require.NoError(t, err)
		if info.IsDir() {
			for k, v := range files(t, fs, path) {
				all[name+"/"+k] = v
			}
			continue
		}
		if name == lockName {
			continue
		}
		f, err := fs.Open(path)
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		all[name] = string(b)
	}
	return all
}

// edit changes a file of a data directory.
func edit(t testing.TB, fs vfs.FS, name string, change func(b []byte) []byte) {
	t.Helper()
	path := "/data/" + name
	f, err := fs.Open(path)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	f, err = fs.Create(path, vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	_, err = f.Write(change(b))
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, f.Close())
}

func flip(at uint64) func(b []byte) []byte {
	return func(b []byte) []byte { b[at] ^= 0x10; return b }
}

// lived is a crashed store: rows 0 to 29, a segment for every ten.
type lived struct {
	fs   *vfs.MemFS
	ends []logpos.Pos // of the transactions, by row
	mark engine.Mark  // of the engine
}

// live crashes a store; the engine has a checkpoint after row checkpoint, none if that is negative.
func live(t *testing.T, checkpoint int) *lived {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem})
	tbl := createTable(t, s)
	l := &lived{}
	for id := range 30 {
		if id > 0 && id%10 == 0 {
			require.NoError(t, s.Pipeline().Rotate())
		}
		l.ends = append(l.ends, insert(t, s, tbl, id).End)
		if id == checkpoint {
			require.NoError(t, s.Checkpoint(ctx))
		}
	}
	l.mark = s.Engine().Durable()
	l.fs = crash(mem)
	require.NoError(t, s.Close())
	return l
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func until(t *testing.T, text string) binlog.Until {
	u, err := binlog.ParseUntil(text, "")
	require.NoError(t, err)
	return u
}

func place(p logpos.Pos) string {
	return (&decision{basename: "binlog"}).position(p)
}

// TestRecoveryRows has a store for every row of the table. A refusal changes nothing, and names what to do.
func TestRecoveryRows(t *testing.T) {
	for name, c := range map[string]struct {
		checkpoint int
		change     func(t *testing.T, l *lived)
		until      func(l *lived) string
		rows       int64 // -1: refused
		err        error
		message    func(l *lived) string
	}{
		"good, behind":       {checkpoint: 12, rows: 30},
		"good, from nothing": {checkpoint: -1, rows: 30},
		"good, level":        {checkpoint: 29, rows: 30},
		"good, torn, behind": {checkpoint: 12, rows: 29, change: func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000003", flip(l.ends[29].Offset-40)) }},
		"good, torn, ahead": {checkpoint: 29, rows: -1, err: ErrCorrupt,
			change:  func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000003", flip(l.ends[29].Offset-40)) },
			message: func(l *lived) string { return "everything up to " + place(l.ends[29]) }},
		"good, ahead: older files put back": {checkpoint: 29, rows: -1, err: ErrCorrupt,
			change: func(t *testing.T, l *lived) {
				require.NoError(t, l.fs.Remove("/data/binlog.000003"))
				edit(t, l.fs, "binlog.index", func([]byte) []byte { return []byte("./binlog.000001\n./binlog.000002\n") })
			},
			message: func(l *lived) string { return "put the missing log files" }},
		"good, earlier": {checkpoint: 5, rows: -1, err: ErrPurged,
			change: func(t *testing.T, l *lived) {
				edit(t, l.fs, "binlog.index", func([]byte) []byte { return []byte("./binlog.000002\n./binlog.000003\n") })
			},
			message: func(l *lived) string { return "the oldest binary log file begins later, at binlog.000002:" }},
		"good, astray": {checkpoint: 12, rows: -1, err: ErrCorrupt,
			change: func(t *testing.T, l *lived) {
				other := live(t, -1) // of the same structure, but with transactions of other sizes
				edit(t, l.fs, "binlog.000002", func([]byte) []byte { return []byte(files(t, other.fs, "/data")["binlog.000001"]) })
				edit(t, l.fs, "binlog.index", func([]byte) []byte { return []byte("./binlog.000002\n") })
				require.NoError(t, l.fs.Remove("/data/binlog.000001"))
				require.NoError(t, l.fs.Remove("/data/binlog.000003"))
			},
			message: func(l *lived) string { return "" }},
		"damaged, behind": {checkpoint: 12, rows: -1, err: ErrCorrupt,
			change:  func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40)) },
			message: func(l *lived) string { return "--recover-until=" + place(l.ends[14]) }},
		"damaged, level": {checkpoint: 14, rows: -1, err: ErrCorrupt,
			change:  func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40)) },
			message: func(l *lived) string { return "--recover-until=binlog.000002:" }},
		"damaged, ahead": {checkpoint: 17, rows: -1, err: ErrCorrupt,
			change:  func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40)) },
			message: func(l *lived) string { return "--recover-until=" + place(l.ends[17]) }},
		"missing file, behind": {checkpoint: 5, rows: -1, err: ErrCorrupt,
			change:  func(t *testing.T, l *lived) { require.NoError(t, l.fs.Remove("/data/binlog.000002")) },
			message: func(l *lived) string { return "binlog.000002 is listed, but the file is missing" }},
		"missing file, ahead": {checkpoint: 25, rows: -1, err: ErrCorrupt,
			change:  func(t *testing.T, l *lived) { require.NoError(t, l.fs.Remove("/data/binlog.000002")) },
			message: func(l *lived) string { return "--recover-until=" + place(l.ends[25]) }},
		"until, behind": {checkpoint: 12, rows: 20, until: func(l *lived) string { return place(l.ends[19]) }},
		"until, level":  {checkpoint: 12, rows: 13, until: func(l *lived) string { return place(l.ends[12]) }},
		"until, ahead": {checkpoint: 12, rows: -1, err: ErrCorrupt, until: func(l *lived) string { return place(l.ends[11]) },
			message: func(l *lived) string { return "give " + place(l.ends[12]) }},
		"until, damage behind": {checkpoint: 12, rows: 15, until: func(l *lived) string { return place(l.ends[14]) },
			change: func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40)) }},
		"until, damage before": {checkpoint: 12, rows: -1, err: ErrCorrupt, until: func(l *lived) string { return place(l.ends[20]) },
			change:  func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40)) },
			message: func(l *lived) string { return "--recover-until=" + place(l.ends[14]) }},
		"until, anew": {checkpoint: 17, rows: 18, until: func(l *lived) string { return place(l.ends[17]) },
			change: func(t *testing.T, l *lived) { edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40)) }},
		"until, GTID": {checkpoint: 12, rows: 25, until: func(l *lived) string { return "0-1-26" }}, // 0-1-1 is the table
		"until, missing file before the engine": {checkpoint: 12, rows: 25, until: func(l *lived) string { return place(l.ends[24]) },
			change: func(t *testing.T, l *lived) { require.NoError(t, l.fs.Remove("/data/binlog.000001")) }},
	} {
		t.Run(name, func(t *testing.T) {
			l := live(t, c.checkpoint)
			if c.change != nil {
				c.change(t, l)
			}
			o := Options{FS: l.fs, Logger: quiet()}
			if c.until != nil {
				o.RecoverUntil = until(t, c.until(l))
			}
			before := files(t, l.fs, "/data")
			s, err := tryOpen(o)
			if c.rows < 0 {
				require.ErrorIs(t, err, c.err)
				require.ErrorContains(t, err, c.message(l))
				require.Equal(t, before, files(t, l.fs, "/data"), "a refusal changes nothing")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.rows, count(t, s))
			next := int(1000 + c.rows)
			insert(t, s, s.Catalog().Current().Table("test", "t"), next)
			after := crash(l.fs)
			require.NoError(t, s.Close())
			for _, fs := range []*vfs.MemFS{l.fs, after} { // the option is for one start
				s := open(t, Options{FS: fs, Logger: quiet()})
				require.Equal(t, c.rows+1, count(t, s))
				require.NoError(t, s.Close())
			}
			if c.until != nil && c.rows < 30 {
				_, err := tryOpen(o)
				require.Error(t, err, "the same option again would throw away what was committed since")
			}
		})
	}
}

// TestDamageIsNamed: file, offset and remedy are in the message.
func TestDamageIsNamed(t *testing.T) {
	l := live(t, 12)
	edit(t, l.fs, "binlog.000002", flip(l.ends[15].Offset-40))
	_, err := tryOpen(Options{FS: l.fs, Logger: quiet()})
	var ce *binlog.CorruptError
	require.ErrorAs(t, err, &ce)
	require.Contains(t, ce.File, "binlog.000002")
	require.GreaterOrEqual(t, ce.Offset, l.ends[14].Offset)
	require.Less(t, ce.Offset, l.ends[15].Offset)
	for _, part := range []string{"binlog.000002", "offset", "duramen binlog show", "--recover-until=", "backup"} {
		require.True(t, strings.Contains(err.Error(), part), "%q in %v", part, err)
	}
	var oe *OpenError
	require.ErrorAs(t, err, &oe)
	require.NotEmpty(t, oe.Hint)
}

// TestVerifyLog finds damage that no recovery would read.
func TestVerifyLog(t *testing.T) {
	l := live(t, 25)
	edit(t, l.fs, "binlog.000001", flip(l.ends[5].Offset-40))
	_, err := tryOpen(Options{FS: l.fs, Logger: quiet(), VerifyLog: true})
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "binlog.000001")
	s := open(t, Options{FS: l.fs, Logger: quiet()})
	require.EqualValues(t, 30, count(t, s))
}

// TestInterruptedReplay: an engine with a part of a transaction is right only with the rest of it.
func TestInterruptedReplay(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem, Logger: quiet()})
	tbl := createTable(t, s)
	insert(t, s, tbl, 1)
	require.NoError(t, s.Checkpoint(ctx))
	mark := s.Engine().Durable()
	change(t, s, replay.UnfinishedKey(), []byte{}) // as a replay of the next one leaves it
	b, err := s.Engine().Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark, b)
	level := crash(mem)
	insert(t, s, tbl, 2)
	behind := crash(mem)
	require.NoError(t, s.Close())

	before := files(t, level, "/data")
	_, err = tryOpen(Options{FS: level, Logger: quiet()})
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "holds a part of the transaction after "+place(mark.Position))
	require.Equal(t, before, files(t, level, "/data"))

	_, err = tryOpen(Options{FS: behind, Logger: quiet(), RecoverUntil: until(t, place(mark.Position))})
	require.ErrorIs(t, err, ErrCorrupt)
	s = open(t, Options{FS: behind, Logger: quiet()})
	require.EqualValues(t, 2, count(t, s))
}
