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
		if !session.Refuses(d) {
			continue
		}
		if err := session.RefuseUnsupported(d, e.Globals.Value(d)); err != nil {
			return fmt.Errorf("option %s: %w", d.Name, err)
		}
		e.Globals.OnSet(d.Name, func(_ context.Context, v any) (any, error) { return v, session.RefuseUnsupported(d, v) })
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
