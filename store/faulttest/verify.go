package faulttest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/row/rowtest"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// restart opens a store on a healthy disk, with the LSM engine or the engines given, and compares it with the ledger.
func restart(ctx context.Context, fs *crashfs.FS, led *ledger, engines ...engine.Kind) error {
	s, err := store.Open(ctx, options(store.Options{FS: fs, Engines: engines, VerifyLog: true}))
	if err != nil {
		return err
	}
	err = verify(ctx, s, led)
	if err == nil {
		c := &session{s: s, led: &ledger{fate: map[int]fate{}}}
		if s.Catalog().Current().Table("test", "a") == nil {
			c.tables(ctx)
		}
		c.transact(ctx, 5000, 0)
		if len(c.led.log) > 0 {
			err = fmt.Errorf("the recovered store does not work: %q", c.led.log)
		}
	}
	return errors.Join(err, s.Close())
}

func verify(ctx context.Context, s *store.Store, led *ledger) error {
	led.mu.Lock()
	defer led.mu.Unlock()
	results, err := s.CheckAll(ctx)
	if err != nil {
		return err
	}
	for _, r := range results {
		if !r.OK() {
			return fmt.Errorf("table %s: %v", r.Table, r.Problems)
		}
	}
	snapshot := s.Catalog().Current()
	a, b := snapshot.Table("test", "a"), snapshot.Table("test", "b")
	if (a == nil) != (b == nil) {
		return errors.New("a statement was done in part")
	}
	if a == nil {
		if led.tables == acked {
			return errors.New("the tables are gone")
		}
		return nil
	}
	if led.tables == refused {
		return errors.New("tables are there that were refused")
	}
	inA, hot, err := rows(ctx, s, a)
	if err != nil {
		return err
	}
	inB, _, err := rows(ctx, s, b)
	if err != nil {
		return err
	}
	last := 0
	for n := 1; n < 5000; n++ {
		if !slices.Equal(inA[n], inB[n]) {
			return fmt.Errorf("transaction %d is there in part: %v and %v", n, inA[n], inB[n])
		}
		there := len(inA[n]) > 0
		if there {
			last = n
		}
		switch was := led.fate[n]; {
		case was == acked && !there:
			return fmt.Errorf("transaction %d was acknowledged and is gone", n)
		case there && was != acked && was != maybe:
			return fmt.Errorf("transaction %d is there, though it was refused or never made", n)
		}
	}
	if hot != last {
		return fmt.Errorf("the hot row says %d, the last transaction is %d", hot, last)
	}
	return nil
}

// rows are the ids of a table, by transaction, and the value of the hot row.
func rows(ctx context.Context, s *store.Store, tbl *catalog.Table) (byTransaction map[int][]int, hot int, err error) {
	x := s.Txns().Begin(txn.Options{})
	defer x.Rollback()
	cursor, err := x.Scan(ctx, txn.ScanSpec{Table: tbl, Index: -1, Mode: txn.Latest})
	if err != nil {
		return nil, 0, err
	}
	byTransaction = map[int][]int{}
	for cursor.Next() {
		vals, derr := rowtest.Decode(tbl.Columns, cursor.Image())
		if derr != nil {
			return nil, 0, errors.Join(derr, cursor.Close())
		}
		id, n := int(vals[0].(int64)), int(vals[1].(int64))
		if id == 0 {
			hot = n
			continue
		}
		byTransaction[n] = append(byTransaction[n], id)
	}
	return byTransaction, hot, errors.Join(cursor.Err(), cursor.Close())
}
