package tables

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/txn"
)

// Engine is the storage engine of the table.
func (t *alterable) Engine() *engines.Engine { return t.p.engines.Of(t.v.Def().Engine) }

// engineOf is the storage engine of a table that the running statement makes.
func engineOf(s Session, all *engines.List) *engines.Engine {
	if e := s.Statement().Engine; e != nil {
		return e
	}
	return all.Default()
}

// RefuseLimits refuses a table that its engine cannot have.
func (t *alterable) RefuseLimits(ctx *sql.Context) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	return cur.Engine().Refuse(cur.v.Def())
}

// ChangeEngine copies the table, under another id, into a storage engine, which may be the one that it is in: then it is
// made anew there. The old rows go with the old id, by the same change of the catalog. copied says that the statement has copied
// the table already: if that is where it should be, nothing is left to do.
func (t *alterable) ChangeEngine(ctx *sql.Context, to *engines.Engine, copied bool) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	def := *cur.v.Def()
	def.Engine = to.Name
	if err := to.Refuse(&def); err != nil {
		return err
	}
	if cur.temp != nil {
		return cur.temp.redefine(&def)
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	if copied && cur.Engine() == to {
		return nil
	}
	w := &rewriter{old: cur.v, def: &def, stmt: s.Statement(), table: cur, zone: relation.SessionZone(ctx)}
	if err := w.open(ctx); err != nil {
		return err
	}
	if err := copyImages(ctx, tx, cur.v.Table, w.w); err != nil {
		return w.duplicate(err, nil)
	}
	return w.Close(ctx)
}

// copyImages gives all rows of a table, in their newest state, to another of the same columns.
func copyImages(ctx *sql.Context, tx *txn.Txn, from *catalog.Table, to bulk) error {
	c, err := tx.Scan(ctx, txn.ScanSpec{Table: from, Index: -1, Mode: txn.Latest})
	if err != nil {
		return err
	}
	defer c.Close()
	for n := 0; c.Next(); n++ {
		if n&255 == 255 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := to.Add(nil, c.Image()); err != nil {
			return err
		}
	}
	return c.Err()
}
