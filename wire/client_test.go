package wire

import (
	"encoding/binary"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// rawClient speaks packets, to send what no client library would.
type rawClient struct {
	t    *testing.T
	conn *packetConn
}

const testClientCaps = mysql.CLIENT_PROTOCOL_41 | mysql.CLIENT_SECURE_CONNECTION | mysql.CLIENT_PLUGIN_AUTH |
	mysql.CLIENT_CONNECT_WITH_DB | mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA | mysql.CLIENT_MULTI_RESULTS

// dial connects and reads the greeting.
func dial(t *testing.T, addr string) *rawClient {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(30*time.Second)))
	c := &rawClient{t: t, conn: newPacketConn(nc)}
	greeting := c.read()
	require.Equal(t, byte(10), greeting[0])
	return c
}

// login dials and logs in as root without a password.
func login(t *testing.T, addr string, caps uint32, db string) *rawClient {
	t.Helper()
	c := dial(t, addr)
	c.send(responsePayload(caps, "root", nil, db, pluginNative))
	answer := c.read()
	require.Equal(t, byte(0), answer[0], "login answered %q", answer)
	return c
}

func responsePayload(caps uint32, user string, auth []byte, db, plugin string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, caps)
	b = binary.LittleEndian.AppendUint32(b, uint32(maxPayload))
	b = append(b, defaultCollation)
	b = append(b, make([]byte, 23)...)
	b = append(append(b, user...), 0)
	b = appendLenencBytes(b, auth)
	if caps&mysql.CLIENT_CONNECT_WITH_DB != 0 {
		b = append(append(b, db...), 0)
	}
	if caps&mysql.CLIENT_PLUGIN_AUTH != 0 {
		b = append(append(b, plugin...), 0)
	}
	return b
}

// command starts a new exchange and returns the first answer.
func (c *rawClient) command(com byte, arg ...byte) []byte {
	c.t.Helper()
	c.start(com, arg...)
	return c.read()
}

// start sends a command.
func (c *rawClient) start(com byte, arg ...byte) {
	c.t.Helper()
	c.conn.resetSequence()
	c.send(append([]byte{com}, arg...))
}

func (c *rawClient) send(payload []byte) {
	c.t.Helper()
	c.conn.writePayload(payload)
	require.NoError(c.t, c.conn.flush())
}

func (c *rawClient) read() []byte {
	c.t.Helper()
	payload, err := c.conn.readPacket(1<<30, keepDeadline)
	require.NoError(c.t, err)
	return append([]byte{}, payload...)
}

// errorNumber is the number in an ERR packet.
func errorNumber(t *testing.T, payload []byte) int {
	t.Helper()
	require.NotEmpty(t, payload)
	require.Equal(t, byte(0xff), payload[0], "not an error: %q", payload)
	return int(binary.LittleEndian.Uint16(payload[1:]))
}
