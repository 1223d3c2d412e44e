package crashtest

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/txn"
)

// tableNames are the tables that come and go. Those with k are keyless.
var tableNames = []string{"t0", "t1", "k0", "t2", "k1"}

func isKeyless(name string) bool { return name[0] == 'k' }

// ddl runs one statement that changes the catalog.
func (w *worker) ddl(ctx context.Context) error {
	name := tableNames[w.rng.IntN(len(tableNames))]
	several := w.life.lab.several()
	if several && w.rng.IntN(6) == 0 {
		name = accountTables[w.rng.IntN(len(accountTables))]
	}
	if err := w.lockName(ctx, name, txn.Exclusive); err != nil {
		return err
	}
	t := w.t.Catalog().Table(database, name)
	switch {
	case t == nil && isAccounts(name):
		return errGiveUp
	case t == nil:
		return w.create(name)
	case isAccounts(name), several && w.rng.IntN(3) == 0:
		return w.moveTable(ctx, t)
	}
	switch w.rng.IntN(6) {
	case 0:
		return w.drop(t)
	case 1:
		return w.truncate(t)
	case 2:
		return w.addColumn(ctx, t)
	case 3:
		return w.object()
	default:
		return w.toggleIndex(ctx, t)
	}
}

func (w *worker) change(c catalog.Change, sql string) error {
	if err := w.t.ChangeCatalog(c); err != nil {
		return err
	}
	w.t.SetDDL(event.Query{Schema: database, SQL: w.sql(sql)})
	return nil
}

func (w *worker) create(name string) error {
	def := newDef(w.t.NewTableID(), name, isKeyless(name))
	def.Engine = w.life.lab.drawEngine(w.rng)
	w.changes = append(w.changes, change{kind: createTable, table: def.ID, name: name, keyless: isKeyless(name)})
	return w.change(catalog.Change{Tables: []*catalog.TableDef{def}}, "CREATE TABLE "+name)
}

func (w *worker) drop(t *catalog.Table) error {
	w.changes = append(w.changes, change{kind: dropTable, table: t.ID()})
	return w.change(catalog.Change{DropTables: []uint32{t.ID()}}, "DROP TABLE "+t.Def.Name)
}

// truncate replaces the table by an empty one of the same form.
func (w *worker) truncate(t *catalog.Table) error {
	def := cloneDef(t.Def)
	def.ID = w.t.NewTableID()
	w.changes = append(w.changes, change{kind: dropTable, table: t.ID()},
		change{kind: createTable, table: def.ID, name: def.Name, keyless: t.Keyless()})
	return w.change(catalog.Change{DropTables: []uint32{t.ID()}, Tables: []*catalog.TableDef{def}}, "TRUNCATE TABLE "+def.Name)
}

// object changes the catalog without touching a table, and without a statement for replicas.
func (w *worker) object() error {
	return w.t.ChangeCatalog(catalog.Change{Databases: []catalog.DatabaseDef{{Name: database, Comment: w.sql("changed")}},
		Objects: []catalog.ObjectDef{{Kind: "variables", Name: "lab", Body: []byte(w.text())}}})
}

// rows reads the whole table as it is now; its name is locked exclusively.
func (w *worker) rows(ctx context.Context, t *catalog.Table, f func(key, image []byte) error) error {
	cursor, err := w.t.Scan(ctx, txn.ScanSpec{Table: t, Index: -1, Mode: txn.Latest})
	if err != nil {
		return err
	}
	for cursor.Next() {
		if err := f(cursor.RowKey(), cursor.Image()); err != nil {
			return errors.Join(err, cursor.Close())
		}
	}
	return errors.Join(cursor.Err(), cursor.Close())
}

// addColumn copies the table into a new one with a column more.
func (w *worker) addColumn(ctx context.Context, t *catalog.Table) error {
	if len(t.Columns) >= columnsMin+2 {
		return w.truncate(t)
	}
	def := cloneDef(t.Def)
	def.ID = w.t.NewTableID()
	def.Columns = append(def.Columns, textColumn("added"+string(rune('0'+len(def.Columns)))))
	return w.rebuild(ctx, t, def, "ALTER TABLE "+def.Name+" ADD COLUMN x")
}

