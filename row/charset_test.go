package row

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// TestCharsetsOfMariaDB checks what is known of each collation id against the
// server's own list.
func TestCharsetsOfMariaDB(t *testing.T) {
	s := peer.StartMariaDB(t, peer.Options{})
	db := s.DB("")
	defer db.Close()
	rows, err := db.Query("SELECT id, character_set_name FROM information_schema.collation_character_set_applicability WHERE id IS NOT NULL")
	require.NoError(t, err)
	defer rows.Close()
	seen := 0
	for rows.Next() {
		var id uint16
		var charset string
		require.NoError(t, rows.Scan(&id, &charset))
		seen++
		unit, little := wideUnit(id)
		got := fmt.Sprint(unit, little, isUTF8(id), isDoubleByte(id))
		want := fmt.Sprint(1, false, false, false)
		switch charset {
		case "ucs2", "utf16":
			want = fmt.Sprint(2, false, false, false)
		case "utf16le":
			want = fmt.Sprint(2, true, false, false)
		case "utf32":
			want = fmt.Sprint(4, false, false, false)
		case "utf8mb3", "utf8mb4":
			want = fmt.Sprint(1, false, true, false)
		case "big5", "sjis", "gbk", "gb2312", "euckr", "ujis", "cp932", "eucjpms":
			want = fmt.Sprint(1, false, false, true)
		}
		require.Equal(t, want, got, "collation %d of %s", id, charset)
	}
	require.NoError(t, rows.Err())
	require.Greater(t, seen, 300)
}
