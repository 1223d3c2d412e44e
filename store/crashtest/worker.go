package crashtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	pipeline "github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/txn"
)

// worker runs random transactions, one after the other. Everything it decides
// comes from its own generator.
type worker struct {
	life *life
	id   int
	rng  *rand.Rand

	t       *txn.Txn
	tag     int64    // of t, unique, in the text of its statements
	changes []change // of t, without what was rolled back
}

// errGiveUp ends a transaction that was refused a lock or lost a race.
var errGiveUp = errors.New("transaction gives up")

// errDying ends a worker whose process is about to die: what became of its transaction, the log tells the next process.
var errDying = errors.New("outcome unknown")

// Row ids of keyed tables: few, so that workers meet.
const keysMax = 24

// hotKey is a row that everybody increments.
const hotKey = 1000

// run does up to n transactions, or fewer if the crash comes. The error is errDying if the process is about to die.
func (w *worker) run(ctx context.Context, n int) error {
	for range n {
		if w.life.crashed() || w.life.stepDies(ctx) {
			return nil
		}
		if err := w.transaction(ctx); err != nil {
			return fmt.Errorf("worker %d: %w", w.id, err)
		}
	}
	return nil
}

func (w *worker) transaction(ctx context.Context) error {
	o := txn.Options{
		Isolation:       txn.Isolation(w.rng.IntN(2)),
		LockWaitTimeout: 5 * time.Second,
		MetadataTimeout: 5 * time.Second,
		SkipBinlog:      w.rng.IntN(16) == 0,
		RowImage:        txn.RowImage(w.rng.IntN(3)),
		Domain:          uint32(w.rng.IntN(8) / 7),
	}
	seq := w.replicate(&o)
	w.begin(o)
	if seq > 0 {
		w.t.SetSeqNo(seq, w.rng.IntN(2) == 0)
	}
	var err error
	ddl := w.rng.IntN(12) == 0
	switch {
	case ddl:
		err = w.ddl(ctx)
	case w.life.lab.several() && w.rng.IntN(3) == 0:
		err = w.transfer(ctx)
	default:
		for range 1 + w.rng.IntN(5) {
			if err = w.statements(ctx); err != nil {
				break
			}
		}
	}
	switch {
	case errors.Is(err, errGiveUp), refused(err):
		w.t.Rollback()
		w.life.increment(&w.life.mu.gaveUp)
		return nil
	case err != nil:
		w.t.Rollback()
		return err
	case !ddl && w.rng.IntN(8) == 0:
		w.t.Rollback()
		return nil
	}
	if w.life.stepDies(ctx) {
		w.t.Rollback()
		return nil
	}
	return w.commit(ctx)
}

// refused tells the errors of a full or broken disk that the store met before
// anything was fixed, which is no failure of the store.
func refused(err error) bool {
	return errors.Is(err, binlog.ErrNoSpace) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EIO)
}

func (w *worker) begin(o txn.Options) {
	w.t, w.tag, w.changes = w.life.store.Txns().Begin(o), w.life.lab.tags.Add(1), nil
}

// sql is the text of a statement, with the transaction's tag.
func (w *worker) sql(text string) string { return fmt.Sprintf("%s /* %d */", text, w.tag) }

