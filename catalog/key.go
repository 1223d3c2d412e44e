package catalog

import "encoding/binary"

// RowsIndex is the index id under which a table's rows are kept.
const RowsIndex uint32 = 0

// PrefixLen is the number of bytes before every key: table id and index id.
const PrefixLen = 8

// AppendPrefix appends the prefix of a key space.
func AppendPrefix(dst []byte, table, index uint32) []byte {
	dst = binary.BigEndian.AppendUint32(dst, table)
	return binary.BigEndian.AppendUint32(dst, index)
}

// ParsePrefix splits a key. ok is false if the key is too short to be one.
func ParsePrefix(key []byte) (table, index uint32, rest []byte, ok bool) {
	if len(key) < PrefixLen {
		return 0, 0, nil, false
	}
	return binary.BigEndian.Uint32(key), binary.BigEndian.Uint32(key[4:]), key[PrefixLen:], true
}

// TableSpan is the range of all keys of a table, its indexes included.
func TableSpan(table uint32) (lower, upper []byte) {
	lower = binary.BigEndian.AppendUint32(nil, table)
	return lower, PrefixEnd(lower)
}

// IndexSpan is the range of all keys of one index of a table.
func IndexSpan(table, index uint32) (lower, upper []byte) {
	lower = AppendPrefix(nil, table, index)
	return lower, PrefixEnd(lower)
}

// PrefixEnd returns the smallest key greater than every key that starts with
// prefix; nil if there is none (the prefix is empty or all 0xff).
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}
