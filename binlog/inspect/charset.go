package inspect

import (
	"unicode/utf8"

	"github.com/duramendb/duramen/mysql"
)

// text gives a string in UTF-8 where its column is known to be latin1, the one other character
// set that is common. Others are left as they are: what is no UTF-8 is shown byte by byte.
func (c *column) text(b []byte) []byte {
	if !c.known || mysql.CharsetOf(c.Charset) != mysql.CharsetLatin1 {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/4)
	for _, x := range b {
		r := rune(x)
		if x >= 0x80 && x < 0xa0 {
			r = cp1252[x-0x80]
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// cp1252 are the characters from 0x80 to 0x9f: MariaDB's latin1 is Windows' code page 1252, with the
// five codes that this does not use standing for themselves.
var cp1252 = [32]rune{
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
}
