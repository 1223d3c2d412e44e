package btree

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/cowtree"
)

// fillPercent is how full a page of the base is left that is split.
const fillPercent = 0.8

// Checkpoint makes everything durable that was applied before.
func (e *Engine) Checkpoint() (engine.Mark, error) {
	e.checkpoint.Lock()
	defer e.checkpoint.Unlock()
	m, err := e.checkpointLocked(false)
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		err = fmt.Errorf("btree: checkpoint: %w", err)
	}
	return m, err
}

// checkpointLocked takes over the layers that wait, from the oldest on: those that a checkpoint has left that failed, then the
// active delta. e.checkpoint is held.
func (e *Engine) checkpointLocked(reset bool) (m engine.Mark, err error) {
	if e.opts.NoMerge {
		return e.pretend()
	}
	if _, err := e.retired.end(); err != nil {
		return m, err
	}
	sealed := false
	var top *layer
	for {
		l := e.now.Load().waiting()
		if l == nil && !sealed {
			if top, m, err = e.seal(); err != nil || top == nil {
				return m, err
			}
			sealed = true
			continue
		}
		if l == nil {
			return m, nil
		}
		err := e.usable()
		if err == nil {
			err = e.takeOver(l, reset)
		}
		e.mu.Lock()
		e.mu.failing = err
		e.mu.changed.Broadcast()
		e.mu.Unlock()
		if err != nil {
			return engine.Mark{}, err
		}
		if l == top {
			return m, nil
		}
	}
}

// pretend is a checkpoint where nothing is ever durable.
func (e *Engine) pretend() (engine.Mark, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usableLocked(); err != nil {
		return engine.Mark{}, err
	}
	e.mu.durable = e.now.Load().mark
	return e.mu.durable, nil
}

// seal makes a layer of the active delta, nil if that would change nothing.
func (e *Engine) seal() (l *layer, m engine.Mark, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.usableLocked(); err != nil {
		return nil, m, err
	}
	next := *e.now.Load()
	if next.active.empty() && next.mark == e.mu.durable {
		return nil, next.mark, nil
	}
	l = &layer{delta: next.active, mark: next.mark}
	next.active = emptyDelta
	next.layers = append([]*layer{l}, next.layers...)
	e.now.Store(&next)
	e.mu.changed.Broadcast() // there is room again
	return l, l.mark, nil
}

// takeOver makes a layer durable, with its mark, and moves it into the base; what is too much for one transaction becomes a debt.
func (e *Engine) takeOver(l *layer, reset bool) error {
	durable := e.Durable()
	if e.opts.SyncLog != nil && !reset && l.mark.Position != durable.Position {
		if err := e.opts.SyncLog(l.mark.Position); err != nil {
			return e.fatal(fmt.Errorf("sync log up to %s before the engine's own file: %w", l.mark.Position, err))
		}
	}
	if err := e.payFor(l); err != nil {
		return err
	}
	v := e.now.Load()
	large, err := e.large(v.base, l)
	if err != nil {
		return e.fatal(err)
	}
	rest, err := e.debtOf(l, large)
	if err != nil {
		return err
	}
	started := time.Now()
	err = e.commit(v.base, func(tx *bolt.Tx) error {
		if err := merge(tx, v.base, l.delta, large); err != nil {
			return err
		}
		if err := putDebts(tx, v.replace(l, rest)); err != nil {
			return err
		}
		if l.mark == (engine.Mark{}) {
			return nil
		}
		return tx.Bucket(stateBucket).Put(markKey, sealed(markKey, appendMark(nil, l.mark)))
	})
	if err == nil {
		err = e.publish(&l.mark, func(now *version) { now.layers = now.replace(l, rest) })
		e.counters.checkpoints.Add(1)
		e.counters.time.Add(int64(time.Since(started)))
	}
	if rest == nil || rest.run == nil || rest.run == l.run {
		return err
	}
	if err != nil { // it was made for this attempt
		rest.run.release()
		return errors.Join(err, e.opts.FS.Remove(e.opts.FS.PathJoin(e.opts.Dir, rest.run.name)))
	}
	return nil
}

