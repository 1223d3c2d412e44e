package event_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
)

// TestMySQLTableMap has a table map as MySQL 9.7 writes it: spatial columns have no character set there, so that the ids are those of the texts alone.
func TestMySQLTableMap(t *testing.T) {
	columns := []byte{mysql.MYSQL_TYPE_BLOB, mysql.MYSQL_TYPE_GEOMETRY, mysql.MYSQL_TYPE_BLOB}
	head := append([]byte{7, 0, 0, 0, 0, 0, 1, 0, 1, 'd', 0, 1, 't', 0, 3}, columns...)
	head = append(head, 3, 2, 4, 2, 7)
	for name, charsets := range map[string][]byte{"each": {3, 4, 33, 0xfc, 255, 0}, "default": {2, 5, 33, 1, 0xfc, 255, 0}} {
		ev := rawEvent(event.TableMap, head, charsets)
		d := event.Decoder{}
		_, err := d.Decode(event.AppendFormatDescription(nil, meta, "9.7.4", 0))
		require.NoError(t, err)
		e, err := d.Decode(ev)
		require.NoError(t, err, name)
		got := e.Body.(*event.TableMapInfo).Columns
		require.Equal(t, []uint16{33, 0, 255}, []uint16{got[0].Charset, got[1].Charset, got[2].Charset}, name)
	}
	_, err := event.Decode(rawEvent(event.TableMap, head, []byte{3, 4, 33, 0xfc, 255, 0}))
	require.ErrorIs(t, err, event.ErrMalformed, "a MariaDB has one for each")
}

// TestMySQLStatusVariables has what MySQL 9.7 writes beside a definition.
func TestMySQLStatusVariables(t *testing.T) {
	ev := event.AppendQuery(nil, meta, event.Query{SQL: "DROP TABLE t", Schema: "d"})
	const at = event.HeaderSize + 13
	end := at + int(ev[at-2])
	more := []byte{16, 1, 17, 1, 2, 3, 4, 5, 6, 7, 8, 19, 0, 18, 255, 0, 20, 0, 13, 4, 5, 6}
	body := append(append(append([]byte{}, ev[event.HeaderSize:end]...), more...), ev[end:len(ev)-event.ChecksumSize]...)
	body[11] += byte(len(more))
	e, err := event.Decode(rawEvent(event.QueryEvent, body))
	require.NoError(t, err)
	q := e.Body.(*event.Query)
	require.Equal(t, "DROP TABLE t", q.SQL)
	require.Equal(t, uint16(255), q.DefaultUTF8MB4)
	require.True(t, q.HasMicroseconds, "what stands behind it is read")
}
