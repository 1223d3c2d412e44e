package wire

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

func TestBinlogDumpRequest(t *testing.T) {
	request := func(pos uint32, flags uint16, server uint32, name string) []byte {
		b := binary.LittleEndian.AppendUint32(nil, pos)
		b = binary.LittleEndian.AppendUint16(b, flags)
		b = binary.LittleEndian.AppendUint32(b, server)
		return append(b, name...)
	}
	for _, c := range []struct {
		in   []byte
		want Dump
	}{
		{request(4, 0, 7, "binlog.000001"), Dump{Position: 4, ServerID: 7, File: "binlog.000001"}},
		{request(4, 2, 7, "binlog.000001\x00"), Dump{Position: 4, ServerID: 7, AnnotateRows: true, File: "binlog.000001"}},
		{request(9, 1, 7, "binlog.000001\x00\xff\x00"), Dump{Position: 9, ServerID: 7, NonBlock: true, File: "binlog.000001"}},
		{request(9, 0, 0, "\x00"), Dump{Position: 9, NonBlock: true}},
		{request(9, 0, 7, ""), Dump{Position: 9, ServerID: 7}},
	} {
		got, err := parseBinlogDump(c.in)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	_, err := parseBinlogDump([]byte{1, 2, 3})
	require.Error(t, err)
}

// A number that does not fit into its column must not become another one.
func TestIntegersThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		kind byte
		text string
		fits bool
	}{
		{mysql.MYSQL_TYPE_TINY, "255", true}, {mysql.MYSQL_TYPE_TINY, "-128", true}, {mysql.MYSQL_TYPE_TINY, "256", false}, {mysql.MYSQL_TYPE_TINY, "-129", false},
		{mysql.MYSQL_TYPE_SHORT, "65535", true}, {mysql.MYSQL_TYPE_SHORT, "-32769", false},
		{mysql.MYSQL_TYPE_LONG, "4294967295", true}, {mysql.MYSQL_TYPE_LONG, "-2147483648", true}, {mysql.MYSQL_TYPE_LONG, "4294967296", false}, {mysql.MYSQL_TYPE_LONG, "9223372036854775807", false},
		{mysql.MYSQL_TYPE_LONGLONG, "18446744073709551615", true}, {mysql.MYSQL_TYPE_LONGLONG, "-9223372036854775808", true},
	} {
		_, err := appendBinaryValue(nil, binaryColumn{kind: c.kind}, []byte(c.text))
		require.Equal(t, c.fits, err == nil, "%s as type %d: %v", c.text, c.kind, err)
	}
	_, err := appendBinaryValue(nil, binaryColumn{kind: mysql.MYSQL_TYPE_LONG}, []byte("18446744073709551615"))
	require.Error(t, err)
}
