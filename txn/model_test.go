package txn

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn/lock"
)

// modelRow is a row of accounts; u == "" is NULL.
type modelRow struct {
	k int
	u string
}

func (m modelRow) vals(id int) []any {
	if m.u == "" {
		return acc(id, m.k, nil)
	}
	return acc(id, m.k, m.u)
}

type state map[int]modelRow

// modelTxn is a transaction and what the model knows of it.
type modelTxn struct {
	*Txn
	rc      bool
	view    state             // nil until the first read
	own     map[int]*modelRow // nil row: deleted
	stmt    map[int]*modelRow // own at the start of the statement
	saves   []modelSave
	pending chan error
}

type modelSave struct {
	name string
	own  map[int]*modelRow
}

func (x *modelTxn) over(base state) state {
	s := maps.Clone(base)
	for id, r := range x.own {
		if r == nil {
			delete(s, id)
		} else {
			s[id] = *r
		}
	}
	return s
}

// model runs one random history, step by step, against the simplest thing that
// could be right: maps. Nobody waits for a lock; what is refused for a
// lock must leave everything as it was.
type model struct {
	*harness
	rt        *rapid.T
	tbl       *catalog.Table
	applied   state // what readers see
	sequenced state // what writers see
	txns      []*modelTxn
	inLog     []*modelTxn // sequenced, and not applied
	release   func()
	busy      int // operations that met a lock
}

func (m *model) int(n int, what string) int { return rapid.IntRange(0, n-1).Draw(m.rt, what) }

func (m *model) pick() *modelTxn {
	if len(m.txns) == 0 {
		return nil
	}
	return m.txns[m.int(len(m.txns), "txn")]
}

func (m *model) remove(x *modelTxn) {
	m.txns = slices.DeleteFunc(m.txns, func(y *modelTxn) bool { return x == y })
}

func (m *model) begin() {
	if len(m.txns) == 4 {
		return
	}
	o := Options{LockWaitTimeout: -1}
	x := &modelTxn{rc: rapid.Bool().Draw(m.rt, "read committed"), own: map[int]*modelRow{}}
	if x.rc {
		o.Isolation = ReadCommitted
	}
	x.Txn = m.m.Begin(o)
	m.txns = append(m.txns, x)
	m.statement(x)
}

func (m *model) statement(x *modelTxn) {
	x.EndStatement()
	x.BeginStatement("", false)
	x.stmt = maps.Clone(x.own)
	if x.rc {
		x.view = nil
	}
}

func (m *model) equal(want state, got [][]any, what string) {
	var list [][]any
	for _, id := range slices.Sorted(maps.Keys(want)) {
		list = append(list, want[id].vals(id))
	}
	slices.SortFunc(got, func(a, b []any) int { return int(a[0].(int64) - b[0].(int64)) })
	require.Equal(m.rt, list, got, what)
}

func (m *model) read(x *modelTxn) {
	if x.view == nil {
		x.view = maps.Clone(m.applied)
	}
	index := m.int(3, "index") - 1
	m.equal(x.over(x.view), m.scanSpec(x.Txn, ScanSpec{Table: m.tbl, Index: index, Mode: Snapshot, Reverse: rapid.Bool().Draw(m.rt, "reverse")}), "read view")
}

func (m *model) readLatest(x *modelTxn) {
	m.equal(x.over(m.sequenced), m.scanSpec(x.Txn, ScanSpec{Table: m.tbl, Index: m.int(3, "index") - 1, Mode: Latest}), "latest")
}

func (m *model) readLocked(x *modelTxn) {
	c, err := x.Scan(ctx, ScanSpec{Table: m.tbl, Index: m.int(3, "index") - 1, Mode: ReadMode(2 + m.int(2, "mode"))})
	require.NoError(m.rt, err)
	var got [][]any
	for c.Next() {
		got = append(got, values(m, m.tbl, c.Image()))
	}
	require.NoError(m.rt, c.Close())
	if errors.Is(c.Err(), ErrLockWaitTimeout) {
		m.busy++
		return
	}
	require.NoError(m.rt, c.Err())
	m.equal(x.over(m.sequenced), got, "locking read")
}

func (m *model) row() modelRow {
	return modelRow{k: m.int(4, "k"), u: []string{"", "a", "b", "c", "d"}[m.int(5, "u")]}
}

// conflict finds the row that stands in the way of r with this id.
func conflict(s state, id, self int, r modelRow) (other, index int, found bool) {
	if _, taken := s[id]; taken && id != self {
		return id, -1, true
	}
	if r.u != "" {
		for other, x := range s {
			if other != self && x.u == r.u {
				return other, byU, true
			}
		}
	}
	return 0, 0, false
}

