package catalog

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// An index of an earlier version, whose definition says nothing of spaces, goes on to have the keys that it had.
func TestPaddedParts(t *testing.T) {
	plain := func(uint16) (row.WeightFunc, bool) { return nil, false }
	key := func(part string) string {
		var def TableDef
		text := `{"ID":7,"Columns":[{"Name":"c","SQLType":"char(4)","Type":254,"Meta":65040,"Collation":1070}],"Primary":[` + part + `]}`
		require.NoError(t, json.Unmarshal([]byte(text), &def))
		tbl, err := NewTable(&def, plain)
		require.NoError(t, err)
		image, err := row.Encode(nil, tbl.Columns, []any{"äs"})
		require.NoError(t, err)
		k, err := tbl.PrimaryKey(nil, image)
		require.NoError(t, err)
		rest, err := row.SkipKey(k[PrefixLen:], tbl.Columns[0], tbl.Primary[0])
		require.NoError(t, err)
		require.Empty(t, rest)
		return string(k[PrefixLen:])
	}
	require.EqualValues(t, mysql.MYSQL_TYPE_STRING, 254)
	require.Equal(t, "\x01äs\x00\x01", key(`{"Column":0}`))
	require.Equal(t, "\x01äs  \x00\x01", key(`{"Column":0,"Padded":4}`))
	require.Equal(t, "\x01ä\x00\x01", key(`{"Column":0,"Prefix":1,"Padded":1}`))
}
