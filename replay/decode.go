package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// decoder turns the events of a log into what a sink takes.
type decoder struct {
	sink sink

	inGroup    bool
	standalone bool

	// Of the group that is being read:
	tables  map[uint64]*tableMap
	pending *pendingRows // a rows event of a keyless table, waiting for its row ids
	ids     []uint64
	change  rowChange // handed to the sink, again and again
}

type tableMap struct {
	info  *event.TableMapInfo
	table *catalog.Table // nil: not the sink's
}

type pendingRows struct {
	rows *event.RowsInfo
	tm   *tableMap
}

func newDecoder(s sink) *decoder { return &decoder{sink: s, tables: map[uint64]*tableMap{}} }

// event processes the event at a place in the log, and reports whether it completes a group.
func (d *decoder) event(ev []byte, at logpos.Pos) (done bool, err error) {
	e, err := event.Decode(ev)
	if err != nil {
		return false, misfit(err)
	}
	if !d.inGroup {
		done, err = d.outside(e)
	} else {
		done, err = d.inside(e)
	}
	if err != nil || !done {
		return false, err
	}
	return true, d.finish(at.Plus(len(ev)))
}

// inside processes an event of a group, and reports whether it is the last.
func (d *decoder) inside(e event.Event) (last bool, err error) {
	switch body := e.Body.(type) {
	case *event.Xid:
		return true, nil
	case *event.Query:
		// Any other statement inside a transaction has no redo of its own.
		return d.standalone || body.SQL == "COMMIT" || body.SQL == "ROLLBACK", nil
	case *event.GTIDInfo:
		return false, fmt.Errorf("%w: a group begins inside another one", ErrContent)
	default:
		return false, d.content(e)
	}
}

// outside processes an event between two groups, and reports whether it is a group of its own.
func (d *decoder) outside(e event.Event) (last bool, err error) {
	switch body := e.Body.(type) {
	case *event.GTIDInfo:
		d.inGroup = true
		d.standalone = body.Flags&event.FLStandalone != 0
		return false, d.sink.begin(body)
	case *event.Private:
		switch body.Kind {
		case binlog.PrivateWriteMark:
			return false, d.announced(body)
		case binlog.PrivatePadding:
			return false, nil
		case event.PrivateLocal:
			if err := d.sink.begin(nil); err != nil {
				return false, err
			}
			return true, d.local(body.Payload)
		}
		return false, fmt.Errorf("%w: private record %d outside of a group", ErrContent, body.Kind)
	case *event.RowsInfo, *event.TableMapInfo, *event.Xid, *event.Query:
		return false, fmt.Errorf("%w: %s event outside of a group", ErrContent, e.Header.Type)
	default:
		return false, nil // format description, GTID list, checkpoint, rotate, stop
	}
}

// content processes one event inside a group.
func (d *decoder) content(e event.Event) error {
	if p, ok := e.Body.(*event.Private); ok {
		return d.private(p)
	}
	if err := d.idsMissing(); err != nil {
		return err
	}
	switch body := e.Body.(type) {
	case *event.TableMapInfo:
		return d.tableMap(body)
	case *event.RowsInfo:
		return d.rows(body)
	default:
		return nil // annotations
	}
}

// private processes a private record inside a group.
func (d *decoder) private(p *event.Private) error {
	switch p.Kind {
	case event.PrivateRowIDs:
		return d.rowIDs(p.Payload)
	case event.PrivateCatalog:
		return d.define(p.Payload)
	case event.PrivateSlavePos:
		r, err := gtid.ParseReposition(string(p.Payload))
		if err != nil {
			return misfit(err)
		}
		return d.sink.reposition(r)
	case event.PrivateMySQLGTID:
		g, err := gtid.DecodeMySQL(p.Payload)
		if err != nil {
			return misfit(err)
		}
		return d.sink.execute(g)
	case event.PrivateExecuted:
		c, err := gtid.ParseExecutedChange(string(p.Payload))
		if err != nil {
			return misfit(err)
		}
		return d.sink.setExecuted(c)
	case event.PrivateLocal: // rows of tables that replicas do not have
		return d.local(p.Payload)
	default:
		return fmt.Errorf("%w: private record %d inside a group", ErrContent, p.Kind)
	}
}

