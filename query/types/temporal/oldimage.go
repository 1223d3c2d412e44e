package temporal

// Row images of tables made with mysql56_temporal_format=OFF have no fractions,
// and their integers are decimal, low byte first.

func appendLittle(dst []byte, v uint64, n int) []byte {
	for range n {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

func readLittle(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// AppendOldDateTimeImage writes a DATETIME as YYYYMMDDhhmmss in eight bytes.
func AppendOldDateTimeImage(dst []byte, v Packed) []byte {
	return appendLittle(dst, uint64(Value{v, DateTime}.Int()), 8)
}

// OldDateTimeImage reads what AppendOldDateTimeImage writes.
func OldDateTimeImage(b []byte) (Packed, error) {
	n := readLittle(b)
	if len(b) != 8 || n > 99991231235959 {
		return 0, ErrImage
	}
	ymd, hms := int(n/1000000), int(n%1000000)
	p := Parts{
		Year: ymd / 10000, Month: ymd / 100 % 100, Day: ymd % 100,
		Hour: hms / 10000, Minute: hms / 100 % 100, Second: hms % 100,
	}
	if p.Month > 12 || p.Day > 31 || !p.inRange(23) {
		return 0, ErrImage
	}
	return p.PackDate(), nil
}

// AppendOldTimeImage writes a TIME as ±hhmmss in three bytes.
func AppendOldTimeImage(dst []byte, v Packed) []byte {
	return appendLittle(dst, uint64(Value{v, Time}.Int()), 3)
}

// OldTimeImage reads what AppendOldTimeImage writes.
func OldTimeImage(b []byte) (Packed, error) {
	if len(b) != 3 {
		return 0, ErrImage
	}
	n := int(int32(readLittle(b)<<8) >> 8)
	p := Parts{Negative: n < 0}
	if n < 0 {
		n = -n
	}
	p.Hour, p.Minute, p.Second = n/10000, n/100%100, n%100
	if p.Hour > timeHourMax || !p.inRange(timeHourMax) {
		return 0, ErrImage
	}
	return p.PackTime(), nil
}

// AppendOldStampImage writes a TIMESTAMP as seconds in four bytes.
func AppendOldStampImage(dst []byte, s Stamp) []byte {
	sec, _ := s.Unix()
	return appendLittle(dst, uint64(sec), 4)
}

// OldStampImage reads what AppendOldStampImage writes.
func OldStampImage(b []byte) (Stamp, error) {
	if len(b) != 4 {
		return 0, ErrImage
	}
	return Stamp(readLittle(b) * microsPerSecond), nil
}
