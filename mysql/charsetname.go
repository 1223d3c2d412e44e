package mysql

import "slices"

// charsetInfo is a character set by its name, with the most bytes that a character of it has, and the ids below 1024 of its collations. Those that
// have ranges of ids in common with others are in charsetBlocks as well.
type charsetInfo struct {
	name     string
	maxBytes int
	ids      []uint16
}

var charsets = []charsetInfo{
	{"armscii8", 1, []uint16{32, 64}}, {"ascii", 1, []uint16{11, 65}}, {"big5", 2, []uint16{1, 84}}, {"binary", 1, []uint16{63}},
	{"cp1250", 1, []uint16{26, 34, 44, 66, 99}}, {"cp1251", 1, []uint16{14, 23, 50, 51, 52}}, {"cp1256", 1, []uint16{57, 67}},
	{"cp1257", 1, []uint16{29, 58, 59}}, {"cp850", 1, []uint16{4, 80}}, {"cp852", 1, []uint16{40, 81}}, {"cp866", 1, []uint16{36, 68}},
	{"cp932", 2, []uint16{95, 96}}, {"dec8", 1, []uint16{3, 69}}, {"eucjpms", 3, []uint16{97, 98}}, {"euckr", 2, []uint16{19, 85}},
	{"gb2312", 2, []uint16{24, 86}}, {"gbk", 2, []uint16{28, 87}}, {"geostd8", 1, []uint16{92, 93}}, {"greek", 1, []uint16{25, 70}},
	{"hebrew", 1, []uint16{16, 71}}, {"hp8", 1, []uint16{6, 72}}, {"keybcs2", 1, []uint16{37, 73}}, {"koi8r", 1, []uint16{7, 74}},
	{"koi8u", 1, []uint16{22, 75}}, {"latin1", 1, []uint16{5, 8, 15, 31, 47, 48, 49, 94}}, {"latin2", 1, []uint16{2, 9, 21, 27, 77}},
	{"latin5", 1, []uint16{30, 78}}, {"latin7", 1, []uint16{20, 41, 42, 79}}, {"macce", 1, []uint16{38, 43}}, {"macroman", 1, []uint16{39, 53}},
	{"sjis", 2, []uint16{13, 88}}, {"swe7", 1, []uint16{10, 82}}, {"tis620", 1, []uint16{18, 89}}, {"ucs2", 2, []uint16{35, 90, 159}},
	{"ujis", 3, []uint16{12, 91}}, {"utf16", 4, []uint16{54, 55}}, {"utf16le", 4, []uint16{56, 62}}, {"utf32", 4, []uint16{60, 61}},
	{"utf8mb3", 3, []uint16{33, 76, 83, 223}}, {"utf8mb4", 4, []uint16{45, 46}},
}

// charsetBlocks are ranges of ids, both ends included: of UCA 4.0.0 and 5.2.0, of MySQL 8, and of UCA 14.0.0.
var charsetBlocks = []struct {
	first, last uint16
	name        string
}{
	{101, 124, "utf16"}, {128, 151, "ucs2"}, {160, 183, "utf32"}, {192, 215, "utf8mb3"}, {224, 247, "utf8mb4"}, {255, 323, "utf8mb4"},
	{576, 599, "utf8mb3"}, {608, 631, "utf8mb4"}, {640, 663, "ucs2"}, {672, 695, "utf16"}, {736, 759, "utf32"},
	{2048, 2303, "utf8mb3"}, {2304, 2559, "utf8mb4"}, {2560, 2815, "ucs2"}, {2816, 3071, "utf16"}, {3072, 3327, "utf32"},
}

// CharsetName is MariaDB's name of the character set of a collation, and the most bytes that a character of it has; "" and 1 for an id that is
// not known.
func CharsetName(collation uint16) (name string, maxBytes int) {
	if collation >= 1024 && collation < 2048 { // NO PAD
		collation -= 1024
	}
	for _, b := range charsetBlocks {
		if collation >= b.first && collation <= b.last {
			name = b.name
		}
	}
	for _, c := range charsets {
		if c.name == name || name == "" && slices.Contains(c.ids, collation) {
			return c.name, c.maxBytes
		}
	}
	return "", 1
}
