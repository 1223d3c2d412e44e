package plan

import "strings"

// sameOrder are the collations of which keys in indexes compare as texts do. TestSameOrder finds that they are these, and no others.
var sameOrder = names(`
	armscii8_bin armscii8_nopad_bin ascii_bin ascii_nopad_bin big5_bin big5_nopad_bin binary cp1250_bin cp1250_nopad_bin cp1251_bin cp1251_nopad_bin
	cp1256_bin cp1256_nopad_bin cp1257_bin cp1257_nopad_bin cp850_bin cp850_nopad_bin cp852_bin cp852_nopad_bin cp866_bin cp866_nopad_bin cp932_bin
	cp932_nopad_bin dec8_bin dec8_nopad_bin eucjpms_bin eucjpms_nopad_bin euckr_bin euckr_nopad_bin gb2312_bin gb2312_nopad_bin gbk_bin
	gbk_nopad_bin geostd8_bin geostd8_nopad_bin greek_bin greek_nopad_bin hebrew_bin hebrew_nopad_bin hp8_bin hp8_nopad_bin keybcs2_bin
	keybcs2_nopad_bin koi8r_bin koi8r_nopad_bin koi8u_bin koi8u_nopad_bin latin1_bin latin1_danish_ci latin1_general_ci latin1_general_cs
	latin1_german1_ci latin1_nopad_bin latin1_spanish_ci latin1_swedish_ci latin2_bin latin2_nopad_bin latin5_bin latin5_nopad_bin latin7_bin
	latin7_estonian_cs latin7_general_ci latin7_general_cs latin7_nopad_bin macce_bin macce_nopad_bin macroman_bin macroman_nopad_bin sjis_bin
	sjis_nopad_bin swe7_bin swe7_nopad_bin tis620_bin tis620_nopad_bin ucs2_bin ucs2_nopad_bin ujis_bin ujis_nopad_bin utf16_bin utf16_general_ci
	utf32_bin utf32_general_ci utf32_nopad_bin utf8mb3_bin utf8mb3_general_ci utf8mb3_general_mysql500_ci utf8mb3_nopad_bin utf8mb4_bin
	utf8mb4_general_ci utf8mb4_nopad_bin
`)

func names(list string) map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		out[name] = true
	}
	return out
}