// payFor pays the debts that a layer has something for.
func (e *Engine) payFor(l *layer) error {
	last := (*layer)(nil) // that has to be paid, of those that are paid in order
	for v, i := e.now.Load(), 0; i < len(v.layers); i++ {
		if d := v.layers[i]; d.debt != nil && l.over(d) {
			last = d
			break
		}
	}
	if last == nil {
		return nil
	}
	for {
		oldest := e.now.Load().oldestDebt()
		end := oldest.sameDebt(last)
		for oldest != nil {
			if err := e.usable(); err != nil {
				return err
			}
			if err := e.pay(oldest); err != nil {
				return err
			}
			next := e.now.Load().oldestDebt()
			if next == nil || !next.sameDebt(oldest) {
				break
			}
			oldest = next
		}
		if end {
			return nil
		}
	}
}

// sameDebt says that two layers are the same debt, of which more or less is paid.
func (l *layer) sameDebt(other *layer) bool { return l.delta == other.delta && l.run == other.run }

// large are the spans of a layer that have too many keys of the base to be deleted in the same transaction as the rest.
func (e *Engine) large(b *base, l *layer) (large spans, err error) {
	keys := 0
	c := b.cursor()
	defer b.putBack(c)
	for _, s := range l.delta.spans {
		for k, _ := c.seek(s.lower); k != nil && string(k) < string(s.upper); k, _ = c.next() {
			if keys++; keys > e.opts.partKeys {
				large = append(large, s)
				break
			}
		}
		if c.err != nil {
			return nil, c.err
		}
	}
	if l.run == nil {
		return large, nil
	}
	for _, s := range large {
		if l.delta.tree.Overlaps(s.lower, s.upper) {
			// They would need a run, and there is one. It takes an import of a statement that fills what it has emptied.
			return nil, nil
		}
	}
	return large, nil
}

// debtOf is the debt that a layer leaves, nil for none: its large spans, and its run. Items of the delta within large spans
// would be deleted with what they stand for, so they are written into a run.
func (e *Engine) debtOf(l *layer, large spans) (*layer, error) {
	if l.run != nil {
		if err := syncDir(e.opts.FS, e.opts.Dir); err != nil {
			return nil, e.fatal(err)
		}
		return &layer{delta: &delta{spans: large}, run: l.run, debt: &debt{}}, nil
	}
	if len(large) == 0 {
		return nil, nil
	}
	rest := &layer{delta: &delta{spans: large}, debt: &debt{}}
	var err error
	rest.run, err = e.spill(l.delta, large)
	return rest, err
}

// spill writes the items of a delta within spans into a run, nil if there are none.
func (e *Engine) spill(d *delta, in spans) (r *run, err error) {
	var w *runWriter
	path := e.opts.FS.PathJoin(e.opts.Dir, runName(e.numbers.Add(1)))
	defer func() {
		if err != nil && w != nil {
			err = errors.Join(err, e.opts.FS.Remove(path))
		}
	}()
	var it cowtree.Iter
	it.Init(&d.tree)
	for _, s := range in {
		for it.SeekGE(s.lower); it.Valid() && it.Item().Compare(s.upper) < 0; it.Next() {
			if w == nil {
				if w, err = e.createRun(path); err != nil {
					return nil, err
				}
			}
			i := it.Item()
			var value []byte
			if !i.Deleted() {
				value = i.Value()
			}
			if err := w.add(i.Key(), value, i.Deleted()); err != nil {
				return nil, errors.Join(err, w.f.Close())
			}
		}
	}
	if w == nil {
		return nil, nil
	}
	if err := errors.Join(w.finish(), w.f.Close()); err != nil {
		return nil, err
	}
	if err := syncDir(e.opts.FS, e.opts.Dir); err != nil {
		return nil, e.fatal(err)
	}
	if r, err = openRun(e.opts.FS, path); err == nil {
		r.refs.Add(1) // of the layers
	}
	return r, err
}

// merge writes a delta into the file, except for large spans and what is in them.
func merge(tx *bolt.Tx, before *base, d *delta, large spans) error {
	rows, err := writeTo(tx, before)
	if err != nil {
		return err
	}
	c := before.cursor() // it does not see what is deleted meanwhile
	defer before.putBack(c)
	for _, s := range d.spans {
		if large.at(s.lower) != nil {
			continue
		}
		for k, _ := c.seek(s.lower); k != nil && string(k) < string(s.upper); k, _ = c.next() {
			if err := rows.delete(k); err != nil {
				return err
			}
		}
		if c.err != nil {
			return c.err
		}
	}
	var it cowtree.Iter
	it.Init(&d.tree)
	for it.First(); it.Valid(); it.Next() {
		i := it.Item()
		if large.at(i.Key()) != nil {
			continue
		}
		var err error
		if i.Deleted() {
			err = rows.delete(i.Key())
		} else {
			err = rows.put(i.Key(), i.Sealed(sumSize, seal))
		}
		if err != nil {
			return fmt.Errorf("key %x: %w", i.Key(), err)
		}
	}
	return nil
}

