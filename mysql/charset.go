package mysql

// Charset is a character set, as far as something depends on how its characters are
// stored: the others, of one byte a character, are CharsetOther, like a set that is
// not known.
type Charset byte

// Character sets.
const (
	CharsetOther Charset = iota
	CharsetBinary
	CharsetLatin1
	CharsetUTF8 // utf8mb3 and utf8mb4
	CharsetUCS2
	CharsetUTF16
	CharsetUTF16LE
	CharsetUTF32
	CharsetBig5
	CharsetGB2312
	CharsetGBK
	CharsetEUCKR
	CharsetSJIS
	CharsetCP932
	CharsetUJIS
	CharsetEUCJPMS
)

// CharsetOf is the character set of a collation. MariaDB's newer ids are made of an
// old id and flags: NO PAD collations are old id + 1024, those of UCA 14.0.0 lie
// from 2048 on, by character set.
func CharsetOf(collation uint16) Charset {
	switch id := collation; {
	case id < 1024:
		return oldCharset(id)
	case id < 2048:
		return oldCharset(id - 1024)
	case id < 2560: // utf8mb3, then utf8mb4
		return CharsetUTF8
	case id < 2816:
		return CharsetUCS2
	case id < 3072:
		return CharsetUTF16
	case id < 3328:
		return CharsetUTF32
	}
	return CharsetOther
}

// oldCharset knows the ids below 1024: first those of UCA collations, then the other ones.
func oldCharset(id uint16) Charset {
	switch {
	case id >= 192 && id <= 215, id >= 224 && id <= 247, id >= 576 && id <= 599, id >= 608 && id <= 631:
		return CharsetUTF8
	case id >= 255 && id <= 323: // MySQL 8
		return CharsetUTF8
	case id >= 128 && id <= 151, id >= 640 && id <= 663:
		return CharsetUCS2
	case id >= 101 && id <= 124, id >= 672 && id <= 695:
		return CharsetUTF16
	case id >= 160 && id <= 183, id >= 736 && id <= 759:
		return CharsetUTF32
	}
	switch id {
	case Collation_binary:
		return CharsetBinary
	case 5, Collation_latin1_swedish_ci, 15, 31, Collation_latin1_bin, 48, 49, 94:
		return CharsetLatin1
	case Collation_utf8mb3_general_ci, Collation_utf8mb3_bin, 76, 223, Collation_utf8mb4_general_ci, Collation_utf8mb4_bin:
		return CharsetUTF8
	case 35, 90, 159:
		return CharsetUCS2
	case 54, 55:
		return CharsetUTF16
	case 56, 62:
		return CharsetUTF16LE
	case 60, 61:
		return CharsetUTF32
	case 1, 84:
		return CharsetBig5
	case 24, 86:
		return CharsetGB2312
	case 28, 87:
		return CharsetGBK
	case 19, 85:
		return CharsetEUCKR
	case 13, 88:
		return CharsetSJIS
	case 95, 96:
		return CharsetCP932
	case 12, 91:
		return CharsetUJIS
	case 97, 98:
		return CharsetEUCJPMS
	}
	return CharsetOther
}
