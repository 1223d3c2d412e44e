package query

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// wireUnsupported makes SET GLOBAL refuse them, and looks at what the options say.
func (e *Engine) wireUnsupported() error {
	for _, d := range sysvar.All() {
		name := d.Name
		if _, listed := session.Unsupported[name]; !listed && !d.Fixed && name != "old_mode" {
			continue
		}
		if err := session.RefuseUnsupported(d, e.Globals.Value(d)); err != nil {
			return fmt.Errorf("option %s: %w", name, err)
		}
		e.Globals.OnSet(name, func(_ context.Context, v any) (any, error) { return v, session.RefuseUnsupported(d, v) })
	}
	return nil
}

// rowMetadata is the value of binlog_row_metadata as the log knows it.
func rowMetadata(v any) event.RowMetadata {
	switch v {
	case "MINIMAL":
		return event.RowMetadataMinimal
	case "FULL":
		return event.RowMetadataFull
	}
	return event.RowMetadataNoLog
}
