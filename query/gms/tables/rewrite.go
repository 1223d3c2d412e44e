package tables

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Compile makes a table of a definition that is not in the catalog yet.
func Compile(def *catalog.TableDef) (*catalog.Table, error) {
	return catalog.NewTable(def, func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) })
}

// rewriter fills a new key space with the rows of an altered table. Close puts
// the new definition in the place of the old one.
type rewriter struct {
	old   *version
	def   *catalog.TableDef
	v     *version
	w     bulk
	stmt  *Statement
	temp  *tempTable
	vals  []any
	err   error
	table *alterable // the table as it was
	zone  *relation.Zone
	// generate computes the generated columns if one of them is new.
	generate func(*sql.Context, sql.Row) error
}

// bulk is txn.BulkWriter, or its counterpart for temporary tables.
type bulk interface {
	Add(rowKey, image []byte) error
	Finish(ctx context.Context) error
}

var _ sql.RowInserter = (*rewriter)(nil)

// RewriteInserter implements sql.RewritableTable.
func (t *alterable) RewriteInserter(ctx *sql.Context, oldSchema, newSchema sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column, idxCols []sql.IndexColumn) (sql.RowInserter, error) {
	if len(oldSchema.PkOrdinals) > 0 && len(newSchema.PkOrdinals) == 0 {
		if err := sql.ValidatePrimaryKeyDrop(ctx, t.whole(), oldSchema); err != nil {
			return nil, err
		}
	}
	cur, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	w, err := cur.rewriter(ctx, newSchema, oldColumn, newColumn, idxCols)
	if err != nil {
		return nil, err
	}
	return w, w.open(ctx)
}

