package mysql

import "math"

// The metadata of a column is what a table map says of it beyond its type, in at most
// two bytes: the size of FLOAT and DOUBLE, the bytes that the length of a BLOB takes,
// the fractional digits of TIME2, DATETIME2 and TIMESTAMP2, the longest VARCHAR in
// bytes, for STRING, ENUM, SET, NEWDECIMAL and BIT what these functions return, and 0
// for types that need none.

// StringMeta is the Meta of a STRING column (CHAR, BINARY) of at most bytes
// bytes, at most 1023. Bits 8 and 9 of the length are kept inverted among the type's bits.
func StringMeta(bytes int) uint16 {
	n := uint16(min(bytes, 1023))
	return (uint16(MYSQL_TYPE_STRING)^(n&0x300)>>4)<<8 | n&0xff
}

// EnumMeta is the Meta of an ENUM column with that many members.
func EnumMeta(members int) uint16 {
	if members > math.MaxUint8 {
		return uint16(MYSQL_TYPE_ENUM)<<8 | 2
	}
	return uint16(MYSQL_TYPE_ENUM)<<8 | 1
}

// SetMeta is the Meta of a SET column with that many members, at most 64.
func SetMeta(members int) uint16 {
	n := (members + 7) / 8
	if n > 4 {
		n = 8
	}
	return uint16(MYSQL_TYPE_SET)<<8 | uint16(max(n, 1))
}

// DecimalMeta is the Meta of a NEWDECIMAL column.
func DecimalMeta(precision, scale int) uint16 { return uint16(precision)<<8 | uint16(scale) }

// BitMeta is the Meta of a BIT column of that many bits.
func BitMeta(bits int) uint16 { return uint16(bits%8) | uint16(bits/8)<<8 }

// ResolveString tells what a column of type STRING (or ENUM or SET) really is:
// MYSQL_TYPE_STRING, _ENUM or _SET, and its length: the maximum in bytes of a string, the
// stored size of the others.
func ResolveString(meta uint16) (typ byte, length int) {
	hi, lo := byte(meta>>8), byte(meta)
	switch {
	case hi == MYSQL_TYPE_ENUM || hi == MYSQL_TYPE_SET:
		return hi, int(lo)
	case hi&0x30 != 0x30:
		return hi | 0x30, int(lo) | int((hi&0x30)^0x30)<<4
	}
	return hi, int(lo)
}
