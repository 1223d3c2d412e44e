package wire

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/duramendb/duramen/query/result"
)

// errMalformed is returned for a payload that is shorter or stranger than its
// command allows.
var errMalformed = errors.New("malformed packet")

// payloadReader reads the fields of one payload. After the first field that does not
// fit, failed stays set and every further field is zero, so that a decoder
// checks once at its end.
type payloadReader struct {
	b      []byte
	failed bool
	owned  bool // b is a copy of the payload's rest
}

func (c *payloadReader) err() error {
	if c.failed {
		return errMalformed
	}
	return nil
}

// bytes returns the next n bytes; they alias the payload.
func (c *payloadReader) bytes(n uint64) []byte {
	if c.failed || n > uint64(len(c.b)) {
		c.failed, c.b = true, nil
		return nil
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func (c *payloadReader) u8() byte {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *payloadReader) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *payloadReader) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *payloadReader) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// lenenc reads a length-encoded integer; NULL (0xfb) and 0xff are malformed.
func (c *payloadReader) lenenc() uint64 {
	switch first := c.u8(); {
	case first < 0xfb:
		return uint64(first)
	case first == 0xfc:
		return uint64(c.u16())
	case first == 0xfd:
		if b := c.bytes(3); b != nil {
			return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
		}
		return 0
	case first == 0xfe:
		return c.u64()
	}
	c.failed, c.b = true, nil
	return 0
}

func (c *payloadReader) lenencBytes() []byte { return c.bytes(c.lenenc()) }

// ownBytes is lenencBytes for bytes that outlive the payload. What is left of it is copied once for all of them.
func (c *payloadReader) ownBytes() []byte {
	if !c.owned {
		c.b, c.owned = bytes.Clone(c.b), true
	}
	return c.lenencBytes()
}

// nulString reads up to a zero byte and skips it.
func (c *payloadReader) nulString() string {
	i := bytes.IndexByte(c.b, 0)
	if i < 0 {
		c.failed, c.b = true, nil
		return ""
	}
	s := string(c.b[:i])
	c.b = c.b[i+1:]
	return s
}

// nulOrRest reads up to a zero byte or, as some clients leave the last one
// out, to the end.
func (c *payloadReader) nulOrRest() string {
	if bytes.IndexByte(c.b, 0) >= 0 {
		return c.nulString()
	}
	s := string(c.b)
	c.b = nil
	return s
}

func appendLenencBytes[T ~string | ~[]byte](dst []byte, s T) []byte {
	return append(result.AppendLength(dst, uint64(len(s))), s...)
}