// rewriter prepares a copy of the table; open must be called before Insert.
func (t *alterable) rewriter(ctx *sql.Context, sch sql.PrimaryKeySchema, oldColumn, newColumn *sql.Column, pk []sql.IndexColumn) (*rewriter, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	def, _, err := redefine(ctx, t.v.Def(), sch, oldColumn, newColumn)
	if err != nil {
		return nil, err
	}
	for i := range def.Primary {
		col := sch.Schema[def.Primary[i].Column]
		for _, c := range pk {
			if strings.EqualFold(c.Name, col.Name) && c.Length > 0 {
				if types.IsText(col.Type) {
					if def.Primary[i].Prefix, err = prefixLength(col, c.Length); err != nil {
						return nil, err
					}
					def.Primary[i] = paddedPart(def, def.Primary[i])
				}
			}
		}
	}
	w := &rewriter{old: t.v, def: def, stmt: s.Statement(), temp: t.temp, table: t, zone: relation.SessionZone(ctx)}
	if oldColumn == nil && newColumn != nil && newColumn.Generated != nil {
		if w.generate, err = generator(ctx, def); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// open takes the new table's id and opens the writer.
func (w *rewriter) open(ctx *sql.Context) error {
	if w.temp != nil {
		tbl, b, err := w.temp.rewrite(w.def)
		if err != nil {
			return err
		}
		w.w = b
		w.v, err = newVersion(tbl)
		return err
	}
	if err := lockTable(ctx, w.def.DB, w.def.Name, true); err != nil {
		return err
	}
	tx, err := txnOf(ctx)
	if err != nil {
		return err
	}
	w.def.ID = tx.NewTableID()
	if to := w.stmt.MovesTo; to != nil && to.Refuse(w.def) == nil {
		w.def.Engine = to.Name // a table that is copied anyway moves with it
	}
	tbl, err := Compile(w.def)
	if err != nil {
		return err
	}
	if w.v, err = newVersion(tbl); err != nil {
		return err
	}
	all := make([]int, 0, len(tbl.Indexes))
	for i := range tbl.Indexes {
		if tbl.Indexes[i].Stored {
			all = append(all, i)
		}
	}
	w.w, err = tx.BulkWriter(tbl, true, all)
	return err
}

// Insert implements sql.RowInserter.
func (w *rewriter) Insert(ctx *sql.Context, r sql.Row) error {
	if w.generate != nil {
		r = slices.Clone(r)
		if err := w.generate(ctx, r); err != nil {
			w.err = err
			return err
		}
	}
	e := editor{Table: &Table{alterable: alterable{v: w.v}}, vals: w.vals, zone: w.zone}
	image, err := e.encode(ctx, nil, r)
	w.vals = e.vals
	if err == nil {
		err = w.duplicate(w.w.Add(nil, image), r)
	}
	if err != nil {
		w.err = err
	}
	return err
}

func (w *rewriter) duplicate(err error, r sql.Row) error {
	var dup *txn.DuplicateKeyError
	if !errors.As(err, &dup) {
		return err
	}
	existing, derr := w.v.Decode(dup.Existing, w.v.All, w.zone)
	if derr != nil {
		existing = r
	}
	if r == nil { // found at the end, when the row that it was about is gone
		r = existing
	}
	return duplicateError(w.stmt, w.v, dup.Index, r, existing)
}

// StatementBegin implements sql.EditOpenerCloser.
func (w *rewriter) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser.
func (w *rewriter) DiscardChanges(_ *sql.Context, err error) error {
	w.err = err
	return nil
}

// StatementComplete implements sql.EditOpenerCloser.
func (w *rewriter) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.Closer: the altered table becomes the table, unless
// something failed before.
func (w *rewriter) Close(ctx *sql.Context) error {
	if w.err != nil {
		return nil //nolint:nilerr // reported where it happened
	}
	if err := w.duplicate(w.w.Finish(ctx), nil); err != nil {
		return err
	}
	if w.temp != nil {
		return w.temp.replace(w.v.Table)
	}
	tx, err := txnOf(ctx)
	if err != nil {
		return err
	}
	next, err := w.nextAutoIncrement(tx)
	if err != nil {
		return err
	}
	if err := checkAlone(w.def); err != nil {
		return err
	}
	if err := checkFulltexts(w.def); err != nil {
		return err
	}
	if err := tx.ChangeCatalog(catalog.Change{DropTables: []uint32{w.old.Table.ID()}, Tables: []*catalog.TableDef{w.def}}); err != nil {
		return err
	}
	if next > 0 {
		tbl := tx.Catalog().TableByID(w.def.ID)
		if tbl == nil {
			return sql.ErrTableNotFound.New(w.def.Name)
		}
		if err := tx.SetAutoIncrement(tbl, next); err != nil {
			return err
		}
	}
	return nil
}

// nextAutoIncrement is the counter that the copy starts with: that of the old
// table, if both count.
func (w *rewriter) nextAutoIncrement(tx *txn.Txn) (uint64, error) {
	if w.v.Table.AutoIncrement < 0 || w.old.Table.AutoIncrement < 0 {
		return 0, nil
	}
	return tx.PeekAutoIncrement(w.old.Table)
}

// eachRow calls do for every row of the table in its newest state, and then done.
func (t *alterable) eachRow(ctx *sql.Context, do func(sql.Row) error, done func() error) error {
	full := t.whole()
	full.access = &Access{Mode: txn.Latest}
	it, err := full.PartitionRows(ctx, nil)
	if err != nil {
		return err
	}
	for {
		r, err := it.Next(ctx)
		if err == io.EOF { //nolint:errorlint // an error that wraps it is a failed read
			if err := it.Close(ctx); err != nil {
				return err
			}
			return done()
		}
		if err == nil {
			err = do(r)
		}
		if err != nil {
			if cerr := it.Close(ctx); cerr != nil {
				return errors.Join(err, cerr)
			}
			return err
		}
	}
}

// Truncate implements sql.TruncateableTable. TRUNCATE TABLE gives the table a
// new, empty key space. The SQL engine also calls this for a DELETE without
// WHERE, which is part of a transaction and deletes row by row.
func (t *alterable) Truncate(ctx *sql.Context) (int, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return 0, err
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return 0, err
	}
	if ddl, ok := s.Statement().AST.(*sqlparser.DDL); !ok || ddl.Action != sqlparser.TruncateStr {
		return cur.deleteAll(ctx)
	}
	count, err := cur.CountRows(ctx)
	if err != nil {
		return 0, err
	}
	if t.temp != nil {
		t.temp.clear()
		return count, nil
	}
	def := *cur.v.Def()
	if err := lockTable(ctx, def.DB, def.Name, true); err != nil {
		return 0, err
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return 0, err
	}
	def.ID = tx.NewTableID()
	return count, tx.ChangeCatalog(catalog.Change{DropTables: []uint32{cur.v.Def().ID}, Tables: []*catalog.TableDef{&def}})
}

// Temporary reports whether the table is the session's own.
func (t *alterable) Temporary() bool { return t.temp != nil }

// CountRows is the number of rows of the table.
func (t *alterable) CountRows(ctx *sql.Context) (n int, err error) {
	src, err := t.rows(ctx)
	if err != nil {
		return 0, err
	}
	c, err := src.Scan(ctx, txn.ScanSpec{Table: t.v.Table, Index: -1, Mode: txn.Latest})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for c.Next() {
		if n++; n&255 == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
	}
	return n, c.Err()
}

func (t *alterable) deleteAll(ctx *sql.Context) (n int, err error) {
	src, err := t.rows(ctx)
	if err != nil {
		return 0, err
	}
	c, err := src.Scan(ctx, txn.ScanSpec{Table: t.v.Table, Index: -1, Mode: txn.LockExclusive})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for c.Next() {
		if n&255 == 255 && ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err := src.Delete(ctx, t.v.Table, bytes.Clone(c.RowKey()), bytes.Clone(c.Image())); err != nil {
			return n, err
		}
		n++
	}
	return n, c.Err()
}
