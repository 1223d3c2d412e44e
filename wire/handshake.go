package wire

import (
	"encoding/binary"

	"github.com/duramendb/duramen/mysql"
)

// scrambleLen is the length of the random bytes a client mixes its password with.
const scrambleLen = 20

// appendGreeting appends the payload of the initial handshake packet.
func appendGreeting(dst []byte, version string, connID uint32, scramble []byte, caps, extended uint32, collation byte, status uint16) []byte {
	dst = append(dst, 10) // protocol version
	dst = append(append(dst, version...), 0)
	dst = binary.LittleEndian.AppendUint32(dst, connID)
	dst = append(append(dst, scramble[:8]...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(caps))
	dst = append(dst, collation)
	dst = binary.LittleEndian.AppendUint16(dst, status)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(caps>>16))
	dst = append(dst, scrambleLen+1)
	// Ten reserved bytes; MariaDB keeps its extended capabilities in the last four.
	dst = append(dst, make([]byte, 6)...)
	dst = binary.LittleEndian.AppendUint32(dst, extended)
	dst = append(append(dst, scramble[8:]...), 0)
	return append(append(dst, pluginNative...), 0)
}

// handshakeResponse is the client's answer to the greeting.
type handshakeResponse struct {
	capabilities uint32
	extended     uint32 // MariaDB's, of a client that is none of MySQL
	collation    byte
	// tlsRequest is set for the short form that only asks for TLS; the rest
	// then follows encrypted, in a packet of its own.
	tlsRequest bool
	user       string
	auth       []byte
	db         string
	plugin     string
	attributes map[string]string
}

// parseHandshakeResponse decodes a HandshakeResponse41 or an SSLRequest.
// Nothing in it aliases b.
func parseHandshakeResponse(b []byte) (handshakeResponse, error) {
	c := payloadReader{b: b}
	var r handshakeResponse
	r.capabilities = c.u32()
	c.u32() // the client's own packet limit
	r.collation = c.u8()
	c.bytes(19)
	if extended := c.u32(); r.capabilities&mysql.CLIENT_MYSQL == 0 {
		r.extended = extended
	}
	if c.failed || r.capabilities&mysql.CLIENT_PROTOCOL_41 == 0 || r.capabilities&mysql.CLIENT_SECURE_CONNECTION == 0 {
		return r, errMalformed
	}
	if len(c.b) == 0 {
		if r.capabilities&mysql.CLIENT_SSL == 0 {
			return r, errMalformed
		}
		r.tlsRequest = true
		return r, nil
	}
	r.user = c.nulString()
	if r.capabilities&mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA != 0 {
		r.auth = append(r.auth, c.lenencBytes()...)
	} else {
		r.auth = append(r.auth, c.bytes(uint64(c.u8()))...)
	}
	if r.capabilities&mysql.CLIENT_CONNECT_WITH_DB != 0 && len(c.b) > 0 {
		r.db = c.nulOrRest()
	}
	if r.capabilities&mysql.CLIENT_PLUGIN_AUTH != 0 && len(c.b) > 0 {
		r.plugin = c.nulOrRest()
	}
	if r.capabilities&mysql.CLIENT_CONNECT_ATTRS != 0 && len(c.b) > 0 {
		r.attributes = c.attributes()
	}
	return r, c.err()
}

// attributes reads the connection attributes: a length, then names and values.
func (c *payloadReader) attributes() map[string]string {
	a := payloadReader{b: c.lenencBytes()}
	if c.failed {
		return nil
	}
	attrs := make(map[string]string)
	for len(a.b) > 0 && !a.failed {
		name, value := string(a.lenencBytes()), string(a.lenencBytes())
		if !a.failed {
			attrs[name] = value
		}
	}
	c.failed = c.failed || a.failed
	return attrs
}

// changeUser is COM_CHANGE_USER without its command byte.
type changeUser struct {
	user       string
	auth       []byte
	db         string
	collation  uint16
	plugin     string
	attributes map[string]string
}

func parseChangeUser(b []byte, caps uint32) (changeUser, error) {
	c := payloadReader{b: b}
	var r changeUser
	r.user = c.nulString()
	r.auth = append(r.auth, c.bytes(uint64(c.u8()))...)
	r.db = c.nulOrRest()
	if len(c.b) > 0 {
		r.collation = c.u16()
	}
	if caps&mysql.CLIENT_PLUGIN_AUTH != 0 && len(c.b) > 0 {
		r.plugin = c.nulOrRest()
	}
	if caps&mysql.CLIENT_CONNECT_ATTRS != 0 && len(c.b) > 0 {
		r.attributes = c.attributes()
	}
	return r, c.err()
}
