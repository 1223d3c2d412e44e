package temporal

import "errors"

// ErrImage is what the readers of row images return for bytes that no value has.
var ErrImage = errors.New("not a temporal value")

// Offsets that make stored values positive.
const (
	timeOffset     = 0x800000
	dateTimeOffset = 0x8000000000
)

// fractionSize is how many bytes of a row image a fraction of fsp digits takes.
func fractionSize(fsp int) int { return (fsp + 1) / 2 }

// fractionUnits: microseconds per unit of a stored fraction of n bytes.
var fractionUnits = [4]int64{microsPerSecond, 10000, 100, 1}

// appendBig writes the n low bytes of v, high byte first.
func appendBig(dst []byte, v uint64, n int) []byte {
	for n--; n >= 0; n-- {
		dst = append(dst, byte(v>>(8*n)))
	}
	return dst
}

func readBig(b []byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

// AppendDateImage writes a DATE: day, month and year in three bytes, low byte first.
func AppendDateImage(dst []byte, v Packed) []byte {
	p := v.DateParts()
	n := p.Year<<9 | p.Month<<5 | p.Day
	return append(dst, byte(n), byte(n>>8), byte(n>>16))
}

// DateImage reads the three bytes of a DATE.
func DateImage(b []byte) (Packed, error) {
	if len(b) != 3 {
		return 0, ErrImage
	}
	n := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	p := Parts{Year: n >> 9, Month: n >> 5 & 15, Day: n & fiveBits}
	if p.Year > yearMax || p.Month > 12 {
		return 0, ErrImage
	}
	return p.PackDate(), nil
}

// AppendDateTimeImage writes a DATETIME(fsp) as DATETIME2: five bytes, high byte
// first, and a fraction of up to three.
func AppendDateTimeImage(dst []byte, v Packed, fsp int) []byte {
	dst = appendBig(dst, uint64(v>>microBits)+dateTimeOffset, 5)
	return appendFractionImage(dst, v&microMask, fsp)
}

func appendFractionImage(dst []byte, micro Packed, fsp int) []byte {
	n := fractionSize(fsp)
	if n == 0 {
		return dst
	}
	return appendBig(dst, uint64(int64(micro.Truncate(fsp))/fractionUnits[n]), n)
}

// DateTimeImage reads a DATETIME2 of fsp digits.
func DateTimeImage(b []byte, fsp int) (Packed, error) {
	n := fractionSize(fsp)
	if len(b) != 5+n {
		return 0, ErrImage
	}
	whole := int64(readBig(b[:5])) - dateTimeOffset
	v := Packed(whole) << microBits
	if n > 0 {
		v |= Packed(int64(readBig(b[5:])) * fractionUnits[n])
	}
	if p := v.DateParts(); whole < 0 || !p.inRange(23) || p.Year > yearMax {
		return 0, ErrImage
	}
	return v, nil
}

// inRange looks at the fields that have more bits than values.
func (p *Parts) inRange(hourMax int) bool {
	return p.Hour <= hourMax && p.Minute <= 59 && p.Second <= 59 && p.Micro < microsPerSecond
}

// AppendTimeImage writes a TIME(fsp) as TIME2: three bytes, high byte first, and
// a fraction of up to three.
func AppendTimeImage(dst []byte, v Packed, fsp int) []byte {
	negative := v < 0
	if negative {
		v = -v
	}
	n := fractionSize(fsp)
	stored := int64(v>>microBits) << (8 * n)
	if n > 0 {
		stored |= int64((v & microMask).Truncate(fsp)) / fractionUnits[n]
	}
	if negative {
		stored = -stored
	}
	return appendBig(dst, uint64(stored+timeOffset<<(8*n)), 3+n)
}

// TimeImage reads a TIME2 of fsp digits.
func TimeImage(b []byte, fsp int) (Packed, error) {
	n := fractionSize(fsp)
	if len(b) != 3+n {
		return 0, ErrImage
	}
	stored := int64(readBig(b)) - timeOffset<<(8*n)
	negative := stored < 0
	if negative {
		stored = -stored
	}
	v := Packed(stored>>(8*n)) << microBits
	if n > 0 {
		v |= Packed(stored & (1<<(8*n) - 1) * fractionUnits[n])
	}
	if p := v.TimeParts(); !p.inRange(timeHourMax) {
		return 0, ErrImage
	}
	if negative {
		return -v, nil
	}
	return v, nil
}

// AppendStampImage writes a TIMESTAMP(fsp) as TIMESTAMP2: seconds in four
// bytes, high byte first, and a fraction of up to three.
func AppendStampImage(dst []byte, s Stamp, fsp int) []byte {
	sec, micro := s.Unix()
	return appendFractionImage(appendBig(dst, uint64(sec), 4), Packed(micro), fsp)
}

// StampImage reads a TIMESTAMP2 of fsp digits.
func StampImage(b []byte, fsp int) (Stamp, error) {
	n := fractionSize(fsp)
	if len(b) != 4+n {
		return 0, ErrImage
	}
	s := int64(readBig(b[:4])) * microsPerSecond
	if n > 0 {
		micro := int64(readBig(b[4:])) * fractionUnits[n]
		if micro >= microsPerSecond {
			return 0, ErrImage
		}
		s += micro
	}
	return Stamp(s), nil
}
