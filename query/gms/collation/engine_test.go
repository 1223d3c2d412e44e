package collation

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types/charset"
)

// What stands behind the names that are linked is what this package takes it for.
func TestLinked(t *testing.T) {
	require.Equal(t, "latin1_swedish_ci", sql.CollationID(8).Name())
	require.Equal(t, engineCollations[8].Name, sql.CollationID(8).Name())
	require.Same(t, &engineCollations[8].Sorter, &engineCollations[8].Sorter)
	require.Equal(t, "utf8mb4", engineSets[sql.CharacterSet_utf8mb4].Name)
	require.Equal(t, sql.Collation_utf8mb4_general_ci, engineNames["utf8mb4_general_ci"])
	require.Equal(t, sql.CollationID(engineIDs-1), sql.Collation_utf8mb4_mn_cyrl_0900_as_cs)
}

// TestEngine: each collation of MariaDB's has a number for go-mysql-server, under which that knows it.
func TestEngine(t *testing.T) {
	above := 0
	for _, c := range charset.Collations() {
		if c.ID() >= engineIDs {
			if above++; above > 20 {
				continue // the numbers end, and are other tests' too
			}
		}
		id, err := Engine(c.ID())
		require.NoError(t, err)
		require.Equal(t, c.Name(), id.Name())
		require.Equal(t, c.ID(), ID(id))
		require.Equal(t, c.Set().Name(), id.CharacterSet().Name())
		require.Equal(t, int64(c.Set().MaxLen()), id.CharacterSet().MaxLength())
		name, err := EngineName(c)
		require.NoError(t, err)
		parsed, err := sql.ParseCollation("", name, false)
		require.NoError(t, err)
		require.Equal(t, id, parsed)
		named, ok := Named(c.Name())
		require.True(t, ok)
		require.Equal(t, id, named)
		_, err = types.CreateString(sqltypes.VarChar, 10, id)
		require.NoError(t, err, c.Name())
	}
	_, ok := Named("utf8mb4_ru_0900_ai_ci")
	require.False(t, ok, "MySQL's")
	_, err := Engine(60000)
	require.ErrorContains(t, err, "1273")
}

// TestAlone: go-mysql-server compares by the collations that it has weights of, and by those that weigh characters one by one.
func TestAlone(t *testing.T) {
	for name, alone := range map[string]bool{
		"latin1_swedish_ci": false, "utf8mb4_unicode_ci": false, "latin2_general_ci": false, "cp1251_bin": false, "gbk_chinese_ci": false, "ucs2_general_ci": false,
		"ucs2_unicode_ci": true, "utf8mb4_nopad_bin": true, "utf8mb4_uca1400_ai_ci": true, "latin1_nopad_bin": true, "utf8mb4_croatian_ci": true,
		"latin2_czech_cs": true, "utf8mb4_croatian_mysql561_ci": false,
	} {
		c, ok := charset.ByName(name)
		require.True(t, ok)
		require.Equal(t, alone, Alone(c.ID()), name)
	}
}

// TestEncoder: a character set of ours, as go-mysql-server sees it.
func TestEncoder(t *testing.T) {
	e := sql.CharacterSet_koi8r.Encoder()
	b, ok := e.Encode([]byte("Жук"))
	require.True(t, ok)
	require.Equal(t, "\xf6\xd5\xcb", string(b))
	b, ok = e.Decode(b)
	require.True(t, ok)
	require.Equal(t, "Жук", string(b))
	require.Equal(t, "ЖУК", e.Uppercase("Жук"))
	require.Equal(t, "жук", e.Lowercase("Жук"))
	_, ok = e.Encode([]byte("ä"))
	require.False(t, ok)
	require.Equal(t, "?", string(e.EncodeReplaceUnknown([]byte("ä"))))
	_, ok = sql.CharacterSet_gbk.Encoder().Decode([]byte("\xff"))
	require.False(t, ok)
}
