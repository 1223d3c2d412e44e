package convert

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// converterOf makes the converter of a column, nil where the bytes stay as they are. ok is false if the types do not go, or not with these conversions.
func converterOf(from *event.ColumnMeta, to *catalog.ColumnDef, metadata event.RowMetadata, c Conversions) (convert converter, ok bool) {
	f, t := kindOf(from.Type, from.Meta), kindOf(to.Type, to.Meta)
	fixed := isFixed(to)
	here, _ := mysql.CharsetName(to.Collation)
	r := relationOf(&f, &t, fixed, here == "utf8mb4")
	if !c.allow(r) {
		return nil, false
	}
	if f.class == document {
		return documents(&f, &t), true
	}
	said := metadata != event.RowMetadataNoLog // signedness and character sets
	switch t.class {
	case integer:
		return integers(f.size, t.size, to.Unsigned, said, from.Unsigned), true
	case float, decimal:
		return numbers(&f, &t, to.Unsigned, said && !from.Unsigned), true
	case text:
		if fixed {
			return nil, true
		}
		return texts(&f, &t, from, to, said)
	case bits:
		if r != same {
			return bitStrings(t.size), true
		}
	case enum, set:
		return members(&f, &t, from, to, metadata == event.RowMetadataFull), true
	case date, clock, moment, stamp:
		if r != same || f.size > t.size {
			return times(&f, &t), true
		}
	}
	return nil, true
}

// isFixed says that a column is in images as a BINARY is, but has values of its own.
func isFixed(c *catalog.ColumnDef) bool {
	return c.SQLType == "uuid" || c.SQLType == "inet6" || c.SQLType == "inet4"
}

// little reads an unsigned number of at most eight octets, the lowest first.
func little(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func appendLittle(dst []byte, v uint64, size int) []byte {
	for range size {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// big reads an unsigned number of at most eight octets, the highest first.
func big(b []byte) (v uint64) {
	for _, o := range b {
		v = v<<8 | uint64(o)
	}
	return v
}

func appendBig(dst []byte, v uint64, size int) []byte {
	for i := size - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}

// extended is a signed number of so many octets in 64 bits.
func extended(v uint64, size int) uint64 {
	shift := 64 - 8*size
	return uint64(int64(v<<shift) >> shift)
}

// integers converts integers of one size into those of another one. Unless the primary says whether its column is signed, it is if this server's is.
func integers(from, to int, unsigned, said, fromUnsigned bool) converter {
	if !said {
		fromUnsigned = unsigned
	}
	if from == to && fromUnsigned == unsigned {
		return nil
	}
	largest := uint64(math.MaxUint64) >> (64 - 8*to)
	if !unsigned {
		largest >>= 1
	}
	// clipped is what MariaDB keeps: it reads the primary's value by this server's signedness.
	clipped := func(v uint64) uint64 {
		if unsigned {
			return min(v, largest)
		}
		return uint64(min(max(int64(extended(v, from)), -int64(largest)-1), int64(largest)))
	}
	return func(dst, value []byte) ([]byte, uint16, error) {
		v := little(value)
		negative := !fromUnsigned && int64(extended(v, from)) < 0
		exact := v
		if negative {
			exact = extended(v, from)
		}
		fits := exact <= largest
		if negative {
			fits = !unsigned && int64(exact) >= -int64(largest)-1
		}
		if fits {
			return appendLittle(dst, exact, to), 0, nil
		}
		return appendLittle(dst, clipped(v), to), wrongRange, nil
	}
}

// numbers converts FLOAT, DOUBLE and DECIMAL. signed says that the primary's column is known to be.
func numbers(from, to *kind, unsigned, signed bool) converter {
	if from.class == to.class && from.size == to.size && from.precision == to.precision && from.scale == to.scale {
		if !unsigned || !signed {
			return nil
		}
		return func(dst, value []byte) ([]byte, uint16, error) { // MariaDB takes it as it is
			if isNegative(from, value) {
				return append(dst, value...), wrongRange, nil
			}
			return append(dst, value...), 0, nil
		}
	}
	var buffer func(dst []byte, text []byte, cut bool) ([]byte, uint16, error)
	if to.class == decimal {
		buffer = decimalOf(to, unsigned)
	}
	return func(dst, value []byte) ([]byte, uint16, error) {
		var room [512]byte
		switch {
		case from.class == decimal:
			text, err := mysql.AppendDecimalText(room[:0], value, from.precision, from.scale)
			if err != nil {
				return dst, 0, ErrImage
			}
			if to.class == decimal {
				return buffer(dst, text, cutsDigits(text, from.scale-to.scale))
			}
			v, err := strconv.ParseFloat(string(text), 64)
			if err != nil {
				return dst, 0, ErrImage
			}
			return appendFloat(dst, v, to.size, unsigned)
		case to.class == float:
			return appendFloat(dst, readFloat(value), to.size, unsigned)
		}
		v := readFloat(value)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, 0, ErrImage
		}
		return buffer(dst, strconv.AppendFloat(room[:0], v, 'f', -1, 64), false)
	}
}

func isNegative(k *kind, value []byte) bool {
	if k.class == decimal {
		return value[0]&0x80 == 0
	}
	return value[len(value)-1]&0x80 != 0 && readFloat(value) != 0
}

func readFloat(value []byte) float64 {
	if len(value) == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(value)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(value))
}

func appendFloat(dst []byte, v float64, size int, unsigned bool) ([]byte, uint16, error) {
	wrong := uint16(0)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dst, 0, ErrImage
	}
	if unsigned && v < 0 {
		v, wrong = 0, wrongRange
	}
	if size == 8 {
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v)), wrong, nil
	}
	if math.Abs(v) > math.MaxFloat32 {
		v, wrong = math.Copysign(math.MaxFloat32, v), wrongRange
	}
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v))), wrong, nil
}

