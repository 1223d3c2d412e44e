package convert

import (
	"bytes"
	"unicode/utf8"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// textual is how strings become those of one of this server's columns.
type textual struct {
	from, to   *kind
	collation  uint16
	chars      int  // the most characters
	binary     bool // without a character set
	utf8Bytes  int  // the most octets of a character of utf8mb3 or utf8mb4, 0 for other character sets
	unit       int  // octets of a code unit
	padded     int  // to how many octets the primary's strings are filled with zeros
	asciiOnly  bool // the primary's text is known to be of another character set
	threeBytes bool // it is utf8mb4, and this server's utf8mb3
}

// wide are the character sets of which ASCII is no part, by the octets of their code units.
var wide = map[string]int{"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}

// texts converts strings, octet by octet. ok is false for character sets that are known not to go.
func texts(f, t *kind, from *event.ColumnMeta, to *catalog.ColumnDef, said bool) (convert converter, ok bool) {
	here, most := mysql.CharsetName(to.Collation)
	x := &textual{from: f, to: t, collation: to.Collation, chars: t.size, binary: to.Collation == mysql.Collation_binary, unit: max(wide[here], 1)}
	if t.typ != mysql.MYSQL_TYPE_BLOB {
		x.chars = t.size / most
	}
	if here == "utf8mb3" || here == "utf8mb4" {
		x.utf8Bytes = most
	}
	there := ""
	if said {
		there, _ = mysql.CharsetName(from.Charset)
	}
	if x.binary && f.typ == mysql.MYSQL_TYPE_STRING && t.typ != mysql.MYSQL_TYPE_STRING && (there == "" || there == "binary") {
		x.padded = f.size
	}
	switch {
	case there == "", there == here, x.binary:
	case there == "binary":
		if x.unit > 1 {
			return nil, false
		}
		return x.convert, true
	case wide[there] != 0 || x.unit > 1:
		return nil, false
	case there == "ascii", there == "utf8mb3" && here == "utf8mb4":
	case there == "utf8mb4" && here == "utf8mb3":
		x.threeBytes = true
	default:
		x.asciiOnly = true
	}
	if *f == *t && !x.asciiOnly && !x.threeBytes {
		return nil, true
	}
	return x.convert, true
}

func (x *textual) convert(dst, value []byte) ([]byte, uint16, error) {
	s, wrong := value[x.from.prefix:], uint16(0)
	if n := x.padded - len(s); n > 0 {
		s = append(s[:len(s):len(s)], make([]byte, n)...)
	}
	if x.asciiOnly && !isASCII(s) {
		wrong = wrongString
	}
	if odd := len(s) % x.unit; odd != 0 {
		s, wrong = s[:len(s)-odd], wrongString
	}
	if !x.binary && (x.to.typ == mysql.MYSQL_TYPE_STRING || x.from.typ == mysql.MYSQL_TYPE_STRING) { // a BINARY, perhaps
		s = s[:row.TrimmedSize(x.collation, s)]
	}
	kept := s
	if x.utf8Bytes > 0 {
		var bad bool
		if kept, bad = x.wellFormed(s); bad {
			wrong = wrongString
		}
	}
	if fit := x.fitting(kept); len(fit) < len(kept) {
		if x.binary || row.TrimmedSize(x.collation, kept) > len(fit) {
			wrong = max(wrong, wrongLength)
		}
		kept = fit
	}
	switch {
	case x.to.typ != mysql.MYSQL_TYPE_STRING:
	case x.binary:
		kept = bytes.TrimRight(kept, "\x00")
	default:
		kept = kept[:row.TrimmedSize(x.collation, kept)]
	}
	dst = appendLittle(dst, uint64(len(kept)), x.to.prefix)
	return append(dst, kept...), wrong, nil
}

// fitting is the start of s that has no more octets and characters than the column can have.
func (x *textual) fitting(s []byte) []byte {
	if !x.binary && len(s) > x.chars {
		s = s[:row.CharsSize(x.collation, s, x.chars)]
	}
	if len(s) <= x.to.size {
		return s
	}
	end := x.to.size - x.to.size%x.unit
	for x.utf8Bytes > 0 && end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// wellFormed replaces octets by question marks that are no part of a character.
func (x *textual) wellFormed(s []byte) (text []byte, bad bool) {
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if r != utf8.RuneError || size > 1 {
			if size <= x.utf8Bytes {
				i += size
				continue
			}
		}
		if !bad {
			s, bad = bytes.Clone(s), true
		}
		s[i] = '?'
		i++
	}
	return s, bad
}

func isASCII(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
