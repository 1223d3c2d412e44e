package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/replication/replica/convert"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/txn"
)

// mapped is a table map that was understood: which table of this server, and how images become its.
type mapped struct {
	info *event.TableMapInfo
	cat  *catalog.Snapshot // that the table was looked up in
	// table is nil if the rows are left out.
	table *catalog.Table
	plan  *convert.Plan
	// related says that the table has foreign keys, or that some lead to it.
	related bool
	// triggers are the kinds of changes that the table has triggers for here.
	triggers Changes
	locked   uint64 // the transaction that has locked the table's name
}

// tableMap looks a table up for the rows that follow. What was looked up holds as long as the definitions are the same.
func (a *Applier) tableMap(ctx context.Context, t *txn.Txn, info *event.TableMapInfo) error {
	m := a.tables[info.TableID]
	if m == nil || m.cat != t.Catalog() || !sameMap(m.info, info) {
		var err error
		if m, err = a.lookUp(ctx, t, info); err != nil {
			return err
		}
		if len(a.tables) >= mapsMax {
			clear(a.tables)
		}
		a.tables[info.TableID] = m
	}
	return a.lockTable(ctx, t, m)
}

// mapsMax bounds how many table maps are remembered; a primary gives a table a new id with each change of its definition.
const mapsMax = 1024

// sameMap compares what rows depend on.
func sameMap(a, b *event.TableMapInfo) bool {
	return a.Flags == b.Flags && a.Schema == b.Schema && a.Table == b.Table && slices.EqualFunc(a.Columns, b.Columns, func(x, y event.ColumnMeta) bool {
		return x.Type == y.Type && x.Meta == y.Meta && x.Nullable == y.Nullable && x.Unsigned == y.Unsigned && x.Charset == y.Charset
	})
}

func (a *Applier) lookUp(ctx context.Context, t *txn.Txn, info *event.TableMapInfo) (*mapped, error) {
	db := a.opts.Filter.Rewritten(info.Schema)
	m := &mapped{info: info, cat: t.Catalog()}
	if !a.opts.Filter.Rows(db, info.Table) {
		return m, nil
	}
	if err := t.LockTable(ctx, db, info.Table, txn.IntentExclusive); err != nil {
		return nil, err
	}
	m.cat, m.locked = t.Catalog(), t.ID()
	table := m.cat.TableLike(db, info.Table)
	if table == nil {
		return nil, &primary.Error{Number: 1146, Text: fmt.Sprintf("Error executing row event: 'Table '%s.%s' doesn't exist'", db, info.Table)}
	}
	plan, err := convert.Compile(info, table, a.opts.Conversions)
	var mismatch *convert.TypeError
	if errors.As(err, &mismatch) {
		return nil, &primary.Error{Number: 1677, Text: mismatch.Error(), Cause: mismatch}
	}
	if err != nil {
		return nil, &primary.Error{Number: 1593, Text: fmt.Sprintf("Table '%s.%s': %v", db, info.Table, err), Cause: err}
	}
	m.table, m.plan, m.related = table, plan, len(table.Def.ForeignKeys) > 0 || referenced(m.cat, table)
	if a.opts.Triggers != nil && len(m.cat.Objects("trigger", table.Def.DB)) > 0 {
		if err := a.openSession(); err != nil {
			return nil, err
		}
		m.triggers = a.session.Triggers(m.cat, table)
	}
	return m, nil
}

// referenced reports whether foreign keys lead to a table.
func referenced(cat *catalog.Snapshot, t *catalog.Table) bool {
	for _, child := range cat.AllTables() {
		for i := range child.Def.ForeignKeys {
			fk := &child.Def.ForeignKeys[i]
			if cat.TableLike(fk.ParentDB, fk.ParentTable) == t {
				return true
			}
		}
	}
	return false
}

func (a *Applier) lockTable(ctx context.Context, t *txn.Txn, m *mapped) error {
	if m.table == nil || m.locked == t.ID() {
		return nil
	}
	if err := t.LockTable(ctx, m.table.Def.DB, m.table.Def.Name, txn.IntentExclusive); err != nil {
		return err
	}
	m.locked = t.ID()
	if m.cat == t.Catalog() {
		return nil
	}
	again, err := a.lookUp(ctx, t, m.info) // it was changed while the lock was waited for
	if err == nil {
		*m = *again
	}
	return err
}

// changeRows applies a rows event.
func (a *Applier) changeRows(ctx context.Context, t *txn.Txn, p *primary.Part, e *event.Event, rows *event.RowsInfo) error {
	if rows.TableID == event.DummyTableID {
		return nil
	}
	m := a.tables[rows.TableID]
	if m == nil {
		return &primary.Error{Number: 1593, Text: fmt.Sprintf("the primary has sent rows for table id %d without a table map", rows.TableID)}
	}
	if m.table == nil {
		return nil
	}
	c := change{a: a, t: t, m: m, e: e, rows: rows}
	fires, err := a.firesTriggers(m, rows)
	if err != nil {
		return err
	}
	if fires {
		var own error // which the session would word as one of SQL
		err := a.session.Triggered(ctx, e, m.table, a.changes(rows), func(ctx context.Context, fire Triggers) error {
			c = change{a: a, t: t, m: m, e: e, rows: rows, fire: fire} // anew with each attempt
			own = c.all(ctx)
			return own
		})
		if err != nil && own != nil {
			err = fmt.Errorf("%w (%w)", err, own)
		}
		return c.failure(ctx, p, e, err)
	}
	return c.failure(ctx, p, e, c.all(ctx))
}

