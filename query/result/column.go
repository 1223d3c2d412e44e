package result

import "encoding/binary"

// Column describes one column of a result set, as a column definition packet does.
type Column struct {
	Schema, Table, OrgTable, Name, OrgName string
	Charset                                uint16 // collation id of the result
	Length                                 uint32
	Type                                   byte // MYSQL_TYPE_*
	Flags                                  uint16
	Decimals                               byte
}

// AppendDefinition appends the payload of the column's definition packet.
func (c *Column) AppendDefinition(dst []byte) []byte {
	for _, s := range [...]string{"def", c.Schema, c.Table, c.OrgTable, c.Name, c.OrgName} {
		dst = append(AppendLength(dst, uint64(len(s))), s...)
	}
	dst = append(dst, 0x0c) // the length of what follows
	dst = binary.LittleEndian.AppendUint16(dst, c.Charset)
	dst = binary.LittleEndian.AppendUint32(dst, c.Length)
	dst = append(dst, c.Type)
	dst = binary.LittleEndian.AppendUint16(dst, c.Flags)
	return append(dst, c.Decimals, 0, 0)
}

// AppendLength appends a length-encoded integer.
func AppendLength(dst []byte, n uint64) []byte {
	switch {
	case n < 0xfb:
		return append(dst, byte(n))
	case n < 1<<16:
		return append(dst, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(dst, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(dst, 0xfe), n)
}
