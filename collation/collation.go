package collation

import (
	"sync"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
)

// Binary is the id of the binary pseudo collation.
const Binary uint16 = uint16(sql.Collation_binary)

// Default is the collation of a database that names none: what MariaDB uses
// where utf8mb4 is the server's character set.
const Default uint16 = uint16(sql.Collation_utf8mb4_general_ci)

// maxID bounds the ids that go-mysql-server's table can be asked for.
const maxID = uint16(sql.Collation_utf8mb4_mn_cyrl_0900_as_cs)

type entry struct {
	once   sync.Once
	weight func(dst, s []byte) []byte
	pad    bool
}

var entries [maxID + 1]entry

// Lookup returns the weight function of a collation and whether it ignores
// trailing spaces. The function is nil where the bytes themselves sort as the
// collation does, which is also the answer for an unknown id. The function
// appends to dst and may be called concurrently.
func Lookup(id uint16) (weight func(dst, s []byte) []byte, padSpace bool) {
	if id > maxID {
		return nil, false
	}
	e := &entries[id]
	e.once.Do(func() { e.weight, e.pad = build(sql.CollationID(id)) })
	return e.weight, e.pad
}

// Known reports whether the collation id exists and can sort.
func Known(id uint16) bool {
	return id != 0 && id <= maxID && sql.CollationID(id).Collation().Sorter != nil
}

// Name returns MariaDB's name of a collation, "" for an unknown id.
func Name(id uint16) string {
	if id == 0 || id > maxID {
		return ""
	}
	return sql.CollationID(id).Name()
}

// ID returns the id of a collation name.
func ID(name string) (uint16, bool) {
	c, err := sql.ParseCollation("", name, false)
	if err != nil || c == sql.Collation_Unspecified {
		return 0, false
	}
	return uint16(c), true
}

func build(c sql.CollationID) (weight func(dst, s []byte) []byte, pad bool) {
	if c == sql.Collation_Unspecified {
		c = sql.Collation_Default
	}
	def := c.Collation()
	pad = def.PadAttribute == "PAD SPACE"
	cs := c.CharacterSet()
	if def.Sorter == nil || cs.Encoder() == nil || cs == sql.CharacterSet_binary {
		return nil, pad
	}
	switch cs {
	case sql.CharacterSet_utf8mb3, sql.CharacterSet_utf8mb4:
		// UTF-8 sorts as its code points do.
		if c == cs.BinaryCollation() || c == sql.Collation_utf8mb4_0900_bin {
			return nil, pad
		}
		return utf8Weights(def.Sorter), pad
	case sql.CharacterSet_utf16, sql.CharacterSet_utf32:
		// A space is several bytes here, so the padding cannot be left to the
		// caller, who cuts single bytes.
		return wideWeights(def.Sorter, TranscoderOf(uint16(c)), pad), false
	default:
		if c == cs.BinaryCollation() {
			return nil, pad
		}
		return byteWeights(def.Sorter, newByteCoder(cs)), pad
	}
}

// utf8Weights is for the UTF-8 character sets. Weights of ASCII are kept in a
// table because go-mysql-server's function looks them up in a map.
func utf8Weights(sorter sql.CollationSorter) func(dst, s []byte) []byte {
	var ascii [utf8.RuneSelf]uint32
	for r := range ascii {
		ascii[r] = clamp(sorter(rune(r)))
	}
	return func(dst, s []byte) []byte {
		for len(s) > 0 {
			if b := s[0]; b < utf8.RuneSelf {
				dst = appendWeight(dst, ascii[b])
				s = s[1:]
				continue
			}
			r, n := utf8.DecodeRune(s)
			if r == utf8.RuneError && n <= 1 {
				// Not UTF-8: after everything that is, by its byte.
				dst = appendWeight(dst, 0xffffff00|uint32(s[0]))
				s = s[1:]
				continue
			}
			dst = appendWeight(dst, clamp(sorter(r)))
			s = s[n:]
		}
		return dst
	}
}

// byteWeights is for character sets of one byte per character.
func byteWeights(sorter sql.CollationSorter, coder *byteCoder) func(dst, s []byte) []byte {
	var table [256]uint32
	for i, r := range coder.decode {
		table[i] = 0xffffff00 | uint32(i)
		if r != utf8.RuneError {
			table[i] = clamp(sorter(r))
		}
	}
	return func(dst, s []byte) []byte {
		for _, b := range s {
			dst = appendWeight(dst, table[b])
		}
		return dst
	}
}

// wideWeights is for character sets whose characters are two or four bytes.
func wideWeights(sorter sql.CollationSorter, coder Transcoder, pad bool) func(dst, s []byte) []byte {
	weigh := utf8Weights(sorter)
	return func(dst, s []byte) []byte {
		u := coder.Decode(make([]byte, 0, len(s)), s)
		for pad && len(u) > 0 && u[len(u)-1] == ' ' {
			u = u[:len(u)-1]
		}
		return weigh(dst, u)
	}
}

// clamp keeps the few negative weights, which mean "ignore", at the front.
func clamp(w int32) uint32 {
	if w < 0 {
		return 0
	}
	return uint32(w)
}

func appendWeight(dst []byte, w uint32) []byte {
	switch {
	case w < 1<<7:
		return append(dst, byte(w))
	case w < 1<<14:
		return append(dst, 0x80|byte(w>>8), byte(w))
	case w < 1<<21:
		return append(dst, 0xc0|byte(w>>16), byte(w>>8), byte(w))
	default:
		return append(dst, 0xf0, byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
	}
}
