package wire

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
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
