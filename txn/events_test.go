package txn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row"
)

// describe lists events: of rows events the ids of the rows (before>after).
func describe(t *testing.T, tbl *catalog.Table, events []byte) (out []string) {
	t.Helper()
	require.NoError(t, event.Finalize(events, 4))
	for rest := events; len(rest) > 0; {
		var ev []byte
		var err error
		ev, rest, err = event.Next(rest)
		require.NoError(t, err)
		require.NoError(t, event.Verify(ev))
		h, err := event.ParseHeader(ev)
		require.NoError(t, err)
		d, err := event.Decode(ev)
		require.NoError(t, err)
		s := h.Type.String()
		switch b := d.Body.(type) {
		case *event.Annotate:
			s += " " + string(b.SQL)
		case *event.RowsInfo:
			s += " " + rowIDs(t, tbl, b)
			if b.Flags&event.RowsStmtEnd != 0 {
				s += " end"
			}
		case *event.Private:
			if b.Kind == event.PrivateRowIDs {
				ids, err := event.RowIDs(nil, b.Payload)
				require.NoError(t, err)
				s = "ids " + strings.Trim(fmt.Sprint(ids), "[]")
			} else {
				s = "catalog"
			}
		}
		out = append(out, s)
	}
	return out
}

func rowIDs(t *testing.T, tbl *catalog.Table, b *event.RowsInfo) string {
	var ids []string
	for images := b.Rows; len(images) > 0; {
		id := func(present []byte) string {
			n, err := row.Size(tbl.Columns, present, images)
			require.NoError(t, err)
			img := images[:n]
			images = images[n:]
			full, err := row.Merge(nil, tbl.Columns, image(t, tbl, acc(0, 0, nil)...), img, present)
			require.NoError(t, err)
			vals, err := row.DecodeSome(nil, tbl.Columns, full, []int{0})
			require.NoError(t, err)
			return fmt.Sprint(vals[0])
		}
		s := id(b.BitmapBefore)
		if b.IsUpdate() {
			s += ">" + id(b.BitmapAfter)
		}
		ids = append(ids, s)
	}
	return strings.Join(ids, ",")
}