// result compares the outcome of a change of row self into (id, r).
func (m *model) result(err error, s state, id, self int, r modelRow, x *modelTxn) {
	if errors.Is(err, ErrLockWaitTimeout) {
		m.busy++
		return
	}
	other, index, dup := conflict(s, id, self, r)
	if !dup {
		require.NoError(m.rt, err)
		if now, exists := s[id]; exists && now == r {
			return // an update to what the row is already is none, as in InnoDB
		}
		if self >= 0 && self != id {
			x.own[self] = nil
		}
		x.own[id] = &r
		return
	}
	var d *DuplicateKeyError
	require.ErrorAs(m.rt, err, &d)
	require.Equal(m.rt, index, d.Index)
	require.Equal(m.rt, s[other].vals(other), values(m, m.tbl, d.Existing))
}

func (m *model) insert(x *modelTxn) {
	id, r := m.int(6, "id"), m.row()
	err := x.Insert(ctx, m.tbl, image(m, m.tbl, r.vals(id)...))
	m.result(err, x.over(m.sequenced), id, -1, r, x)
}

// change updates or deletes a row that was read from the latest state, or from an old view.
func (m *model) change(x *modelTxn) {
	latest := x.over(m.sequenced)
	from := latest
	if x.view != nil && rapid.Bool().Draw(m.rt, "from view") {
		from = x.over(x.view)
	}
	if len(from) == 0 {
		return
	}
	ids := slices.Sorted(maps.Keys(from))
	id := ids[m.int(len(ids), "row")]
	before := image(m, m.tbl, from[id].vals(id)...)
	key := rowKey(m, m.tbl, id)
	now, exists := latest[id]
	changed := !exists || now != from[id]
	if rapid.Bool().Draw(m.rt, "delete") {
		err := x.Delete(ctx, m.tbl, key, before)
		switch {
		case errors.Is(err, ErrLockWaitTimeout):
			m.busy++
		case changed:
			require.ErrorIs(m.rt, err, ErrRowChanged)
		default:
			require.NoError(m.rt, err)
			x.own[id] = nil
		}
		return
	}
	to, r := id, m.row()
	if rapid.Bool().Draw(m.rt, "move") {
		to = m.int(6, "id")
	}
	err := x.Update(ctx, m.tbl, key, before, image(m, m.tbl, r.vals(to)...))
	if changed && !errors.Is(err, ErrLockWaitTimeout) {
		require.ErrorIs(m.rt, err, ErrRowChanged)
		return
	}
	m.result(err, latest, to, id, r, x)
}

func (m *model) savepoint(x *modelTxn) {
	name := fmt.Sprint("s", m.int(3, "name"))
	i := slices.IndexFunc(x.saves, func(s modelSave) bool { return s.name == name })
	switch m.int(3, "what") {
	case 0:
		x.Savepoint(name)
		if i >= 0 {
			x.saves = slices.Delete(x.saves, i, i+1)
		}
		x.saves = append(x.saves, modelSave{name, maps.Clone(x.own)})
		m.statement(x)
	case 1:
		err := x.RollbackTo(name)
		require.Equal(m.rt, i < 0, err != nil)
		if i >= 0 {
			x.own = maps.Clone(x.saves[i].own)
			x.saves = x.saves[:i+1]
		}
		m.statement(x)
	case 2:
		require.Equal(m.rt, i < 0, x.Release(name) != nil)
		if i >= 0 {
			x.saves = x.saves[:i]
		}
	}
}

func (m *model) rollbackStatement(x *modelTxn) {
	x.RollbackStatement()
	x.own = maps.Clone(x.stmt)
	x.BeginStatement("", false)
	if x.rc {
		x.view = nil
	}
}

func (m *model) commit(x *modelTxn) {
	m.remove(x)
	if x.writes.set.big != nil && m.release != nil {
		m.hold() // its locks are held until it is applied
	}
	changed := x.Changed()
	m.sequenced = x.over(m.sequenced)
	if m.release == nil {
		m.harness.commit(x.Txn)
		m.applied = m.sequenced
		return
	}
	before := m.m.sequenced.Load()
	x.pending = make(chan error, 1)
	go func() { _, err := x.Commit(ctx); x.pending <- err }()
	if !changed {
		require.NoError(m.rt, <-x.pending)
		return
	}
	for m.m.sequenced.Load() == before {
		runtime.Gosched()
	}
	m.inLog = append(m.inLog, x)
}