// all makes the changes of all rows of the event.
func (c *change) all(ctx context.Context) error {
	m, rows := c.m, c.rows
	if err := c.relate(ctx); err != nil {
		return err
	}
	it := rows.Iter(m.info)
	if m.table.Keyless() && !rows.IsWrite() {
		wants := rows.Iter(m.info)
		if err := c.collect(&wants); err != nil {
			return err
		}
	}
	for it.Next() {
		if err := c.row(ctx, it.Before(), it.After()); err != nil {
			return err
		}
	}
	if err := it.Err(); err != nil {
		return &primary.Error{Number: 1594, Text: fmt.Sprintf("a rows event of table '%s.%s' is damaged: %v", m.info.Schema, m.info.Table, err), Cause: err}
	}
	return nil
}

// change is the work on the rows of one event.
type change struct {
	a      *Applier
	t      *txn.Txn
	m      *mapped
	e      *event.Event
	rows   *event.RowsInfo
	wanted *wanted // of a table without a key
	stored []byte  // the image that the row was to get
	// related changes rows with what foreign keys ask for; nil if they ask for nothing.
	related RowChange
	// fire runs triggers; nil if there are none to be run.
	fire Triggers
	// lacks computes the generated columns that the event lacks, virtual those that are VIRTUAL.
	lacks, virtual generation
}

// errMissing: there is no row with the key, or none that is equal.
var errMissing = errors.New("replica: no such row")

// relate finds what foreign keys ask for: MariaDB's log has no rows for what they change, and its replicas check anew whether a row's parents are there.
func (c *change) relate(ctx context.Context) (err error) {
	if !c.m.related || c.rows.Flags&event.RowsNoForeignKeyCheck != 0 {
		return nil
	}
	if err := c.a.openSession(); err != nil {
		return err
	}
	c.related, err = c.a.session.Related(ctx, c.t, c.m.table, c.a.changes(c.rows))
	return err
}

// store makes a change, see RowChange, without triggers.
func (c *change) store(ctx context.Context, key, before, after []byte) error {
	switch {
	case c.related != nil:
		return c.related(ctx, key, before, after)
	case before == nil:
		return c.t.Insert(ctx, c.m.table, after)
	case after == nil:
		return c.t.Delete(ctx, c.m.table, key, before)
	}
	return c.t.Update(ctx, c.m.table, key, before, after)
}

// tolerate leaves out a row whose change foreign keys do not allow, in slave_exec_mode=IDEMPOTENT.
func (c *change) tolerate(ctx context.Context, err error) error {
	if err == nil || c.related == nil || !c.a.opts.Idempotent {
		return err
	}
	switch number, _ := c.a.explain(ctx, c.m.table, c.stored, err); number {
	case 1451, 1452, 1761:
		return nil
	}
	return err
}

func (c *change) row(ctx context.Context, before, after []byte) error {
	switch {
	case c.rows.IsWrite():
		return c.insert(ctx, after)
	case c.rows.IsDelete():
		return c.remove(ctx, before)
	}
	return c.update(ctx, before, after)
}

// before is a before image as one of this server's table. known is the bitmap of its columns, nil if it has all. It may share memory with the event.
func (c *change) before(image []byte) (before, known []byte, err error) {
	if c.m.plan.Same(image, c.rows.BitmapBefore) {
		return image, nil, nil
	}
	before, known, err = c.m.plan.Before(make([]byte, 0, len(image)), image, c.rows.BitmapBefore)
	if err == nil && c.m.plan.Full(c.rows.BitmapBefore) {
		known = nil
	}
	return before, known, err
}

// updated is what an image makes of a row; a copy, as with inserted.
func (c *change) updated(image, current []byte) ([]byte, error) {
	if c.m.plan.Same(image, c.rows.BitmapAfter) {
		return bytes.Clone(image), nil
	}
	return c.m.plan.After(make([]byte, 0, len(image)), image, c.rows.BitmapAfter, current)
}

// find locks the row that a before image is of, and reads it.
func (c *change) find(ctx context.Context, image []byte) (key, current []byte, err error) {
	before, known, err := c.before(image)
	if err != nil {
		return nil, nil, err
	}
	if c.m.table.Keyless() {
		return c.findByImage(ctx, before, known)
	}
	if key, err = keyOf(c.m.table, before, known); err != nil {
		return nil, nil, err
	}
	started := time.Now()
	current, ok, err := c.t.Get(ctx, c.m.table, key, txn.LockExclusive, txn.Wait)
	if err != nil {
		return nil, nil, err
	}
	c.a.ahead.looked(time.Since(started))
	if !ok {
		return nil, nil, errMissing
	}
	return key, current, nil
}