// moveTable copies the table into a new one of another engine.
func (w *worker) moveTable(ctx context.Context, t *catalog.Table) error {
	def := cloneDef(t.Def)
	def.ID = w.t.NewTableID()
	engines := slices.DeleteFunc(slices.Clone(w.life.lab.cfg.Engines), func(name string) bool {
		return name == def.Engine || isAccounts(def.Name) && w.life.lab.volatile(name)
	})
	if len(engines) == 0 {
		return errGiveUp
	}
	def.Engine = engines[w.rng.IntN(len(engines))]
	if err := w.rebuild(ctx, t, def, "ALTER TABLE "+def.Name+" ENGINE="+def.Engine); err != nil {
		return err
	}
	w.life.saw("ALTER TABLE ... ENGINE")
	return nil
}

// rebuild copies the table into a new one, in whose rows what was added is derived from the rest.
func (w *worker) rebuild(ctx context.Context, t *catalog.Table, def *catalog.TableDef, sql string) error {
	next, err := catalog.NewTable(def, nil)
	if err != nil {
		return err
	}
	all := make([]int, len(def.Indexes))
	for i := range all {
		all[i] = i
	}
	bulk, err := w.t.BulkWriter(next, true, all)
	if err != nil {
		return err
	}
	created := change{kind: createTable, table: def.ID, name: def.Name, keyless: t.Keyless()}
	err = w.rows(ctx, t, func(_, image []byte) error {
		r, err := decode(t, image)
		if err != nil {
			return err
		}
		copied, err := encode(next, r)
		if err != nil {
			return err
		}
		c := change{table: def.ID, after: string(copied)}
		if !t.Keyless() {
			c.key = r.id
		}
		created.rows = append(created.rows, c)
		return bulk.Add(nil, copied)
	})
	if err != nil {
		return err
	}
	if err := bulk.Finish(ctx); err != nil {
		return err
	}
	if w.rng.IntN(4) == 0 {
		return errGiveUp // what was built must not stay
	}
	w.changes = append(w.changes, change{kind: dropTable, table: t.ID()}, created)
	return w.change(catalog.Change{DropTables: []uint32{t.ID()}, Tables: []*catalog.TableDef{def}}, sql)
}

// toggleIndex adds the index "extra", or drops it.
func (w *worker) toggleIndex(ctx context.Context, t *catalog.Table) error {
	def := cloneDef(t.Def)
	// The model has no indexes; an entry that says that the table was touched is enough.
	if i := t.IndexByName("extra"); i >= 0 {
		def.Indexes = slices.Delete(def.Indexes, i, i+1)
		return w.change(catalog.Change{Tables: []*catalog.TableDef{def}}, "DROP INDEX extra ON "+def.Name)
	}
	def.Indexes = append(def.Indexes, catalog.IndexDef{ID: def.NextIndexID, Name: "extra", Unique: w.rng.IntN(4) == 0,
		Parts: []catalog.IndexPart{{Column: colN}, {Column: colText, Prefix: 10}}})
	def.NextIndexID++
	next, err := catalog.NewTable(def, nil)
	if err != nil {
		return err
	}
	bulk, err := w.t.BulkWriter(next, false, []int{len(def.Indexes) - 1})
	if err != nil {
		return err
	}
	err = w.rows(ctx, t, func(key, image []byte) error { return bulk.Add(bytes.Clone(key), bytes.Clone(image)) })
	if err == nil {
		err = bulk.Finish(ctx)
	}
	var dup *txn.DuplicateKeyError
	if errors.As(err, &dup) {
		return errGiveUp
	}
	if err != nil {
		return err
	}
	return w.change(catalog.Change{Tables: []*catalog.TableDef{def}}, "CREATE INDEX extra ON "+def.Name)
}
