package collation

import (
	"encoding/binary"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/types/charset"
)

// Transcoder converts between UTF-8, in which the SQL engine holds every
// string, and the character set of a column, in which a row image holds it.
// A nil Transcoder means that the bytes are the same.
type Transcoder interface {
	// Encode appends s in the column's character set to dst. ok is false when
	// s has a character that the set lacks, which becomes a question mark.
	Encode(dst []byte, s string) (out []byte, ok bool)
	// Decode appends s as UTF-8 to dst. Bytes that mean nothing in the
	// character set become U+FFFD.
	Decode(dst, s []byte) []byte
}

var transcoders struct {
	sync.RWMutex
	byCharset map[sql.CharacterSetID]Transcoder
}

// TranscoderOf returns the transcoder of a collation's character set; nil for
// UTF-8, binary and unknown ones.
func TranscoderOf(id uint16) Transcoder {
	if c, ok := charset.ByID(id); ok && !Weighted(id) {
		switch c.Set().Name() {
		case "utf8mb4", "utf8mb3", "binary":
			return nil
		}
		if _, own := engineSets[setID(c.Set())].Encoder.(encoder); own {
			return setCoder{c.Set()}
		}
		id = c.Set().Default().ID() // one of go-mysql-server's
	}
	if id == 0 || id >= engineIDs {
		return nil
	}
	cs := sql.CollationID(id).CharacterSet()
	switch cs {
	case sql.CharacterSet_utf8mb4, sql.CharacterSet_utf8mb3, sql.CharacterSet_binary:
		return nil
	case sql.CharacterSet_utf16:
		return utf16Coder{}
	case sql.CharacterSet_utf32:
		return utf32Coder{}
	}
	if cs.Encoder() == nil {
		return nil
	}
	transcoders.RLock()
	t, ok := transcoders.byCharset[cs]
	transcoders.RUnlock()
	if ok {
		return t
	}
	t = newByteCoder(cs)
	transcoders.Lock()
	defer transcoders.Unlock()
	if transcoders.byCharset == nil {
		transcoders.byCharset = map[sql.CharacterSetID]Transcoder{}
	}
	transcoders.byCharset[cs] = t
	return t
}

// byteCoder is a character set of one byte per character.
type byteCoder struct {
	decode [256]rune
	encode map[rune]byte
}

func newByteCoder(cs sql.CharacterSetID) *byteCoder {
	c := &byteCoder{encode: make(map[rune]byte, 256)}
	enc := cs.Encoder()
	for i := 255; i >= 0; i-- { // downwards: of two bytes for a rune the lower one wins
		c.decode[i] = utf8.RuneError
		u, ok := enc.DecodeRune([]byte{byte(i)})
		if !ok {
			continue
		}
		if r, n := utf8.DecodeRune(u); n == len(u) && r != utf8.RuneError {
			c.decode[i] = r
			c.encode[r] = byte(i)
		}
	}
	return c
}

func (c *byteCoder) Encode(dst []byte, s string) ([]byte, bool) {
	ok := true
	for _, r := range s {
		b, has := c.encode[r]
		if !has {
			b, ok = '?', false
		}
		dst = append(dst, b)
	}
	return dst, ok
}

func (c *byteCoder) Decode(dst, s []byte) []byte {
	for _, b := range s {
		dst = utf8.AppendRune(dst, c.decode[b])
	}
	return dst
}

type utf16Coder struct{}

func (utf16Coder) Encode(dst []byte, s string) ([]byte, bool) {
	for _, r := range s {
		if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
			dst = binary.BigEndian.AppendUint16(dst, uint16(r1))
			dst = binary.BigEndian.AppendUint16(dst, uint16(r2))
			continue
		}
		dst = binary.BigEndian.AppendUint16(dst, uint16(r))
	}
	return dst, true
}

func (utf16Coder) Decode(dst, s []byte) []byte {
	for ; len(s) >= 2; s = s[2:] {
		r := rune(binary.BigEndian.Uint16(s))
		if utf16.IsSurrogate(r) && len(s) >= 4 {
			if pair := utf16.DecodeRune(r, rune(binary.BigEndian.Uint16(s[2:]))); pair != utf8.RuneError {
				r = pair
				s = s[2:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	if len(s) > 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	return dst
}

type utf32Coder struct{}

func (utf32Coder) Encode(dst []byte, s string) ([]byte, bool) {
	for _, r := range s {
		dst = binary.BigEndian.AppendUint32(dst, uint32(r))
	}
	return dst, true
}

func (utf32Coder) Decode(dst, s []byte) []byte {
	for ; len(s) >= 4; s = s[4:] {
		dst = utf8.AppendRune(dst, rune(binary.BigEndian.Uint32(s)))
	}
	if len(s) > 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	return dst
}

// setCoder is a character set that go-mysql-server has no tables of.
type setCoder struct{ set *charset.Set }

func (c setCoder) Encode(dst []byte, s string) ([]byte, bool) {
	dst, done := charset.Convert(dst, c.set, utf8mb4, []byte(s))
	return dst, done.OK()
}

func (c setCoder) Decode(dst, s []byte) []byte {
	for len(s) > 0 {
		r, n, _ := c.set.Decode(s)
		dst = utf8.AppendRune(dst, r)
		s = s[min(max(n, c.set.MinLen()), len(s)):]
	}
	return dst
}
