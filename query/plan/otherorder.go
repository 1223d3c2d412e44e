package plan

import "strings"

// otherOrder are the collations of which keys in indexes do not compare as texts do: those whose keys have the fallback's weights. Keys of all others
// are made of weights of our own, or of weights that are the same. TestSameOrder finds that they are these, and no others.
var otherOrder = names(`
	armscii8_general_ci ascii_general_ci cp1256_general_ci cp1257_general_ci cp1257_lithuanian_ci dec8_swedish_ci geostd8_general_ci
	latin1_german2_ci swe7_swedish_ci utf16_croatian_mysql561_ci utf16_czech_ci utf16_danish_ci utf16_esperanto_ci utf16_estonian_ci
	utf16_german2_ci utf16_hungarian_ci utf16_icelandic_ci utf16_latvian_ci utf16_lithuanian_ci utf16_persian_ci utf16_polish_ci utf16_roman_ci
	utf16_romanian_ci utf16_sinhala_ci utf16_slovak_ci utf16_slovenian_ci utf16_spanish2_ci utf16_spanish_ci utf16_swedish_ci utf16_turkish_ci
	utf16_unicode_520_ci utf16_unicode_ci utf16_vietnamese_ci utf32_croatian_mysql561_ci utf32_czech_ci utf32_danish_ci utf32_esperanto_ci
	utf32_estonian_ci utf32_german2_ci utf32_hungarian_ci utf32_icelandic_ci utf32_latvian_ci utf32_lithuanian_ci utf32_persian_ci
	utf32_polish_ci utf32_roman_ci utf32_romanian_ci utf32_sinhala_ci utf32_slovak_ci utf32_slovenian_ci utf32_spanish2_ci utf32_spanish_ci
	utf32_swedish_ci utf32_turkish_ci utf32_unicode_520_ci utf32_unicode_ci utf32_vietnamese_ci utf8mb3_croatian_mysql561_ci utf8mb3_czech_ci
	utf8mb3_danish_ci utf8mb3_esperanto_ci utf8mb3_estonian_ci utf8mb3_german2_ci utf8mb3_hungarian_ci utf8mb3_icelandic_ci utf8mb3_latvian_ci
	utf8mb3_lithuanian_ci utf8mb3_persian_ci utf8mb3_polish_ci utf8mb3_roman_ci utf8mb3_romanian_ci utf8mb3_sinhala_ci utf8mb3_slovak_ci
	utf8mb3_slovenian_ci utf8mb3_spanish2_ci utf8mb3_spanish_ci utf8mb3_swedish_ci utf8mb3_turkish_ci utf8mb3_unicode_520_ci utf8mb3_unicode_ci
	utf8mb3_vietnamese_ci utf8mb4_croatian_mysql561_ci utf8mb4_czech_ci utf8mb4_danish_ci utf8mb4_esperanto_ci utf8mb4_estonian_ci
	utf8mb4_german2_ci utf8mb4_hungarian_ci utf8mb4_icelandic_ci utf8mb4_latvian_ci utf8mb4_lithuanian_ci utf8mb4_persian_ci utf8mb4_polish_ci
	utf8mb4_roman_ci utf8mb4_romanian_ci utf8mb4_sinhala_ci utf8mb4_slovak_ci utf8mb4_slovenian_ci utf8mb4_spanish2_ci utf8mb4_spanish_ci
	utf8mb4_swedish_ci utf8mb4_turkish_ci utf8mb4_unicode_520_ci utf8mb4_unicode_ci utf8mb4_vietnamese_ci
`)

func names(list string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		out[name] = true
	}
	return out
}
