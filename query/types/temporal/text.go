package temporal

import "strconv"

// AutoFraction as number of digits writes six if the fraction is not zero, else none.
const AutoFraction = FractionMax + 1

func append2(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

func append4(dst []byte, n int) []byte { return append2(append2(dst, n/100), n%100) }

// appendFraction writes the point and fsp digits.
func appendFraction(dst []byte, micro, fsp int) []byte {
	if fsp == AutoFraction {
		fsp = 0
		if micro != 0 {
			fsp = FractionMax
		}
	}
	if fsp <= 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := 100000; fsp > 0; fsp-- {
		dst = append(dst, byte('0'+micro/unit%10))
		unit /= 10
		if unit == 0 {
			break
		}
	}
	return dst
}

// AppendDate writes a DATE: 2020-01-31.
func AppendDate(dst []byte, v Packed) []byte {
	p := v.DateParts()
	dst = append(append4(dst, p.Year), '-')
	dst = append(append2(dst, p.Month), '-')
	return append2(dst, p.Day)
}

// AppendDateTime writes a DATETIME with fsp digits of its fraction: 2020-01-31 10:00:00.5.
func AppendDateTime(dst []byte, v Packed, fsp int) []byte {
	p := v.DateParts()
	dst = append(AppendDate(dst, v), ' ')
	dst = append(append2(dst, p.Hour), ':')
	dst = append(append2(dst, p.Minute), ':')
	return appendFraction(append2(dst, p.Second), p.Micro, fsp)
}

// AppendTime writes a TIME with fsp digits of its fraction: -101:00:00.5.
func AppendTime(dst []byte, v Packed, fsp int) []byte {
	p := v.TimeParts()
	if p.Negative {
		dst = append(dst, '-')
	}
	if p.Hour > 99 {
		dst = strconv.AppendInt(dst, int64(p.Hour), 10)
	} else {
		dst = append2(dst, p.Hour)
	}
	dst = append2(append(dst, ':'), p.Minute)
	dst = append2(append(dst, ':'), p.Second)
	return appendFraction(dst, p.Micro, fsp)
}

// AppendSpan writes an INTERVAL DAY TO SECOND with its days: -4 05:00:00.5.
func AppendSpan(dst []byte, v Packed, fsp int) []byte {
	p := v.TimeParts()
	if p.Negative {
		dst = append(dst, '-')
		v = -v
	}
	if days := p.Hour / 24; days > 0 {
		dst = append(strconv.AppendInt(dst, int64(days), 10), ' ')
		v -= Packed(days*24) << hourAt
	}
	return AppendTime(dst, v, fsp)
}

// Append writes a value by its kind; that of None has no text.
func (v Value) Append(dst []byte, fsp int) []byte {
	switch v.Kind {
	case Date:
		return AppendDate(dst, v.Packed)
	case DateTime:
		return AppendDateTime(dst, v.Packed, fsp)
	case Time:
		return AppendTime(dst, v.Packed, fsp)
	}
	return dst
}

// Int is the value as an integer, without its fraction: YYYYMMDD,
// YYYYMMDDhhmmss or hhmmss.
func (v Value) Int() int64 {
	p := v.Parts()
	date := int64(p.Year*10000 + p.Month*100 + p.Day)
	clock := int64(p.Hour*10000 + p.Minute*100 + p.Second)
	switch {
	case v.Kind == Date:
		return date
	case v.Kind == DateTime:
		return date*1000000 + clock
	case v.Kind == Time && p.Negative:
		return -clock
	case v.Kind == Time:
		return clock
	}
	return 0
}

// Float is the value as a DOUBLE, fraction included.
func (v Value) Float() float64 {
	n := v.Int()
	f := float64(v.Parts().Micro) / microsPerSecond
	if v.Kind == Time && v.Packed < 0 {
		return float64(n) - f
	}
	return float64(n) + f
}

// AppendNumber writes the value as a DECIMAL with fsp digits: 20200131100000.5.
// A DATE has no fraction.
func (v Value) AppendNumber(dst []byte, fsp int) []byte {
	n := v.Int()
	if v.Kind == Time && v.Packed < 0 {
		dst = append(dst, '-')
		n = -n
	}
	dst = strconv.AppendInt(dst, n, 10)
	if v.Kind == Date {
		return dst
	}
	return appendFraction(dst, v.Parts().Micro, fsp)
}
