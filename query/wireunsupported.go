package query

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/session"
)

// wireUnsupported makes SET GLOBAL refuse them, and looks at what the options say.
func (e *Engine) wireUnsupported() error {
	for name := range session.Unsupported {
		d := session.MustVar(name)
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
