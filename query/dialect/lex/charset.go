package lex

import "strings"

// charsets are the character sets that an underscore before their name makes an introducer of a literal.
var charsets = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`armscii8 ascii big5 binary cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms euckr filename gb2312 gbk geostd8
		greek hebrew hp8 keybcs2 koi8r koi8u latin1 latin2 latin5 latin7 macce macroman sjis swe7 tis620 ucs2 ujis utf16 utf16le utf32 utf8 utf8mb3 utf8mb4`) {
		all[name] = true
	}
	return all
}()

// Charset is the name of a character set as the server writes it, "" if there is none of that name. utf8 stays utf8: which set that is, a
// variable of the session says.
func Charset(name string) string {
	if lower := strings.ToLower(name); charsets[lower] {
		return lower
	}
	return ""
}
