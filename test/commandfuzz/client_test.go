package commandfuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/duramendb/duramen/mysql"
)

// hangGuard is how long a connection may go without its end.
const hangGuard = time.Minute

func packet(seq byte, payload []byte) []byte {
	n := len(payload)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}, payload...)
}

// loginPacket is a right answer to the greeting, for root without a password and database f.
func loginPacket(db string) []byte {
	caps := mysql.CLIENT_PROTOCOL_41 | mysql.CLIENT_SECURE_CONNECTION | mysql.CLIENT_PLUGIN_AUTH | mysql.CLIENT_CONNECT_WITH_DB |
		mysql.CLIENT_MULTI_STATEMENTS | mysql.CLIENT_MULTI_RESULTS | mysql.CLIENT_LOCAL_FILES
	b := binary.LittleEndian.AppendUint32(nil, caps)
	b = binary.LittleEndian.AppendUint32(b, 16<<20)
	b = append(b, mysql.Collation_utf8mb4_general_ci)
	b = append(b, make([]byte, 23)...)
	b = append(b, "root\x00\x00"...)
	b = append(b, db...)
	return append(b, "\x00mysql_native_password\x00"...)
}

// converse connects, sends packets and reads until the server closes. An error says that it did
// not close in time, or could not be reached.
func converse(addr string, packets [][]byte) error {
	c, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(hangGuard))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		var b bytes.Buffer
		for _, p := range packets {
			b.Write(p)
		}
		// A server that closes early is right, mostly. The end of what is sent ends
		// waits for more, such as for the file of LOAD DATA LOCAL.
		_, _ = c.Write(b.Bytes())
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(io.Discard, c)
	<-sent
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("no end after %s", hangGuard)
	}
	return nil
}