// writer writes rows in a transaction of bbolt, where what there was before is sound.
type writer struct {
	rows  *bolt.Bucket
	check careful
}

func writeTo(tx *bolt.Tx, before *base) (*writer, error) {
	// The state is small, and all of it is written again.
	c := cursor{tree: before.state}
	for k, _ := c.first(); k != nil; {
		k, _ = c.next()
	}
	if c.err != nil {
		return nil, c.err
	}
	w := &writer{rows: tx.Bucket(rowsBucket), check: careful{cursor: cursor{tree: before.rows}}}
	w.rows.FillPercent = fillPercent
	return w, nil
}

func (w *writer) put(key, sealed []byte) error {
	if err := w.check.check(key); err != nil {
		return err
	}
	return w.rows.Put(key, sealed)
}

func (w *writer) delete(key []byte) error {
	if err := w.check.check(key); err != nil {
		return err
	}
	return w.rows.Delete(key)
}

// commit is one transaction of bbolt. before is the newest base. Damage that it meets ends the engine: no other attempt
// would come further.
func (e *Engine) commit(before *base, f func(tx *bolt.Tx) error) error {
	err := guard(func() error { return e.commitOrPanic(before, f) })
	if errors.Is(err, engine.ErrDamaged) {
		return e.fatal(err)
	}
	return err
}

func (e *Engine) commitOrPanic(before *base, f func(tx *bolt.Tx) error) (err error) {
	tx, err := e.file.begin(true)
	if err != nil {
		return err
	}
	open := true
	defer func() {
		if open {
			err = errors.Join(err, e.file.end(tx))
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	if err := putEnds(tx); err != nil {
		return err
	}
	open = false
	err = e.file.locking(tx.Commit)
	stats := tx.Stats()
	e.counters.written.Add(uint64(stats.GetPageAlloc()))
	if err != nil && e.isFatal(err, before) {
		return e.fatal(err)
	}
	return err
}

// publish puts the new base in the place of the old one, and changes what else differs in the next version. m is the mark
// that is durable now, nil if it is the same.
func (e *Engine) publish(m *engine.Mark, change func(*version)) error {
	b, err := e.retired.newBase(e.file)
	if err != nil {
		return e.fatal(err)
	}
	e.mu.Lock()
	old := e.now.Load()
	next := *old
	next.base = b
	change(&next)
	for _, l := range next.layers {
		if l.run != nil {
			b.hold(l.run)
		}
	}
	e.now.Store(&next)
	if m != nil {
		e.mu.durable = *m
	}
	if next.oldestDebt() != nil && e.usableLocked() == nil {
		e.startLocked()
	}
	e.mu.Unlock()
	old.base.release()
	_, err = e.retired.end()
	return err
}

// isFatal tells errors after which the file is what it was before from those after which nobody knows.
func (e *Engine) isFatal(err error, before *base) bool {
	var f *failure
	var write *fs.PathError
	switch {
	case errors.As(err, &f):
		return f.fatal
	case errors.Is(err, berrors.ErrMaxSizeReached):
		return false
	case errors.As(err, &write), strings.HasPrefix(err.Error(), "file resize error"): // bbolt formats it with %s
		// Unless it was the write of the meta page, and that is there all the same.
		tx, err := e.file.begin(false)
		if err != nil {
			return true
		}
		id := tx.ID()
		return e.file.end(tx) != nil || id != before.tx.ID()
	}
	return true // a sync: its error is an errno and no more
}

// fatal ends the engine.
func (e *Engine) fatal(err error) error {
	err = fmt.Errorf("btree: the base's file in %s: %w", e.opts.Dir, err)
	e.mu.Lock()
	e.mu.broken = err
	e.mu.changed.Broadcast()
	e.mu.Unlock()
	e.opts.Fatal(err)
	return err
}