func (w *worker) commit(ctx context.Context) error {
	synced := w.life.committing(w.tag, w.changes)
	info, err := w.t.Commit(ctx)
	if errors.Is(err, pipeline.ErrOutcomeUnknown) {
		return errDying
	}
	w.life.committed(w.tag, info, synced)
	if refused(err) { // refused, and rolled back
		w.life.increment(&w.life.mu.refused)
		return nil
	}
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// statements runs one statement, or several after a savepoint, some of which are undone.
func (w *worker) statements(ctx context.Context) error {
	if w.rng.IntN(6) != 0 {
		return w.statement(ctx)
	}
	w.t.Savepoint("s")
	mark := len(w.changes)
	for range 1 + w.rng.IntN(3) {
		if err := w.statement(ctx); err != nil {
			return err
		}
	}
	if w.rng.IntN(2) == 0 {
		if err := w.t.RollbackTo("s"); err != nil {
			return err
		}
		w.changes = w.changes[:mark]
	}
	return w.t.Release("s")
}

// statement runs one statement; one that fails, or is chosen to fail, leaves no trace.
func (w *worker) statement(ctx context.Context) error {
	if err := w.life.step(ctx); err != nil {
		return err
	}
	t, err := w.table(ctx)
	if err != nil {
		return err
	}
	if t == nil {
		return nil
	}
	w.t.BeginStatement(w.sql("a statement"), true)
	mark := len(w.changes)
	switch {
	case t.Keyless():
		err = w.changeKeyless(ctx, t)
	case w.rng.IntN(4) == 0:
		err = w.increment(ctx, t)
	default:
		for range 1 + w.rng.IntN(4) {
			if err = w.changeKeyed(ctx, t); err != nil {
				break
			}
		}
	}
	var dup *txn.DuplicateKeyError
	switch {
	case errors.As(err, &dup), errors.Is(err, txn.ErrRowChanged), err == nil && w.rng.IntN(10) == 0:
		w.t.RollbackStatement()
		w.changes = w.changes[:mark]
		return nil
	case errors.Is(err, txn.ErrDeadlock), errors.Is(err, txn.ErrLockWaitTimeout):
		return errGiveUp
	case err != nil:
		return err
	}
	w.t.EndStatement()
	return nil
}

// table picks a table and locks its name. It is nil if there is none of the name.
func (w *worker) table(ctx context.Context) (*catalog.Table, error) {
	name := tableNames[w.rng.IntN(len(tableNames))]
	if err := w.lockName(ctx, name, txn.IntentExclusive); err != nil {
		return nil, err
	}
	return w.t.Catalog().Table(database, name), nil
}

func (w *worker) lockName(ctx context.Context, name string, mode txn.LockMode) error {
	err := w.t.LockTable(ctx, database, name, mode)
	if errors.Is(err, txn.ErrDeadlock) || errors.Is(err, txn.ErrLockWaitTimeout) {
		return errGiveUp
	}
	return err
}

func (w *worker) record(id int64) record {
	r := record{id: id, n: int64(w.rng.IntN(50)), text: w.text()}
	if w.rng.IntN(3) > 0 {
		r.u = int64(w.rng.IntN(200))
	}
	return r
}

// text is mostly short, and sometimes so long that a group spans blocks.
func (w *worker) text() string {
	n := w.rng.IntN(40)
	if w.rng.IntN(20) == 0 {
		n = w.rng.IntN(12000)
	}
	return string(bytes.Repeat([]byte{byte('a' + w.rng.IntN(26))}, n))
}

// changeKeyed inserts, updates, moves or deletes one row of a keyed table.
func (w *worker) changeKeyed(ctx context.Context, t *catalog.Table) error {
	id := int64(1 + w.rng.IntN(keysMax))
	before, key, err := w.get(ctx, t, id)
	if err != nil {
		return err
	}
	if before == nil {
		return w.insert(ctx, t, w.record(id))
	}
	if w.rng.IntN(4) == 0 {
		if err := w.t.Delete(ctx, t, key, before); err != nil {
			return err
		}
		w.changes = append(w.changes, change{table: t.ID(), key: id, before: string(before)})
		return nil
	}
	r, err := decode(t, before)
	if err != nil {
		return err
	}
	next := w.record(id)
	switch w.rng.IntN(4) {
	case 0:
		next.text = r.text // only numbers change: NOBLOB leaves the text out
	case 1:
		next.n, next.u = r.n, r.u
	case 2:
		next.id = int64(1 + w.rng.IntN(keysMax)) // the row moves
	}
	return w.update(ctx, t, key, before, next)
}

// increment adds one to a row that every worker wants.
func (w *worker) increment(ctx context.Context, t *catalog.Table) error {
	before, key, err := w.get(ctx, t, hotKey)
	if err != nil {
		return err
	}
	if before == nil {
		return w.insert(ctx, t, record{id: hotKey, n: 1})
	}
	r, err := decode(t, before)
	if err != nil {
		return err
	}
	r.n++
	return w.update(ctx, t, key, before, r)
}

// get reads a row by its primary key and locks it.
func (w *worker) get(ctx context.Context, t *catalog.Table, id int64) (image, key []byte, err error) {
	probe, err := encode(t, record{id: id})
	if err != nil {
		return nil, nil, err
	}
	if key, err = t.PrimaryKey(nil, probe); err != nil {
		return nil, nil, err
	}
	image, ok, err := w.t.Get(ctx, t, key, txn.LockExclusive, txn.Wait)
	if err != nil || !ok {
		return nil, key, err
	}
	return image, key, nil
}

func (w *worker) insert(ctx context.Context, t *catalog.Table, r record) error {
	image, err := encode(t, r)
	if err != nil {
		return err
	}
	if err := w.t.Insert(ctx, t, image); err != nil {
		return err
	}
	c := change{table: t.ID(), after: string(image)}
	if !t.Keyless() {
		c.key = r.id
	}
	w.changes = append(w.changes, c)
	return nil
}

func (w *worker) update(ctx context.Context, t *catalog.Table, key, before []byte, r record) error {
	old, err := decode(t, before)
	if err != nil {
		return err
	}
	after, err := encode(t, r)
	if err != nil {
		return err
	}
	if err := w.t.Update(ctx, t, key, before, after); err != nil {
		return err
	}
	switch {
	case t.Keyless():
		w.changes = append(w.changes, change{table: t.ID(), before: string(before), after: string(after)})
	case old.id == r.id:
		w.changes = append(w.changes, change{table: t.ID(), key: r.id, before: string(before), after: string(after)})
	default:
		w.changes = append(w.changes, change{table: t.ID(), key: old.id, before: string(before)},
			change{table: t.ID(), key: r.id, after: string(after)})
	}
	return nil
}

// changeKeyless inserts rows, or changes one of the first rows it can lock.
func (w *worker) changeKeyless(ctx context.Context, t *catalog.Table) error {
	if w.rng.IntN(2) == 0 {
		for range 1 + w.rng.IntN(4) {
			r := w.record(w.life.nextID())
			if w.rng.IntN(8) == 0 {
				r.id = 1 // rows that are equal to others
				r.n, r.u, r.text = 1, nil, "same"
			}
			if err := w.insert(ctx, t, r); err != nil {
				return err
			}
		}
		return nil
	}
	cursor, err := w.t.Scan(ctx, txn.ScanSpec{Table: t, Index: -1, Mode: txn.LockExclusive, Wait: txn.SkipLocked, Reverse: w.rng.IntN(2) == 0})
	if err != nil {
		return err
	}
	defer cursor.Close()
	found := false
	for skip := w.rng.IntN(3); skip >= 0 && cursor.Next(); skip-- {
		found = skip == 0
	}
	if err := cursor.Err(); err != nil || !found {
		return err
	}
	key, before := bytes.Clone(cursor.RowKey()), bytes.Clone(cursor.Image())
	if err := cursor.Close(); err != nil {
		return err
	}
	if w.rng.IntN(2) == 0 {
		if err := w.t.Delete(ctx, t, key, before); err != nil {
			return err
		}
		w.changes = append(w.changes, change{table: t.ID(), before: string(before)})
		return nil
	}
	return w.update(ctx, t, key, before, w.record(w.life.nextID()))
}
