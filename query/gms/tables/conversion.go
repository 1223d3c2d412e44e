package tables

import (
	"bytes"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// convertRows copies the table with a column of another type by SQL of our own; known is false if it does not understand the types.
func (t *alterable) convertRows(
	ctx *sql.Context, sch sql.PrimaryKeySchema, def *catalog.TableDef, from, to int, old, changed *sql.Column,
) (known bool, err error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return false, err
	}
	find := s.Statement().Convert
	if find == nil {
		return false, nil
	}
	tbl, err := Compile(def)
	if err != nil {
		return false, err
	}
	c, err := find(ctx, t.v.Table, tbl, from, to)
	if c == nil || err != nil {
		return false, err
	}
	defer c.Close()
	w, err := t.rewriter(ctx, sch, old, changed, nil)
	if err != nil {
		return true, err
	}
	if err := w.open(ctx); err != nil {
		return true, err
	}
	copied := uint64(0)
	s.Statement().Copied = &copied
	err = t.eachImage(ctx, func(image []byte) error {
		made, err := c.Convert(image)
		if err != nil {
			return err
		}
		copied++
		return w.duplicate(w.w.Add(nil, bytes.Clone(made)), nil)
	})
	if err != nil {
		return true, err
	}
	return true, w.Close(ctx)
}

// eachImage calls a function with the images of all rows.
func (t *alterable) eachImage(ctx *sql.Context, do func([]byte) error) error {
	src, err := t.rows(ctx)
	if err != nil {
		return err
	}
	c, err := src.Scan(ctx, txn.ScanSpec{Table: t.v.Table, Index: -1, Mode: txn.Latest})
	if err != nil {
		return err
	}
	defer c.Close()
	for n := 1; c.Next(); n++ {
		if n&255 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := do(c.Image()); err != nil {
			return err
		}
	}
	return c.Err()
}
