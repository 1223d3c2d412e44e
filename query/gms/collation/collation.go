package collation

import (
	"math"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types/charset"
)

// Default is the collation of a database that names none: what MariaDB uses
// where utf8mb4 is the server's character set.
const Default uint16 = mysql.Collation_utf8mb4_general_ci

type entry struct {
	once   sync.Once
	weight func(dst, s []byte) []byte
	pad    bool
}

var entries [engineIDs]entry

// Lookup returns the weight function of a collation and whether it ignores
// trailing spaces of what that returns. The function is nil where the bytes themselves sort as the
// collation does, which is also the answer for an unknown id. The function
// appends to dst and may be called concurrently; it is a row.WeightFunc.
func Lookup(id uint16) (weight func(dst, s []byte) []byte, padSpace bool) {
	if c, ok := charset.ByID(id); ok && !Weighted(id) {
		return ownWeight(c), false
	}
	if id >= engineIDs {
		return nil, false
	}
	e := &entries[id]
	e.once.Do(func() { e.weight, e.pad = build(sql.CollationID(id)) })
	return e.weight, e.pad
}

// ownWeight is the sort key that package charset makes, which has its padding in itself.
func ownWeight(c *charset.Collation) func(dst, s []byte) []byte {
	if !c.PadSpace() && c.Binary() && c.Set().MinLen() == 1 {
		return nil // the bytes
	}
	o, err := c.Order()
	if err != nil {
		return nil // no column has it: see Check
	}
	return o.AppendKey
}

// Name returns MariaDB's name of a collation, "" for an unknown id.
func Name(id uint16) string {
	if c, ok := charset.ByID(id); ok {
		return c.Name()
	}
	if id == 0 || id >= engineIDs {
		return ""
	}
	return sql.CollationID(id).Name()
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
	put := appendShort
	if pad {
		put = appendTwo
	}
	switch cs {
	case sql.CharacterSet_utf8mb3, sql.CharacterSet_utf8mb4:
		// UTF-8 sorts as its code points do.
		if c == cs.BinaryCollation() || c == sql.Collation_utf8mb4_0900_bin {
			return nil, pad
		}
		return utf8Weights(def.Sorter, put), pad
	case sql.CharacterSet_utf16, sql.CharacterSet_utf32:
		if pad && c == cs.BinaryCollation() { // code points
			put = appendThree
		}
		return wideWeights(def.Sorter, TranscoderOf(uint16(c)), put), pad
	default:
		if c == cs.BinaryCollation() {
			return nil, pad
		}
		return byteWeights(def.Sorter, newByteCoder(cs)), pad
	}
}

// appendWeight appends one weight in one of the forms of the package comment.
type appendWeight func(dst []byte, w uint32) []byte

// utf8Weights is for the UTF-8 character sets. Weights of ASCII are kept in a
// table because go-mysql-server's function looks them up in a map.
func utf8Weights(sorter sql.CollationSorter, put appendWeight) func(dst, s []byte) []byte {
	var ascii [utf8.RuneSelf][]byte
	var pairs [utf8.RuneSelf][2]byte
	isPairs := true // all of them have two bytes
	for r := range ascii {
		ascii[r] = put(nil, clamp(sorter(rune(r))))
		isPairs = isPairs && copy(pairs[r][:], ascii[r]) == len(ascii[r]) && len(ascii[r]) == 2
	}
	return func(dst, s []byte) []byte {
		if isPairs {
			dst, s = pairsOf(dst, s, &pairs)
		}
		for len(s) > 0 {
			if b := s[0]; b < utf8.RuneSelf {
				dst = append(dst, ascii[b]...)
				s = s[1:]
				continue
			}
			r, n := utf8.DecodeRune(s)
			if r == utf8.RuneError && n <= 1 {
				// Not UTF-8: after everything that is.
				dst = put(dst, math.MaxUint32)
				s = s[1:]
				continue
			}
			dst = put(dst, clamp(sorter(r)))
			s = s[n:]
		}
		return dst
	}
}

// pairsOf appends the weights of two bytes of the ASCII characters that a text begins with, and returns what is behind these.
func pairsOf(dst, s []byte, pairs *[utf8.RuneSelf][2]byte) (to, rest []byte) {
	n := 0
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	at := len(dst)
	dst = slices.Grow(dst, 2*n)[:at+2*n]
	out := dst[at:]
	for i, b := range s[:n] {
		copy(out[2*i:2*i+2], pairs[b&(utf8.RuneSelf-1)][:])
	}
	return dst, s[n:]
}

// byteWeights is for character sets of one byte per character.
func byteWeights(sorter sql.CollationSorter, coder *byteCoder) func(dst, s []byte) []byte {
	var table [256]byte
	for i, r := range coder.decode {
		table[i] = math.MaxUint8
		if r != utf8.RuneError {
			table[i] = byte(min(clamp(sorter(r)), math.MaxUint8))
		}
	}
	return func(dst, s []byte) []byte {
		for _, b := range s {
			dst = append(dst, table[b])
		}
		return dst
	}
}

// wideWeights is for character sets whose characters are two or four bytes.
func wideWeights(sorter sql.CollationSorter, coder Transcoder, put appendWeight) func(dst, s []byte) []byte {
	weigh := utf8Weights(sorter, put)
	return func(dst, s []byte) []byte {
		return weigh(dst, coder.Decode(make([]byte, 0, len(s)), s))
	}
}

// clamp keeps the few negative weights, which mean "ignore", at the front.
func clamp(w int32) uint32 {
	if w < 0 {
		return 0
	}
	return uint32(w)
}

func appendTwo(dst []byte, w uint32) []byte {
	w = min(w, math.MaxUint16) // the table's "unknown", or an invalid byte
	return append(dst, byte(w>>8), byte(w))
}

func appendThree(dst []byte, w uint32) []byte {
	w = min(w, 1<<24-1)
	return append(dst, byte(w>>16), byte(w>>8), byte(w))
}

func appendShort(dst []byte, w uint32) []byte {
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
