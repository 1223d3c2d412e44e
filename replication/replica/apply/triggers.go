package apply

import (
	"bytes"
	"context"
	"errors"

	"github.com/duramendb/duramen/binlog/event"
)

// errTriggers: triggers are to be run for rows of the group, which needs the session.
var errTriggers = errors.New("replica: triggers are to be run")

// firesTriggers reports whether triggers are to be run for rows, by slave_run_triggers_for_rbr (Rows_log_event::do_invoke_trigger in MariaDB's log_event.h):
// with YES and LOGGING if the primary's table has none, with ENFORCE always. It is errTriggers where there is no session to run them.
func (a *Applier) firesTriggers(m *mapped, rows *event.RowsInfo) (bool, error) {
	how := a.changes(rows)
	if !(how.Insert && m.triggers.Insert || how.Update && m.triggers.Update || how.Delete && m.triggers.Delete) {
		return false, nil
	}
	mode := a.opts.Triggers()
	switch {
	case mode == "NO" || mode != "ENFORCE" && m.info.Flags&event.TableMapFlagTriggers != 0:
		return false, nil
	case !a.inside:
		return false, errTriggers
	}
	return true, nil
}

// changes are the kinds of changes that the rows of an event may make: in slave_exec_mode=IDEMPOTENT a new row displaces what is in its way.
func (a *Applier) changes(rows *event.RowsInfo) Changes {
	return Changes{Insert: rows.IsWrite(), Update: rows.IsUpdate(), Delete: rows.IsDelete() || rows.IsWrite() && a.opts.Idempotent, Whole: a.opts.Idempotent}
}

// fireBefore runs BEFORE triggers. shown is the new row as AFTER triggers get it, stored what the table gets.
//
// As on a MariaDB nobody computes generated columns for what triggers make of a row: they, and STORED columns, keep what the primary has sent. The table itself
// gets VIRTUAL columns as they are read from it, as otherwise indexes would have something else (a MariaDB's index is corrupt then).
func (c *change) fireBefore(ctx context.Context, before, after []byte) (shown, stored []byte, err error) {
	if c.fire == nil {
		return after, after, nil
	}
	if shown, err = c.fire.Before(ctx, before, after); err != nil || after == nil || bytes.Equal(shown, after) {
		return shown, shown, err
	}
	stored, err = c.generate(ctx, &c.virtual, shown, func(column int) bool { return c.m.table.Def.Columns[column].Virtual })
	return shown, stored, err
}

// fireAfter runs AFTER triggers.
func (c *change) fireAfter(ctx context.Context, before, shown []byte) error {
	if c.fire == nil {
		return nil
	}
	return c.fire.After(ctx, before, shown)
}
