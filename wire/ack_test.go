package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

func TestParseAck(t *testing.T) {
	file, offset, err := parseAck([]byte("\xef\x34\x12\x00\x00\x01\x00\x00\x00binlog.000003"))
	require.NoError(t, err)
	require.Equal(t, "binlog.000003", file)
	require.Equal(t, uint64(0x100001234), offset)
	for _, wrong := range []string{"", "\x01", "\xef", "\xef12345678", "\xee\x34\x12\x00\x00\x01\x00\x00\x00binlog.000003", "\xef12345678" + string(make([]byte, 513))} {
		_, _, err := parseAck([]byte(wrong))
		require.ErrorIs(t, err, errNoAck, "%q", wrong)
	}
}

// TestAcknowledgements: a semi-synchronous replica's connection is read while the dump goes on.
func TestAcknowledgements(t *testing.T) {
	for name, end := range map[string][]byte{"quit": {mysql.COM_QUIT}, "something else": {mysql.COM_PING}, "wrong": []byte("\xef\x04\x00\x00\x00\x00\x00\x00\x00no file")} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBackend()
			b.userVars = map[string]string{"rpl_semi_sync_slave": "1"}
			acks, ended := make(chan string, 2), make(chan error, 1)
			b.dump = func(ctx context.Context, d Dump, out DumpWriter) error {
				if !d.SemiSync {
					return errors.New("not semi-synchronous")
				}
				out.ReceiveAcks(func(file string, offset uint64) error {
					if file == "no file" {
						return errors.New("unknown file")
					}
					acks <- fmt.Sprint(file, " ", offset)
					return nil
				})
				err := out.Send([]byte("first"))
				out.AskNext()
				err = errors.Join(err, out.Send([]byte("second")), out.Send([]byte("third")), out.Flush())
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return err
			}
			_, addr := startServer(t, b, Options{})
			c := login(t, addr, testClientCaps, "")
			require.Equal(t, "\x00\xef\x00first", string(c.command(mysql.COM_BINLOG_DUMP, append([]byte{4, 0, 0, 0, 0, 0, 2, 0, 0, 0}, "binlog.000001"...)...)))
			require.Equal(t, "\x00\xef\x01second", string(c.read()))
			require.Equal(t, "\x00\xef\x00third", string(c.read()))
			for range 2 { // with the number 0, as after each of them nothing has to follow
				c.conn.seq = 0
				c.send([]byte("\xef\x04\x00\x00\x00\x00\x00\x00\x00binlog.000001"))
				require.Equal(t, "binlog.000001 4", <-acks)
			}
			c.conn.seq = 0
			c.send(end)
			require.Error(t, <-ended)
			_, err := c.conn.readPacket(1<<20, keepDeadline)
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

func FuzzParseAck(f *testing.F) {
	f.Add([]byte("\xef\x34\x12\x00\x00\x01\x00\x00\x00binlog.000003"))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		file, _, err := parseAck(b)
		require.Equal(t, err != nil, file == "")
		require.LessOrEqual(t, len(file), 512)
	})
}
