package tables

import (
	"bytes"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Exchange gives a partition, by its place, the rows of another table, which gets those of the partition. Both tables are locked, and have the same
// columns. A row that does not belong into the partition is error 1737.
func (t *alterable) Exchange(ctx *sql.Context, place int, with *Table) error {
	find, err := finder(t.v.Def())
	if err != nil {
		return err
	}
	if err := with.eachImage(ctx, func(image []byte) error {
		at, err := find.Find(image)
		var e *mysqlerr.Error
		if errors.As(err, &e) && e.Number == mysqlerr.NoPartitionForGivenValue || err == nil && at != place {
			return mysqlerr.New(mysqlerr.ExchangeOtherRow)
		}
		return err
	}); err != nil {
		return err
	}
	here, err := t.copying(ctx)
	if err != nil {
		return err
	}
	there, err := with.copying(ctx)
	if err != nil {
		return err
	}
	last := uint64(0) // number of the rows that leave
	if err := t.eachImage(ctx, func(image []byte) error {
		at, err := find.Find(image)
		if err != nil {
			return err
		}
		if at != place {
			return here.w.Add(nil, bytes.Clone(image))
		}
		if last, err = t.counted(ctx, image, last); err != nil {
			return err
		}
		return there.w.Add(nil, bytes.Clone(image))
	}); err != nil {
		return err
	}
	if err := with.eachImage(ctx, func(image []byte) error { return here.w.Add(nil, bytes.Clone(image)) }); err != nil {
		return err
	}
	tx, err := txnOf(ctx)
	if err != nil {
		return err
	}
	var more uint64
	if t.v.Table.AutoIncrement >= 0 {
		if more, err = tx.PeekAutoIncrement(with.v.Table); err != nil {
			return err
		}
	}
	if err := errors.Join(here.Close(ctx), there.Close(ctx)); err != nil || t.v.Table.AutoIncrement < 0 {
		return err
	}
	for _, c := range []struct {
		id    uint32
		least uint64
		exact bool
	}{{here.def.ID, more, false}, {there.def.ID, last + 1, true}} {
		table := tx.Catalog().TableByID(c.id)
		now, err := tx.PeekAutoIncrement(table)
		if err == nil && (c.exact || now < c.least) {
			err = tx.SetAutoIncrement(table, c.least)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copying is a new key space for the table with the definition that it has.
func (t *alterable) copying(ctx *sql.Context) (*rewriter, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	def := *t.v.Def()
	w := &rewriter{old: t.v, def: &def, stmt: s.Statement(), table: t, zone: relation.SessionZone(ctx)}
	return w, w.open(ctx)
}

// counted is the larger one of a number and of a row's AUTO_INCREMENT column.
func (t *alterable) counted(ctx *sql.Context, image []byte, most uint64) (uint64, error) {
	at := t.v.Table.AutoIncrement
	if at < 0 {
		return most, nil
	}
	r, err := t.v.Decode(image, t.v.All, relation.SessionZone(ctx))
	if err != nil {
		return 0, err
	}
	n, _, err := types.Uint64.Convert(ctx, r[at])
	if err != nil || n == nil {
		return most, nil //nolint:nilerr // a negative number counts nothing
	}
	return max(most, n.(uint64)), nil
}
