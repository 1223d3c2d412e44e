package txn

import (
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/row/rowtest"
)

// replayEvents applies the rows events of a transaction to rows by id, as a
// replica would, and checks the order of the events: a statement is table maps, then rows,
// of which the last, and only that, has the flag STMT_END.
func replayEvents(t require.TestingT, tbl *catalog.Table, events []byte, rows map[int64][]any) {
	maps := map[uint64]*event.TableMapInfo{}
	open := false // rows have come since the last STMT_END
	for rest := events; len(rest) > 0; {
		var ev []byte
		var err error
		ev, rest, err = event.Next(rest)
		require.NoError(t, err)
		d, err := event.Decode(ev)
		require.NoError(t, err)
		switch b := d.Body.(type) {
		case *event.TableMapInfo:
			require.False(t, open, "a table map among the rows of a statement")
			maps[b.TableID] = b
		case *event.RowsInfo:
			require.Contains(t, maps, b.TableID, "rows without a table map")
			it := b.Iter(maps[b.TableID])
			replayRows(t, tbl, &it, rows)
			open = b.Flags&event.RowsStmtEnd == 0
			if !open {
				clear(maps)
			}
		case *event.Xid:
			require.False(t, open, "a statement without an end")
		case *event.Private:
			if b.Kind == event.PrivateLocal {
				replayEvents(t, tbl, b.Payload, rows)
			}
		}
	}
}

func replayRows(t require.TestingT, tbl *catalog.Table, it *event.RowIter, rows map[int64][]any) {
	for it.Next() {
		if it.Before() != nil {
			v, err := rowtest.Decode(tbl.Columns, it.Before())
			require.NoError(t, err)
			require.Equal(t, rows[v[0].(int64)], v, "before image")
			delete(rows, v[0].(int64))
		}
		if it.After() != nil {
			v, err := rowtest.Decode(tbl.Columns, it.After())
			require.NoError(t, err)
			rows[v[0].(int64)] = v
		}
	}
	require.NoError(t, it.Err())
}
