package convert

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/duramendb/duramen/mysql"
)

// A MySQL has documents of its type JSON in a binary form of its own (https://dev.mysql.com/doc/dev/mysql-server/latest/json__binary_8h.html), in its log too. They
// become the texts that it shows, which is what MariaDB's JSON, a LONGTEXT, has of documents.

// The types of values in a document.
const (
	jsonSmallObject = 0x00
	jsonLargeObject = 0x01
	jsonSmallArray  = 0x02
	jsonLargeArray  = 0x03
	jsonLiteral     = 0x04
	jsonInt16       = 0x05
	jsonUint16      = 0x06
	jsonInt32       = 0x07
	jsonUint32      = 0x08
	jsonInt64       = 0x09
	jsonUint64      = 0x0a
	jsonDouble      = 0x0b
	jsonString      = 0x0c
	jsonOpaque      = 0x0f
)

const (
	// jsonDepth is how deep a MySQL lets documents be.
	jsonDepth = 100
	// jsonGrowth is by how much a text may be longer than the document: a control character, of one octet, is \u001f. More is one whose parts lie on each other.
	jsonGrowth = 8
	jsonRoom   = 64
)

// documents converts JSON of a MySQL.
func documents(f, t *kind) converter {
	return func(dst, value []byte) ([]byte, uint16, error) {
		doc := value[f.prefix:]
		start := len(dst)
		w := jsonText{dst: appendLittle(dst, 0, t.prefix), most: start + t.prefix + jsonGrowth*len(doc) + jsonRoom}
		if len(doc) == 0 { // so MySQL reads it
			w.dst = append(w.dst, "null"...)
		} else {
			w.value(doc[0], doc[1:], 0)
		}
		if w.wrong {
			return dst, 0, ErrImage
		}
		size := len(w.dst) - start - t.prefix
		if uint64(size) > uint64(t.size) || !utf8.Valid(w.dst[start+t.prefix:]) {
			return dst, 0, ErrImage
		}
		for i := range t.prefix {
			w.dst[start+i] = byte(size >> (8 * i))
		}
		return w.dst, 0, nil
	}
}

// jsonText writes the text of a document.
type jsonText struct {
	dst   []byte
	most  int // octets that dst may have
	wrong bool
}

// fits says whether there are so many octets; if not, or if the text is too long, the document is malformed.
func (w *jsonText) fits(data []byte, size int) bool {
	if size > len(data) || len(w.dst) > w.most {
		w.wrong = true
	}
	return !w.wrong
}