func (m *model) hold() {
	if m.release == nil {
		m.release = m.p.hold()
		return
	}
	m.release()
	m.release = nil
	for _, x := range m.inLog {
		require.NoError(m.rt, <-x.pending)
	}
	m.inLog = nil
	m.applied = m.sequenced
}

func (m *model) step() {
	if m.int(10, "what") == 0 {
		m.hold()
		return
	}
	x := m.pick()
	if x == nil || m.int(8, "begin") == 0 {
		m.begin()
		return
	}
	switch m.int(16, "op") {
	case 0, 1:
		m.read(x)
	case 2:
		m.readLatest(x)
	case 3:
		m.readLocked(x)
	case 4, 5, 6:
		m.insert(x)
	case 7, 8, 9, 10:
		m.change(x)
	case 11:
		m.statement(x)
	case 12:
		m.savepoint(x)
	case 13:
		m.rollbackStatement(x)
	case 14:
		m.commit(x)
	case 15:
		m.remove(x)
		x.Rollback()
	}
}

// rapidTB lets the helpers of the harness fail a history, so that it is shrunk.
type rapidTB struct {
	testing.TB
	rt *rapid.T
}

func (t rapidTB) Errorf(format string, args ...any) { t.rt.Errorf(format, args...) }
func (t rapidTB) FailNow()                          { t.rt.FailNow() }

func TestModel(t *testing.T) {
	var steps, busy int
	var large int64
	rapid.Check(t, func(rt *rapid.T) {
		h := &harness{TB: rapidTB{t, rt}, fs: vfs.NewMem()}
		if memory := rapid.SampledFrom([]int{0, 0, 1, 400, 3000}).Draw(rt, "memory"); memory > 0 {
			h.config = func(c *Config) {
				h.spilling(c)
				c.BinlogCacheSize = rapid.SampledFrom([]int64{1, 100, 1000}).Draw(rt, "cache")
				c.WriteSetMemory = memory
			}
		}
		h.open()
		h.m.locks.SetEscalationMinForTesting(rapid.SampledFrom([]int{1, 3, lock.EscalationMin}).Draw(rt, "escalationMin"))
		h.m.pending.layerMin = rapid.SampledFrom([]int{1, 4, layerMin}).Draw(rt, "layerMin")
		h.m.gapWait = rapid.SampledFrom([]int{1, gapWaitMin}).Draw(rt, "gapWait")
		m := &model{harness: h, rt: rt, tbl: h.create(accounts()), applied: state{}, sequenced: state{}}
		defer func() { // also if the history failed: its goroutines must end
			for _, x := range m.txns {
				x.Rollback()
			}
			if m.release != nil {
				m.hold()
			}
			h.close()
		}()
		n := rapid.IntRange(1, 120).Draw(rt, "steps")
		for range n {
			m.step()
		}
		steps, busy = steps+n, busy+m.busy
		for len(m.txns) > 0 {
			m.commit(m.txns[0])
		}
		if m.release != nil {
			m.hold()
		}
		m.equal(m.sequenced, h.table(m.tbl), "at the end")
		logged := map[int64][]any{}
		for _, r := range h.p.requests() {
			replayEvents(rt, m.tbl, r.Events, logged)
		}
		var list [][]any
		for _, id := range slices.Sorted(maps.Keys(logged)) {
			list = append(list, logged[id])
		}
		m.equal(m.sequenced, list, "by the events")
		large += h.p.large.Load()
	})
	t.Log("large transactions:", large, "steps:", steps, "refused for a lock:", busy)
}

// A transaction with many rows: layers of pending rows, and nothing left behind.
func TestLargeTransaction(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	const n = 3000
	insert := func(from int) *Txn {
		x := h.begin(Options{})
		for i := range n {
			h.insert(x, tbl, acc(from+i, i, nil)...)
		}
		return x
	}
	x := insert(0)
	x.RollbackStatement()
	require.Equal(t, n, x.LockCount())
	require.Empty(t, h.scan(x, tbl, byK, Snapshot))
	x.Rollback()
	x = insert(0)
	release := h.p.hold()
	done := make(chan error, 1)
	go func() { _, err := x.Commit(ctx); done <- err }()
	for h.m.Stats().Pending == 0 {
		runtime.Gosched()
	}
	y := insert(n)
	h.delete(y, tbl, 5)
	require.Len(t, h.scan(y, tbl, -1, Latest), 2*n-1)
	require.Len(t, h.scan(y, tbl, byK, LockShared), 2*n-1)
	release()
	require.NoError(t, <-done)
	h.commit(y)
	require.Len(t, h.table(tbl), 2*n-1)
}
