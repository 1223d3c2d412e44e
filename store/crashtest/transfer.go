package crashtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// Over several engines the clients also transfer money between two tables, which begin in different engines, are copied
// from one to another now and then, and are never dropped or emptied by a restart. Nobody may ever see half of a transfer: the sum of all
// balances stays the same.

// accountTables are the tables with the balances, in column n.
var accountTables = []string{"acc0", "acc1"}

const (
	accountsEach   = 3
	balanceAtFirst = 100
	balances       = 2 * accountsEach * balanceAtFirst
)

func isAccounts(name string) bool { return name == accountTables[0] || name == accountTables[1] }

// createAccounts makes the tables and their rows, unless they are there.
func (lf *life) createAccounts(ctx context.Context) error {
	if !lf.lab.several() {
		return nil
	}
	engines := lf.lab.lasting()
	w := &worker{life: lf, rng: lf.lab.newRNG()}
	if lf.store.Catalog().Current().Table(database, accountTables[0]) == nil {
		w.begin(txn.Options{})
		var c catalog.Change
		for i, name := range accountTables {
			def := newDef(w.t.NewTableID(), name, false)
			def.Engine = engines[i%len(engines)]
			c.Tables = append(c.Tables, def)
			w.changes = append(w.changes, change{kind: createTable, table: def.ID, name: name})
		}
		if err := w.change(c, "CREATE TABLE accounts"); err != nil {
			return err
		}
		if err := w.commit(ctx); err != nil {
			return err
		}
	}
	w.begin(txn.Options{})
	for _, name := range accountTables {
		t := w.t.Catalog().Table(database, name)
		for id := range int64(accountsEach) {
			before, _, err := w.get(ctx, t, id+1)
			if err != nil {
				return err
			}
			if before != nil {
				w.t.Rollback()
				return nil
			}
			w.t.BeginStatement(w.sql("a deposit"), true)
			if err := w.insert(ctx, t, record{id: id + 1, n: balanceAtFirst}); err != nil {
				return err
			}
			w.t.EndStatement()
		}
	}
	return w.commit(ctx)
}

// transfer moves money from a row of one table to one of the other.
func (w *worker) transfer(ctx context.Context) error {
	order, amount := w.rng.IntN(2), int64(1+w.rng.IntN(9))
	for i := range accountTables {
		name := accountTables[(i+order)%2]
		if err := w.lockName(ctx, name, txn.IntentExclusive); err != nil {
			return err
		}
		t := w.t.Catalog().Table(database, name)
		if t == nil {
			return errGiveUp // their creation was refused by a full disk
		}
		if err := w.life.step(ctx); err != nil {
			return err
		}
		w.t.BeginStatement(w.sql("a transfer"), true)
		before, key, err := w.get(ctx, t, int64(1+w.rng.IntN(accountsEach)))
		if errors.Is(err, txn.ErrDeadlock) || errors.Is(err, txn.ErrLockWaitTimeout) || err == nil && before == nil {
			return errGiveUp
		}
		if err != nil {
			return err
		}
		r, err := decode(t, before)
		if err != nil {
			return err
		}
		r.n += amount
		amount = -amount
		if err := w.update(ctx, t, key, before, r); err != nil {
			return err
		}
		w.t.EndStatement()
	}
	w.life.saw("transfer")
	return nil
}

// readAccounts reads all balances, in one of the ways in which a client can, and adds them up.
func (lf *life) readAccounts(ctx context.Context, rng *rand.Rand) error {
	how := []string{"snapshot", "READ COMMITTED", "locking"}[rng.IntN(3)]
	o := txn.Options{}
	mode := txn.Snapshot
	switch how {
	case "READ COMMITTED":
		o.Isolation = txn.ReadCommitted
	case "locking":
		mode = txn.LockShared
	}
	t := lf.store.Txns().Begin(o)
	defer t.Rollback()
	t.BeginStatement("a sum", false)
	sum, rows := int64(0), 0
	first := rng.IntN(2)
	for i := range accountTables {
		name := accountTables[(i+first)%2]
		if err := t.LockTable(ctx, database, name, txn.IntentShared); err != nil {
			return unlessBusy(err)
		}
		tbl := t.Catalog().Table(database, name)
		if tbl == nil {
			return nil
		}
		if err := lf.step(ctx); err != nil {
			return nil // the power has failed
		}
		cursor, err := t.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: mode})
		if err != nil {
			return unlessBusy(err)
		}
		for cursor.Next() {
			r, err := decode(tbl, cursor.Image())
			if err != nil {
				return errors.Join(err, cursor.Close())
			}
			sum, rows = sum+r.n, rows+1
		}
		if err := errors.Join(cursor.Err(), cursor.Close()); err != nil {
			return unlessBusy(err)
		}
	}
	if rows == 0 {
		return nil // of a moment before the deposits
	}
	lf.saw("sum, " + how)
	if sum != balances || rows != 2*accountsEach {
		return fmt.Errorf("a %s read saw half of a transfer between engines: %d rows with the sum %d, not %d", how, rows, sum, balances)
	}
	return nil
}

// unlessBusy is nil for an error of who waits for others, or whose table was altered.
func unlessBusy(err error) error {
	if errors.Is(err, txn.ErrDeadlock) || errors.Is(err, txn.ErrLockWaitTimeout) || errors.Is(err, txn.ErrTableChanged) || errors.Is(err, txn.ErrRowChanged) {
		return nil
	}
	return err
}

// verifyAccounts checks that the tables have all balances, or none yet.
func (db dbState) verifyAccounts() error {
	sum, rows := int64(0), 0
	for _, s := range db {
		if !isAccounts(s.name) {
			continue
		}
		for _, image := range s.rows {
			tbl, err := catalog.NewTable(newDef(s.id, s.name, false), nil)
			if err != nil {
				return err
			}
			r, err := decode(tbl, []byte(image))
			if err != nil {
				return err
			}
			sum, rows = sum+r.n, rows+1
		}
	}
	if rows != 0 && (rows != 2*accountsEach || sum != balances) {
		return fmt.Errorf("half of a transfer: %d balances with the sum %d", rows, sum)
	}
	return nil
}

// halves notices who gets half of a transfer from the log.
type halves struct{ touched map[string]bool }

// note looks at an event; ended says that it is the last of its group.
func (h *halves) note(ev []byte, ended bool) error {
	if !ended {
		e, err := event.Decode(ev)
		if err != nil {
			return err
		}
		if m, ok := e.Body.(*event.TableMapInfo); ok && isAccounts(m.Table) {
			if h.touched == nil {
				h.touched = map[string]bool{}
			}
			h.touched[m.Table] = true
		}
		return nil
	}
	n := len(h.touched)
	clear(h.touched)
	if n == 1 {
		return errors.New("the log has half of a transfer")
	}
	return nil
}
