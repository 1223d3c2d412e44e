package mysql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// TestCharsetsOfMariaDB checks what is known of each collation id against the
// server's own list.
func TestCharsetsOfMariaDB(t *testing.T) {
	sets := map[string]Charset{
		"binary": CharsetBinary, "latin1": CharsetLatin1, "utf8mb3": CharsetUTF8, "utf8mb4": CharsetUTF8,
		"ucs2": CharsetUCS2, "utf16": CharsetUTF16, "utf16le": CharsetUTF16LE, "utf32": CharsetUTF32,
		"big5": CharsetBig5, "gb2312": CharsetGB2312, "gbk": CharsetGBK, "euckr": CharsetEUCKR,
		"sjis": CharsetSJIS, "cp932": CharsetCP932, "ujis": CharsetUJIS, "eucjpms": CharsetEUCJPMS,
	}
	names := map[string]uint16{
		"latin1_swedish_ci": Collation_latin1_swedish_ci, "latin1_bin": Collation_latin1_bin, "ascii_general_ci": Collation_ascii_general_ci,
		"utf8mb3_general_ci": Collation_utf8mb3_general_ci, "utf8mb3_bin": Collation_utf8mb3_bin, "utf8mb4_general_ci": Collation_utf8mb4_general_ci,
		"utf8mb4_bin": Collation_utf8mb4_bin, "utf8mb4_unicode_ci": Collation_utf8mb4_unicode_ci, "binary": Collation_binary,
	}
	s := peer.StartMariaDB(t, peer.Options{})
	db := s.DB("")
	defer db.Close()
	rows, err := db.Query("SELECT id, full_collation_name, character_set_name, maxlen FROM information_schema.collation_character_set_applicability JOIN information_schema.character_sets USING (character_set_name) WHERE id IS NOT NULL")
	require.NoError(t, err)
	defer rows.Close()
	seen := 0
	for rows.Next() {
		var id uint16
		var name, charset string
		var maxBytes int
		require.NoError(t, rows.Scan(&id, &name, &charset, &maxBytes))
		seen++
		require.Equal(t, sets[charset], CharsetOf(id), "collation %d of %s", id, charset)
		named, most := CharsetName(id)
		require.Equal(t, charset, named, "collation %d", id)
		require.Equal(t, maxBytes, most, charset)
		if want, ok := names[name]; ok {
			require.Equal(t, want, id, name)
			delete(names, name)
		}
	}
	require.NoError(t, rows.Err())
	require.Greater(t, seen, 300)
	require.Empty(t, names, "constants of collations that the server does not have")
}