func (c *change) remove(ctx context.Context, image []byte) error {
	key, current, err := c.find(ctx, image)
	if errors.Is(err, errMissing) && c.a.opts.Idempotent {
		return nil
	}
	if err != nil {
		return err
	}
	if _, _, err := c.fireBefore(ctx, current, nil); err != nil {
		return err
	}
	if err := c.store(ctx, key, current, nil); err != nil {
		return c.tolerate(ctx, err)
	}
	return c.fireAfter(ctx, current, nil)
}

func (c *change) update(ctx context.Context, image, to []byte) error {
	key, current, err := c.find(ctx, image)
	if errors.Is(err, errMissing) && c.a.opts.Idempotent {
		return nil
	}
	if err != nil {
		return err
	}
	after, err := c.updated(to, current)
	if err != nil {
		return err
	}
	if after, err = c.lacking(ctx, after); err != nil {
		return err
	}
	c.stored = after
	shown, stored, err := c.fireBefore(ctx, current, after)
	if err != nil {
		return err
	}
	c.stored = stored
	if err = c.store(ctx, key, current, stored); err == nil {
		return c.fireAfter(ctx, current, shown)
	}
	var dup *txn.DuplicateKeyError
	if errors.As(err, &dup) && c.a.opts.Idempotent {
		return nil // as in MariaDB the row keeps what it has
	}
	return c.tolerate(ctx, err)
}

// failure words an error as MariaDB's SQL thread does.
func (c *change) failure(ctx context.Context, p *primary.Part, e *event.Event, err error) error {
	if err == nil {
		return nil
	}
	name := "Write_rows_v1"
	switch {
	case c.rows.IsUpdate():
		name = "Update_rows_v1"
	case c.rows.IsDelete():
		name = "Delete_rows_v1"
	}
	def := c.m.table.Def
	say := func(number uint16, text, handler string) error {
		return &primary.Error{Number: number, Cause: err, Text: fmt.Sprintf("Could not execute %s event on table %s.%s; %s, Error_code: %d; handler error %s; the event's master log %s, end_log_pos %d (GTID %s)",
			name, def.DB, def.Name, text, number, handler, p.Place.File, e.Header.LogPos, p.Name())}
	}
	var known *primary.Error
	var mismatch *convert.TypeError
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &mismatch):
		return &primary.Error{Number: 1677, Text: mismatch.Error(), Cause: mismatch}
	case errors.Is(err, errMissing):
		handler := "HA_ERR_KEY_NOT_FOUND"
		if c.m.table.Keyless() {
			handler = "HA_ERR_END_OF_FILE"
		}
		return say(1032, fmt.Sprintf("Can't find record in '%s'", def.Name), handler)
	case errors.Is(err, txn.ErrLockWaitTimeout):
		return say(1205, "Lock wait timeout exceeded; try restarting transaction", "HA_ERR_LOCK_WAIT_TIMEOUT")
	case errors.Is(err, txn.ErrDeadlock):
		return say(1213, "Deadlock found when trying to get lock; try restarting transaction", "HA_ERR_LOCK_DEADLOCK")
	}
	if number, text := c.a.explain(ctx, c.m.table, c.stored, err); number != 0 {
		return say(number, text, handlerError(number))
	}
	return say(1030, err.Error(), handlerError(1030))
}

// explain asks the session what clients would be told.
func (a *Applier) explain(ctx context.Context, t *catalog.Table, image []byte, err error) (number uint16, text string) {
	if a.openSession() != nil {
		return 0, "" // less is said of the error then
	}
	return a.session.Explain(ctx, t, image, err)
}

// handlerError is what MariaDB calls an error of a row between server and engine.
func handlerError(number uint16) string {
	switch number {
	case 1062:
		return "HA_ERR_FOUND_DUPP_KEY"
	case 1114:
		return "HA_ERR_RECORD_FILE_FULL"
	case 1451:
		return "HA_ERR_ROW_IS_REFERENCED"
	case 1452:
		return "HA_ERR_NO_REFERENCED_ROW"
	}
	return "HA_ERR_GENERIC"
}

// keyOf makes the row's key of an image that has, at least, the columns of the primary key.
func keyOf(t *catalog.Table, image, known []byte) ([]byte, error) {
	for _, part := range t.Primary {
		if known != nil && known[part.Column/8]>>(part.Column%8)&1 == 0 {
			return nil, fmt.Errorf("the image has no column %d, which is a part of the primary key here", part.Column+1)
		}
	}
	if known != nil {
		whole, err := whole(t, image, known)
		if err != nil {
			return nil, err
		}
		image = whole
	}
	return t.PrimaryKey(nil, image)
}

// equal reports whether a row is what a before image says, as far as that knows it.
func equal(t *catalog.Table, row, image, known []byte) (bool, error) {
	if known == nil {
		return bytes.Equal(row, image), nil
	}
	merged, err := merge(t, row, image, known)
	return bytes.Equal(row, merged), err
}
