package txn

import (
	"context"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn/lock"
)

// getter is what engines and their snapshots have in common.
type getter interface {
	Get(key []byte) (value []byte, ok bool, release func(), err error)
}

var (
	_ getter = engine.Engine(nil)
	_ getter = engine.Snapshot(nil)
)

// read copies a value.
func read(g getter, key []byte) (value []byte, ok bool, err error) {
	v, ok, release, err := g.Get(key)
	if err != nil || !ok {
		return nil, false, err
	}
	value = make([]byte, len(v))
	copy(value, v)
	release()
	return value, true, nil
}

// lockModeOf is the lock that a read takes.
func (t *Txn) lockModeOf(mode ReadMode) lock.Mode {
	switch {
	case mode == LockExclusive:
		return lock.Exclusive
	case mode == LockShared, (mode == Snapshot || mode == Alone) && t.opts.Isolation == Serializable && !t.opts.Autocommit:
		return lock.Shared
	}
	return lock.None
}

// Get reads the row with this full key. The image belongs to the caller.
func (t *Txn) Get(ctx context.Context, tbl *catalog.Table, rowKey []byte, mode ReadMode, wait WaitPolicy) (image []byte, ok bool, err error) {
	if t.finished {
		return nil, false, ErrFinished
	}
	if strength := t.lockModeOf(mode); strength != lock.None {
		if _, err := t.lockRow(ctx, rowKey, strength, wait); err != nil {
			if wait == SkipLocked && errors.Is(err, ErrNoWait) {
				return nil, false, nil
			}
			return nil, false, rowError(tbl, err)
		}
		image, ok, err = t.latest(rowKey)
		t.locked.note(rowKey, image, strength)
		return image, ok, err
	}
	if mode == Latest {
		return t.latest(rowKey)
	}
	if image, written, err := t.writes.get(rowKey); written || err != nil {
		return image, image != nil, err
	}
	if mode == Alone {
		t.mu.Lock()
		none := t.mu.view == nil
		t.mu.Unlock()
		if none { // the engine itself is the view
			v := view{cat: t.m.cfg.Catalog.Current()}
			if err := v.check(t, tbl, -1); err != nil {
				return nil, false, err
			}
			return read(t.m.cfg.Engine, rowKey)
		}
	}
	v := t.useView(mode)
	defer v.unref()
	if err := v.check(t, tbl, -1); err != nil {
		return nil, false, err
	}
	return read(v.snap, rowKey)
}

// GetPresent is Get with a lock, unless there is no row with the key: then nothing is locked, as by a scan that does not come to the key. Passed tells
// of a row that comes there later.
func (t *Txn) GetPresent(ctx context.Context, tbl *catalog.Table, rowKey []byte, mode ReadMode, wait WaitPolicy) (image []byte, ok bool, err error) {
	if t.finished {
		return nil, false, ErrFinished
	}
	strength := t.lockModeOf(mode)
	if strength == lock.None {
		return t.Get(ctx, tbl, rowKey, mode, wait)
	}
	sequenced := t.m.sequenced.Load()
	if image, ok, err = t.latest(rowKey); !ok || err != nil {
		return nil, false, err
	}
	if _, err := t.lockRow(ctx, rowKey, strength, wait); err != nil {
		if wait == SkipLocked && errors.Is(err, ErrNoWait) {
			return nil, false, nil
		}
		return nil, false, rowError(tbl, err)
	}
	if t.m.sequenced.Load() != sequenced { // else nobody has changed it since
		image, ok, err = t.latest(rowKey)
	}
	t.locked.note(rowKey, image, strength)
	return image, ok, err
}

func rowError(tbl *catalog.Table, err error) error {
	return fmt.Errorf("%s.%s: %w", tbl.Def.DB, tbl.Def.Name, err)
}

// latest is the newest value of a key: own, sequenced, or applied. If the caller
// has the key locked it stays the newest.
func (t *Txn) latest(key []byte) (value []byte, ok bool, err error) {
	if v, written, err := t.writes.get(key); written || err != nil {
		return v, v != nil, err
	}
	if v, seq, found := t.m.pending.get(key); found {
		t.unapplied.saw(seq)
		return v, v != nil, nil
	}
	return read(t.m.cfg.Engine, key)
}

// AwaitVisible waits until everything that this transaction has read is
// durable and applied. A locking read (or one of mode Latest) may have seen rows of
// a commit that is still on its way to the disk: they must not leave the server
// before. It returns at once if there was none, and the cause if ctx ends.
func (t *Txn) AwaitVisible(ctx context.Context) error { return t.unapplied.await(ctx, t.m.pending) }

// Warm looks a key up in the engine, so that who asks for it soon need not wait for the disk.
func (m *Manager) Warm(key []byte) error {
	_, ok, release, err := m.cfg.Engine.Get(key)
	if err == nil && ok {
		release()
	}
	return err
}
