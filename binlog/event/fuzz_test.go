package event_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

// addRecorded adds every event of the recorded binlogs and of the samples as a seed.
func addRecorded(f *testing.F, add func(ev []byte)) {
	files, err := filepath.Glob(filepath.Join("testdata", "mariadb", "*"))
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		for rest := data[len(event.Magic):]; len(rest) > 0; {
			var ev []byte
			ev, rest, err = event.Next(rest)
			require.NoError(f, err)
			add(ev)
		}
	}
	for _, ev := range samples() {
		add(ev)
	}
}

func FuzzHeader(f *testing.F) {
	addRecorded(f, func(ev []byte) { f.Add(ev[:event.HeaderSize]) })
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := event.ParseHeader(b)
		if err == nil {
			require.Equal(t, b[:event.HeaderSize], event.AppendHeader(nil, h))
		}
		if ev, rest, err := event.Next(b); err == nil {
			require.Equal(t, b, append(ev, rest...))
			require.Error(t, event.Verify(ev[:len(ev)-1]))
			_ = event.Verify(ev)
		}
	})
}

// FuzzBody decodes an arbitrary body as each type. What decodes can be
// described, and encodes to something that decodes to the same.
func FuzzBody(f *testing.F) {
	addRecorded(f, func(ev []byte) { f.Add(ev[4], ev[event.HeaderSize:]) })
	f.Fuzz(func(t *testing.T, typ byte, body []byte) {
		ev := event.AppendHeader(nil, event.Header{Type: event.Type(typ), Size: uint32(event.HeaderSize + len(body)), ServerID: 3})
		ev = append(ev, body...)
		decoded, err := event.Decode(ev)
		if err != nil {
			return
		}
		_ = event.Describe(decoded)
		if again := encode(decoded); again != nil {
			twice, err := event.Decode(again)
			require.NoError(t, err)
			twice.Header, decoded.Header = event.Header{}, event.Header{}
			if tm, ok := decoded.Body.(*event.TableMapInfo); ok {
				tm.Flags |= event.TableMapFlagBase
				for i := range tm.Columns {
					decodedType(&tm.Columns[i])
				}
			}
			require.Equal(t, encode(decoded), encode(twice))
		}
	})
}

// decodedType replaces types that are written as another one.
func decodedType(c *event.ColumnMeta) {
	if c.Type == event.MYSQL_TYPE_NEWDATE {
		c.Type = event.MYSQL_TYPE_DATE
	}
}

// FuzzRows walks arbitrary rows events by arbitrary table maps.
func FuzzRows(f *testing.F) {
	var tableMap []byte
	addRecorded(f, func(ev []byte) {
		switch typ := event.Type(ev[4]); {
		case typ == event.TableMap:
			tableMap = ev
		case typ.IsRows() && tableMap != nil:
			f.Add(tableMap[event.HeaderSize:], ev[4], ev[event.HeaderSize:])
		}
	})
	f.Fuzz(func(t *testing.T, mapBody []byte, typ byte, rowsBody []byte) {
		tm, ok := decodeAs[*event.TableMapInfo](byte(event.TableMap), mapBody)
		if !ok {
			return
		}
		rows, ok := decodeAs[*event.RowsInfo](typ, rowsBody)
		if !ok {
			return
		}
		total := 0
		it := rows.Iter(tm)
		for it.Next() {
			total += len(it.Before()) + len(it.After())
		}
		if it.Err() == nil {
			require.Equal(t, len(rows.Rows), total)
		}
	})
}

func decodeAs[T any](typ byte, body []byte) (T, bool) {
	ev := event.AppendHeader(nil, event.Header{Type: event.Type(typ), Size: uint32(event.HeaderSize + len(body))})
	decoded, err := event.Decode(append(ev, body...))
	out, ok := decoded.Body.(T)
	return out, ok && err == nil
}
