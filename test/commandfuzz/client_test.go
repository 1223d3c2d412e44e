package commandfuzz

import (
	"bufio"
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
	b = append(b, make([]byte, 19)...)
	b = binary.LittleEndian.AppendUint32(b, mysql.MARIADB_CLIENT_STMT_BULK_OPERATIONS|mysql.MARIADB_CLIENT_CACHE_METADATA)
	b = append(b, "root\x00\x00"...)
	b = append(b, db...)
	return append(b, "\x00mysql_native_password\x00"...)
}

// converse connects, sends packets and reads until the server closes. It gives the connection's number, and
// an error if the server did not close in time or could not be reached.
func converse(addr string, packets [][]byte) (id uint32, err error) {
	c, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return 0, fmt.Errorf("connect: %w", err)
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
	in := bufio.NewReader(c)
	id = greeted(in)
	_, err = io.Copy(io.Discard, in)
	<-sent
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return id, fmt.Errorf("no end after %s", hangGuard)
	}
	return id, nil
}

// greeted reads the number that a greeting gives a connection: it follows the packet's header, the protocol's
// version and the server's, which ends with a zero byte. It is 0 if there was no greeting.
func greeted(in *bufio.Reader) uint32 {
	var id [4]byte
	if _, err := in.Discard(5); err != nil {
		return 0
	}
	if _, err := in.ReadString(0); err != nil {
		return 0
	}
	if _, err := io.ReadFull(in, id[:]); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(id[:])
}
