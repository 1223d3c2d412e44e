package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/logged"
	"github.com/duramendb/duramen/query/native"
	"github.com/duramendb/duramen/query/session"
)

// RowsWithTriggers runs change, which changes rows of a table in one way as a primary has logged them, with what runs the triggers of the table for that. It may
// run more than once, after what it has done was rolled back.
func (a *Applier) RowsWithTriggers(
	ctx context.Context, h event.Header, tbl *catalog.Table, how native.RowChanges, change func(ctx context.Context, fire session.RowTriggers) error,
) error {
	a.open()
	s := a.s
	if s.DB() != tbl.Def.DB {
		s.SetDB(tbl.Def.DB)
	}
	const annotate = "binlog_annotate_row_events"
	annotates := s.Vars.On(annotate)
	defer func() { _ = s.Vars.Set(ctx, annotate, annotates) }() // it takes any value that it had
	if err := s.Vars.Set(ctx, annotate, false); err != nil {    // the statement is none of the primary's
		return err
	}
	if err := a.setForRows(ctx, h); err != nil {
		return err
	}
	r := s.Replicated
	r.Rows = change
	if how.Insert && how.Delete {
		r.Displacing = firing(tbl, native.RowChanges{Delete: true})
	}
	defer func() { r.Rows, r.Displacing = nil, "" }()
	return s.Execute(ctx, firing(tbl, how), nowhere{})
}

// setForRows gives the session the settings that rows have: those of this server, and the time of the event.
func (a *Applier) setForRows(ctx context.Context, h event.Header) error {
	s := a.s
	a.settings = nil // the next statement sets its own
	for _, v := range []logged.Setting{
		{Name: "sql_mode", Value: ""}, {Name: "time_zone", Value: s.Server.Globals.Str("time_zone")}, {Name: "character_set_client", Value: "utf8mb4"},
	} {
		if err := s.Vars.Set(ctx, v.Name, v.Value); err != nil {
			return err
		}
	}
	s.Clock.Fixed = time.Unix(int64(h.Timestamp), 0)
	return nil
}

// GenerationForRows gives what computes some of the generated columns of a table's rows, as images; nil if their expressions are not understood.
func (a *Applier) GenerationForRows(
	ctx context.Context, h event.Header, tbl *catalog.Table, computed func(column int) bool,
) (func(image []byte) ([]byte, error), error) {
	if err := a.setForRows(ctx, h); err != nil {
		return nil, err
	}
	g, err := a.s.native().GenerationOf(ctx, tbl, computed)
	if g == nil || err != nil {
		return nil, err
	}
	return g.Complete, nil
}

// firing is a statement that fires the triggers of a table for one kind of changes, the new rows' if how has others as well. Its rows are of no interest.
func firing(tbl *catalog.Table, how native.RowChanges) string {
	name := dialect.QuoteName(tbl.Def.DB) + "." + dialect.QuoteName(tbl.Def.Name)
	var columns []string
	for i := range tbl.Def.Columns {
		if tbl.Def.Columns[i].Generated == "" {
			columns = append(columns, dialect.QuoteName(tbl.Def.Columns[i].Name))
		}
	}
	switch {
	case how.Update:
		return fmt.Sprintf("UPDATE %s SET %s = %[2]s", name, columns[0])
	case how.Delete && !how.Insert:
		return fmt.Sprintf("DELETE FROM %s WHERE %s IS NOT NULL", name, columns[0])
	}
	// Not of a SELECT: what that reads is as it was when the statement began, for triggers as well.
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (NULL%s)", name, strings.Join(columns, ", "), strings.Repeat(", NULL", len(columns)-1))
}