// cutsDigits says that one of the last n digits of a number is not 0.
func cutsDigits(text []byte, n int) bool {
	for i := len(text) - 1; n > 0 && i >= 0; i-- {
		if text[i] != '0' {
			return true
		}
		n--
	}
	return false
}

// decimalOf makes DECIMALs of numbers as text. cut says that digits get lost.
func decimalOf(to *kind, unsigned bool) func(dst, text []byte, cut bool) ([]byte, uint16, error) {
	col := row.Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: to.meta}
	nines := make([]byte, 0, to.precision+2)
	for i := range to.precision {
		if i == to.precision-to.scale {
			nines = append(nines, '.')
		}
		nines = append(nines, '9')
	}
	largest := string(nines)
	return func(dst, text []byte, cut bool) ([]byte, uint16, error) {
		negative, wrong := text[0] == '-', uint16(0)
		number := string(text)
		if cut {
			wrong = wrongTruncated
		}
		if negative && unsigned && number != "-0" {
			number, wrong = "0", wrongRange
		}
		out, err := row.AppendValue(dst, &col, number)
		if err == nil {
			return out, wrong, nil
		}
		if number = largest; negative {
			number = "-" + largest
		}
		if out, err = row.AppendValue(dst, &col, number); err != nil {
			return dst, 0, ErrImage
		}
		return out, wrongRange, nil
	}
}

// bitStrings converts BIT to another number of bits.
func bitStrings(to int) converter {
	largest := uint64(math.MaxUint64) >> (64 - to)
	return func(dst, value []byte) ([]byte, uint16, error) {
		v, wrong := big(value), uint16(0)
		if v > largest {
			v, wrong = largest, wrongRange
		}
		return appendBig(dst, v, (to+7)/8), wrong, nil
	}
}

// members converts ENUM and SET, by number. named says that the primary has told the names of its members: a member that has another one here is then not
// the same value.
func members(from, to *kind, f *event.ColumnMeta, t *catalog.ColumnDef, named bool) converter {
	count := uint64(len(t.EnumValues))
	renamed := map[uint64]bool{}
	if named {
		for i := range f.Values {
			if i >= len(t.EnumValues) || !sameName(f.Values[i], t.EnumValues[i]) {
				renamed[uint64(i+1)] = true
			}
		}
	}
	if from.size == to.size && len(renamed) == 0 {
		return nil
	}
	if to.class == enum {
		return func(dst, value []byte) ([]byte, uint16, error) {
			v, wrong := little(value), uint16(0)
			if renamed[v] || v > count {
				wrong = wrongTruncated
			}
			if v > count && from.size > to.size {
				v = 0
			}
			return appendLittle(dst, v, to.size), wrong, nil
		}
	}
	mask, lost := uint64(1)<<min(count, 63)-1, uint64(0)
	if count >= 64 {
		mask = math.MaxUint64
	}
	for i := range renamed {
		lost |= 1 << (i - 1)
	}
	return func(dst, value []byte) ([]byte, uint16, error) {
		v, wrong := little(value), uint16(0)
		if v&^mask != 0 || v&lost != 0 {
			wrong = wrongTruncated
		}
		if from.size != to.size {
			v &= mask
		}
		return appendLittle(dst, v, to.size), wrong, nil
	}
}

// sameName compares names of members. The primary says them in the column's character set, so that only ASCII is certain.
func sameName(a, b string) bool { return a == b || !isASCII([]byte(a)) && !isASCII([]byte(b)) }
