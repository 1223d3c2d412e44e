package event_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// addRecorded adds every event of the recorded binlogs (of MariaDB, and of Duramen) and of the samples as a seed.
func addRecorded(f *testing.F, add func(ev []byte)) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "binlog.*"))
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
			require.GreaterOrEqual(t, h.Size, uint32(event.HeaderSize))
		} else {
			require.True(t, errors.Is(err, event.ErrShort) || errors.Is(err, event.ErrMalformed), "%v", err)
		}
		ev, rest, err := event.Next(b)
		if err != nil {
			require.Equal(t, b, rest)
			return
		}
		require.Len(t, ev, int(h.Size))
		require.Equal(t, b, append(ev, rest...))
		require.Error(t, event.Verify(ev[:len(ev)-1]))
		_ = event.Verify(ev)
		if len(ev) >= event.HeaderSize+event.ChecksumSize { // what is sealed is valid, and with a changed bit it is not
			sealed := bytes.Clone(ev)
			require.NoError(t, event.Finalize(sealed, 4))
			require.NoError(t, event.Verify(sealed))
			sealed[4] ^= 1
			require.Error(t, event.Verify(sealed))
		}
	})
}

// FuzzBody decodes an arbitrary body as each type. What decodes can be
// described, takes no more memory than its bytes account for, and encodes to something that
// decodes to the same; any cut of it decodes or is refused.
func FuzzBody(f *testing.F) {
	addRecorded(f, func(ev []byte) {
		f.Add(ev[4], ev[event.HeaderSize:])
		f.Add(ev[4], ev[event.HeaderSize:event.HeaderSize+(len(ev)-event.HeaderSize)*2/3])
	})
	f.Fuzz(func(t *testing.T, typ byte, body []byte) {
		decoded, err := event.Decode(frame(typ, body))
		if err != nil {
			require.True(t, errors.Is(err, event.ErrShort) || errors.Is(err, event.ErrMalformed), "%v", err)
			return
		}
		require.NotNil(t, decoded.Body)
		require.LessOrEqual(t, weight(reflect.ValueOf(decoded.Body)), bound(event.Type(typ), len(body)))
		_ = event.Describe(decoded)
		if len(body) > 0 {
			_, _ = event.Decode(frame(typ, body[:len(body)-1]))
		}
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

// frame puts a header in front of a body.
func frame(typ byte, body []byte) []byte {
	ev := event.AppendHeader(nil, event.Header{Type: event.Type(typ), Size: uint32(event.HeaderSize + len(body)), ServerID: 3})
	return append(ev, body...)
}

// bound is how much memory the decoded form of n bytes may take: strings and slices have
// headers; compressed bodies unfold, by zlib at most 1032 times.
func bound(typ event.Type, n int) int {
	if typ == event.QueryCompressed || typ >= event.WriteRowsCompressedV1 && typ <= event.DeleteRowsCompressed {
		return 1100*n + 4096
	}
	return 200*n + 4096
}

// weight adds up what slices and strings hold.
func weight(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return int(v.Elem().Type().Size()) + weight(v.Elem())
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		sum := v.Len() * int(v.Type().Elem().Size())
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				sum += weight(v.Index(i))
			}
		}
		return sum
	case reflect.Struct:
		sum := 0
		for i := range v.NumField() {
			sum += weight(v.Field(i))
		}
		return sum
	}
	return 0
}

// decodedType replaces types that are written as another one.
func decodedType(c *event.ColumnMeta) {
	if c.Type == mysql.MYSQL_TYPE_NEWDATE {
		c.Type = mysql.MYSQL_TYPE_DATE
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
