package charset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOfMySQL has MariaDB 11.4.5's list of aliases (its information_schema.COLLATIONS), with the numbers that MySQL and MariaDB have for the collations.
func TestOfMySQL(t *testing.T) {
	for _, c := range []struct {
		id           uint16
		theirs, ours string
	}{
		{255, "utf8mb4_0900_ai_ci", "utf8mb4_uca1400_nopad_ai_ci"}, {278, "utf8mb4_0900_as_cs", "utf8mb4_uca1400_nopad_as_cs"}, {305, "utf8mb4_0900_as_ci", "utf8mb4_uca1400_nopad_as_ci"},
		{309, "utf8mb4_0900_bin", "utf8mb4_nopad_bin"}, {256, "UTF8MB4_DE_PB_0900_ai_ci", "utf8mb4_uca1400_german2_nopad_ai_ci"}, {279, "utf8mb4_de_pb_0900_as_cs", "utf8mb4_uca1400_german2_nopad_as_cs"},
		{257, "utf8mb4_is_0900_ai_ci", "utf8mb4_uca1400_icelandic_nopad_ai_ci"}, {270, "utf8mb4_es_trad_0900_ai_ci", "utf8mb4_uca1400_spanish2_nopad_ai_ci"}, {286, "utf8mb4_es_0900_as_cs", "utf8mb4_uca1400_spanish_nopad_as_cs"},
		{266, "utf8mb4_cs_0900_ai_ci", "utf8mb4_uca1400_czech_nopad_ai_ci"}, {294, "utf8mb4_la_0900_as_cs", "utf8mb4_uca1400_roman_nopad_as_cs"}, {273, "utf8mb4_eo_0900_ai_ci", "utf8mb4_uca1400_esperanto_nopad_ai_ci"},
		{298, "utf8mb4_hr_0900_as_cs", "utf8mb4_uca1400_croatian_nopad_as_cs"}, {277, "utf8mb4_vi_0900_ai_ci", "utf8mb4_uca1400_vietnamese_nopad_ai_ci"}, {297, "utf8mb4_hu_0900_as_cs", "utf8mb4_uca1400_hungarian_nopad_as_cs"},
	} {
		want, ok := ByName(c.ours)
		require.True(t, ok, c.ours)
		got, ok := OfMySQLID(c.id)
		require.True(t, ok && OnlyMySQL(c.id), c.theirs)
		require.Same(t, want, got, c.theirs)
		got, ok = OfMySQLName(c.theirs)
		require.True(t, ok, c.theirs)
		require.Same(t, want, got, c.theirs)
		_, err := got.Order()
		require.NoError(t, err, c.ours)
	}
	for id := range uint16(1000) {
		_, ok := OfMySQLID(id)
		require.False(t, ok && !OnlyMySQL(id), id)
	}
	for _, name := range []string{"utf8mb4_ja_0900_as_cs", "utf8mb4_ja_0900_as_cs_ks", "utf8mb4_zh_0900_as_cs", "utf8mb4_ru_0900_ai_ci", "utf8mb4_da_0900_bin", "utf8mb4_general_ci", "utf8mb4__0900_ai_ci", "latin1_0900_ai_ci", ""} {
		_, ok := OfMySQLName(name)
		require.False(t, ok, name)
	}
	for _, id := range []uint16{272, 276, 303, 308, 310, 323, 324, 45} {
		_, ok := OfMySQLID(id)
		require.False(t, ok, id)
	}
}