// local processes the events inside a private record.
func (d *decoder) local(payload []byte) error {
	for len(payload) > 0 {
		ev, rest, err := event.Next(payload)
		if err != nil {
			return fmt.Errorf("local rows: %w", misfit(err))
		}
		inner, err := event.Decode(ev)
		if err != nil {
			return fmt.Errorf("local rows: %w", misfit(err))
		}
		if err := d.content(inner); err != nil {
			return fmt.Errorf("local rows: %w", err)
		}
		payload = rest
	}
	return nil
}

func (d *decoder) rows(rows *event.RowsInfo) error {
	if rows.TableID == event.DummyTableID {
		return nil
	}
	tm := d.tables[rows.TableID]
	if tm == nil {
		return fmt.Errorf("%w: rows for table id %d without a table map", ErrContent, rows.TableID)
	}
	if tm.table == nil {
		return nil
	}
	if tm.table.Keyless() {
		kept := *rows // the event's bytes are gone when the next one is read
		kept.BitmapBefore, kept.BitmapAfter, kept.Rows = bytes.Clone(rows.BitmapBefore), bytes.Clone(rows.BitmapAfter), bytes.Clone(rows.Rows)
		d.pending = &pendingRows{rows: &kept, tm: tm}
		return nil
	}
	return d.changes(rows, tm, nil)
}

func (d *decoder) rowIDs(payload []byte) error {
	p := d.pending
	if p == nil {
		return nil // of a table that is not the sink's
	}
	d.pending = nil
	ids, err := event.RowIDs(d.ids[:0], payload)
	if err != nil {
		return misfit(err)
	}
	d.ids = ids
	return d.changes(p.rows, p.tm, ids)
}

func (d *decoder) tableMap(info *event.TableMapInfo) error {
	t, err := d.sink.table(info)
	if err != nil {
		return err
	}
	if t != nil && len(t.Columns) != len(info.Columns) {
		return fmt.Errorf("%w: table %s.%s has %d columns, its table map %d", ErrContent, info.Schema, info.Table, len(t.Columns), len(info.Columns))
	}
	d.tables[info.TableID] = &tableMap{info: info, table: t}
	return nil
}

// changes hands the changes of a rows event to the sink. ids are the hidden row ids, one per row, for
// a keyless table.
func (d *decoder) changes(rows *event.RowsInfo, tm *tableMap, ids []uint64) error {
	c := &d.change
	*c = rowChange{table: tm.table, kind: kindOf(rows)}
	c.before.columns, c.after.columns = rows.BitmapBefore, rows.BitmapAfter
	if c.kind == insertion { // its only bitmap is the first
		c.before.columns, c.after.columns = nil, rows.BitmapBefore
	}
	it := rows.Iter(tm.info)
	for n := 0; it.Next(); n++ {
		if tm.table.Keyless() {
			if n >= len(ids) {
				return fmt.Errorf("%w: %d row ids for more rows of %s.%s", ErrContent, len(ids), tm.info.Schema, tm.info.Table)
			}
			c.key = tm.table.RowIDKey(nil, ids[n])
		}
		c.before.bytes, c.after.bytes = it.Before(), it.After()
		if err := d.sink.row(c); err != nil {
			return err
		}
	}
	return misfit(it.Err())
}

// define hands a change of the catalog to the sink.
func (d *decoder) define(payload []byte) error {
	c, err := catalog.ParseChange(payload)
	if err != nil {
		return misfit(err)
	}
	return d.sink.define(c)
}

// announced reads a write mark.
func (d *decoder) announced(mark *event.Private) error {
	if len(mark.Payload) < 16 {
		return nil
	}
	return d.sink.announce(binary.LittleEndian.Uint64(mark.Payload[8:]))
}

// finish ends a group, and forgets what belongs to it only.
func (d *decoder) finish(at logpos.Pos) error {
	d.inGroup = false
	if err := d.idsMissing(); err != nil {
		return err
	}
	clear(d.tables)
	return d.sink.end(at)
}

// idsMissing is the error for rows of a keyless table that are not followed by their row ids.
func (d *decoder) idsMissing() error {
	if d.pending == nil {
		return nil
	}
	info := d.pending.tm.info
	return fmt.Errorf("%w: rows of keyless table %s.%s without row ids", ErrContent, info.Schema, info.Table)
}

// misfit marks errors of decoding what the log holds.
func misfit(err error) error {
	if err == nil || errors.Is(err, ErrContent) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrContent, err)
}