// value appends a value whose octets are at the start of data.
func (w *jsonText) value(typ byte, data []byte, depth int) {
	switch typ {
	case jsonSmallObject, jsonLargeObject, jsonSmallArray, jsonLargeArray:
		w.container(typ, data, depth)
	case jsonLiteral:
		w.literal(data)
	case jsonInt16, jsonUint16, jsonInt32, jsonUint32, jsonInt64, jsonUint64:
		size := 2 << ((typ - jsonInt16) / 2)
		if !w.fits(data, size) {
			return
		}
		if v := little(data[:size]); (typ-jsonInt16)%2 == 0 {
			w.dst = strconv.AppendInt(w.dst, int64(extended(v, size)), 10)
		} else {
			w.dst = strconv.AppendUint(w.dst, v, 10)
		}
	case jsonDouble:
		if w.fits(data, 8) {
			w.double(math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
	case jsonString:
		if text, ok := w.counted(data); ok {
			w.quoted(text)
		}
	case jsonOpaque:
		w.opaque(data)
	default:
		w.wrong = true
	}
}

func (w *jsonText) literal(data []byte) {
	if !w.fits(data, 1) {
		return
	}
	switch data[0] {
	case 0:
		w.dst = append(w.dst, "null"...)
	case 1:
		w.dst = append(w.dst, "true"...)
	case 2:
		w.dst = append(w.dst, "false"...)
	default:
		w.wrong = true
	}
}

// container appends an object or an array: how many there are, its size, for an object where its keys are and how long, for each value its type and where it
// is, or the value itself if it is not longer than that.
func (w *jsonText) container(typ byte, data []byte, depth int) {
	object, width := typ <= jsonLargeObject, 2
	if typ == jsonLargeObject || typ == jsonLargeArray {
		width = 4
	}
	if depth >= jsonDepth || !w.fits(data, 2*width) {
		w.wrong = true
		return
	}
	count, size := little(data[:width]), little(data[width:2*width])
	entry := uint64(width + 1)
	if object {
		entry += uint64(width + 2)
	}
	if size > uint64(len(data)) || uint64(2*width)+count*entry > size { // the count has at most 32 bits
		w.wrong = true
		return
	}
	data = data[:size]
	keys, values := data[2*width:], data[2*width:]
	begin, end := byte('['), byte(']')
	if object {
		begin, end = '{', '}'
		values = values[int(count)*(width+2):]
	}
	w.dst = append(w.dst, begin)
	for i := 0; i < int(count) && !w.wrong; i++ {
		if i > 0 {
			w.dst = append(w.dst, ", "...)
		}
		if object {
			at, length := little(keys[:width]), little(keys[width:width+2])
			keys = keys[width+2:]
			if at+length > size {
				w.wrong = true
				return
			}
			w.quoted(data[at : at+length])
			w.dst = append(w.dst, ": "...)
		}
		inner, place := values[0], values[1:1+width]
		values = values[1+width:]
		if inlined(inner, width) {
			w.value(inner, place, depth+1)
			continue
		}
		at := little(place)
		if at >= size {
			w.wrong = true
			return
		}
		w.value(inner, data[at:], depth+1)
	}
	w.dst = append(w.dst, end)
	w.fits(nil, 0)
}

// inlined says that values of the type stand where others have their place.
func inlined(typ byte, width int) bool {
	switch typ {
	case jsonLiteral, jsonInt16, jsonUint16:
		return true
	case jsonInt32, jsonUint32:
		return width == 4
	}
	return false
}

// counted is the octets behind their number, which has seven bits in each octet, the lowest first.
func (w *jsonText) counted(data []byte) ([]byte, bool) {
	length := uint64(0)
	for i := range min(len(data), 5) {
		length |= uint64(data[i]&0x7f) << (7 * i)
		if data[i] < 0x80 {
			data = data[i+1:]
			if length > uint64(len(data)) {
				break
			}
			return data[:length], w.fits(nil, 0)
		}
	}
	w.wrong = true
	return nil, false
}

func (w *jsonText) quoted(text []byte) {
	const short = "\b\t\n\f\r"
	if len(w.dst)+len(text) > w.most {
		w.wrong = true
		return
	}
	w.dst = append(w.dst, '"')
	for _, c := range text {
		switch {
		case c == '"', c == '\\':
			w.dst = append(w.dst, '\\', c)
		case c >= ' ':
			w.dst = append(w.dst, c)
		default:
			escape := byte(0)
			for i := range short {
				if short[i] == c {
					escape = "btnfr"[i]
				}
			}
			if escape != 0 {
				w.dst = append(w.dst, '\\', escape)
			} else {
				w.dst = fmt.Appendf(w.dst, "\\u%04x", c)
			}
		}
	}
	w.dst = append(w.dst, '"')
}

// double writes a number as a MySQL does: with its shortest digits, and an exponent before 1e-14 and from 1e15 on.
func (w *jsonText) double(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.wrong = true
		return
	}
	const digits = 15
	var room [32]byte
	e := strconv.AppendFloat(room[:0], v, 'e', -1, 64)
	at := len(e) - 1
	for e[at] != 'e' {
		at--
	}
	exponent, err := strconv.Atoi(string(e[at+1:]))
	if err != nil {
		w.wrong = true
		return
	}
	if exponent >= -digits && exponent < digits {
		start := len(w.dst)
		w.dst = strconv.AppendFloat(w.dst, v, 'f', -1, 64)
		for _, c := range w.dst[start:] {
			if c == '.' {
				return
			}
		}
		w.dst = append(w.dst, ".0"...)
		return
	}
	w.dst = strconv.AppendInt(append(append(w.dst, e[:at]...), 'e'), int64(exponent), 10)
}

// opaque appends a value of one of SQL's types: DECIMAL, times, and what is shown by its octets.
func (w *jsonText) opaque(data []byte) {
	if !w.fits(data, 1) {
		return
	}
	typ := data[0]
	value, ok := w.counted(data[1:])
	if !ok {
		return
	}
	switch typ {
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		if len(value) < 2 {
			w.wrong = true
			return
		}
		out, err := mysql.AppendDecimalText(w.dst, value[2:], int(value[0]), int(value[1]))
		w.dst, w.wrong = out, err != nil
	case mysql.MYSQL_TYPE_DATE, mysql.MYSQL_TYPE_DATETIME, mysql.MYSQL_TYPE_TIMESTAMP, mysql.MYSQL_TYPE_TIME:
		if len(value) != 8 {
			w.wrong = true
			return
		}
		w.temporal(typ, int64(binary.LittleEndian.Uint64(value)))
	default:
		w.dst = fmt.Appendf(w.dst, `"base64:type%d:`, typ)
		w.dst = append(base64.StdEncoding.AppendEncode(w.dst, value), '"')
	}
}

// temporal appends a time as a MySQL packs it: microseconds in 24 bits, seconds, minutes, hours, days, and months with years above them.
func (w *jsonText) temporal(typ byte, packed int64) {
	sign := ""
	if packed < 0 {
		sign, packed = "-", -packed
	}
	micros, whole := packed&0xffffff, packed>>24
	clock := func(hours int64) string {
		return fmt.Sprintf("%s%02d:%02d:%02d.%06d", sign, hours, whole>>6&63, whole&63, micros)
	}
	days := whole >> 17
	date := fmt.Sprintf("%04d-%02d-%02d", days>>5/13, days>>5%13, days&31)
	switch typ {
	case mysql.MYSQL_TYPE_TIME:
		w.dst = append(append(append(w.dst, '"'), clock(whole>>12&1023)...), '"')
	case mysql.MYSQL_TYPE_DATE:
		w.dst = append(append(append(w.dst, '"'), date...), '"')
	default:
		w.dst = append(append(append(w.dst, '"'), date+" "+clock(whole>>12&31)...), '"')
	}
}
