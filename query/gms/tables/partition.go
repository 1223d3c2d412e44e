package tables

import (
	"bytes"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/partition"
	own "github.com/duramendb/duramen/query/relation"
)

// place looks whether there is a partition for a row that is to be stored: error 1526 if not.
func (e *editor) place(image []byte) error {
	if e.v.own == nil {
		return nil
	}
	if e.places == nil {
		rule, err := partition.Of(e.v.own)
		if err != nil {
			return err
		}
		e.places = rule.Finder()
	}
	_, err := e.places.Find(image)
	return err
}

// LockToAlter waits for all others who use the table.
func (t *alterable) LockToAlter(ctx *sql.Context) error {
	if t.temp != nil {
		return mysqlerr.NotYet("partitions of a temporary table")
	}
	return lockTable(ctx, t.v.Def().DB, t.v.Def().Name, true)
}

// Repartition changes the partitions of a table, or takes them all away, and says how many rows it has looked at. The table is locked.
func (t *alterable) Repartition(ctx *sql.Context, a *partition.Alteration, none bool) (rows uint64, err error) {
	old := t.v
	def := *old.Def()
	switch {
	case none:
		def.Partitioning = nil
	case a.Def != nil:
		def.Partitioning = a.Def
	}
	if a.Moves || none {
		if rows, err = t.placed(ctx, &def); err != nil {
			return 0, err
		}
	}
	if a.Copied != nil {
		if rows, err = t.within(ctx, a.Copied); err != nil {
			return 0, err
		}
	}
	if a.Emptied != nil || a.Loses || a.Stays {
		done, err := t.sorted(ctx, &def, a)
		if done || err != nil {
			return rows, err
		}
	}
	if a.Def == nil && !none {
		return rows, nil
	}
	return rows, t.alter(ctx, func(d *catalog.TableDef) error {
		d.Partitioning = def.Partitioning
		return nil
	})
}

// finder finds rows in the partitions of a definition; nil of one without any.
func finder(def *catalog.TableDef) (*partition.Finder, error) {
	if def.Partitioning == nil {
		return nil, nil //nolint:nilnil // see above
	}
	tbl, err := Compile(def)
	if err != nil {
		return nil, err
	}
	rule, err := partition.Of(own.Of(tbl))
	if err != nil {
		return nil, err
	}
	return rule.Finder(), nil
}

// within counts the rows of some partitions.
func (t *alterable) within(ctx *sql.Context, places map[int]bool) (rows uint64, err error) {
	find, err := finder(t.v.Def())
	if err != nil {
		return 0, err
	}
	return rows, t.eachImage(ctx, func(image []byte) error {
		at, err := find.Find(image)
		if places[at] {
			rows++
		}
		return err
	})
}

// placed looks whether there is a partition of a new definition for each row: error 1526 if not.
func (t *alterable) placed(ctx *sql.Context, def *catalog.TableDef) (rows uint64, err error) {
	find, err := finder(def)
	if err != nil {
		return 0, err
	}
	return rows, t.eachImage(ctx, func(image []byte) error {
		rows++
		if find == nil {
			return nil
		}
		_, err := find.Find(image)
		return err
	})
}

// sorted looks what becomes of each row. If some go, the table is copied without them: done says that it has its new definition then.
func (t *alterable) sorted(ctx *sql.Context, def *catalog.TableDef, a *partition.Alteration) (done bool, err error) {
	before, err := finder(t.v.Def())
	if err != nil {
		return false, err
	}
	after, err := finder(def)
	if err != nil {
		return false, err
	}
	goes := func(image []byte) (bool, error) {
		if !a.Loses {
			at, err := before.Find(image)
			return a.Emptied[at], err
		}
		_, err := after.Find(image)
		var e *mysqlerr.Error
		if errors.As(err, &e) && e.Number == mysqlerr.NoPartitionForGivenValue {
			return true, nil
		}
		return false, err
	}
	some := false
	if err := t.eachImage(ctx, func(image []byte) error {
		if a.Stays {
			was, err := before.Find(image)
			if err != nil {
				return err
			}
			now, err := after.Find(image)
			if err == nil && was != now {
				err = mysqlerr.NotYet("ADD PARTITION for rows that are in the DEFAULT partition")
			}
			return err
		}
		gone, err := goes(image)
		some = some || gone
		return err
	}); err != nil || !some {
		return false, err
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return false, err
	}
	w := &rewriter{old: t.v, def: def, stmt: s.Statement(), table: t, zone: relation.SessionZone(ctx)}
	if err := w.open(ctx); err != nil {
		return false, err
	}
	if err := t.eachImage(ctx, func(image []byte) error {
		gone, err := goes(image)
		if err != nil || gone {
			return err
		}
		return w.w.Add(nil, bytes.Clone(image))
	}); err != nil {
		return false, err
	}
	return true, w.Close(ctx)
}
