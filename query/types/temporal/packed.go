package temporal

// Kind says what a Packed is.
type Kind uint8

// The kinds; None means that there is no value.
const (
	None Kind = iota
	Date
	DateTime
	Time
)

// Word is the kind's name in warnings; that of None is datetime.
func (k Kind) Word() string {
	switch k {
	case Date:
		return "date"
	case Time:
		return "time"
	}
	return "datetime"
}

// Name is the kind's name as a type: DATE, DATETIME, TIME.
func (k Kind) Name() string {
	switch k {
	case Date:
		return "DATE"
	case Time:
		return "TIME"
	}
	return "DATETIME"
}

// Packed is a DATE, DATETIME or TIME as an integer whose order is that of SQL.
type Packed int64

// Bits of a Packed.
const (
	microBits  = 24
	secondBits = 6
	minuteBits = 6
	hourBits   = 5 // of a DATETIME; the hours of a TIME have all bits that are left
	dayBits    = 5

	clockBits  = secondBits + minuteBits + hourBits
	minuteAt   = microBits + secondBits
	hourAt     = minuteAt + minuteBits
	dayAt      = microBits + clockBits
	monthAt    = dayAt + dayBits
	monthBase  = 13 // months 0 to 12
	microMask  = 1<<microBits - 1
	sixBits    = 1<<secondBits - 1
	fiveBits   = 1<<hourBits - 1
	clockMask  = 1<<dayAt - 1
	secondMask = sixBits
)

// Limits of values.
const (
	// FractionMax is the largest number of digits of a fraction of a second.
	FractionMax = 6

	yearMax     = 9999
	timeHourMax = 838
	// spanHourMax: no longer interval leads from one DATETIME to another.
	spanHourMax = 87649415
)

// TimeMax is '838:59:59.999999'; the lowest TIME is its negative.
const TimeMax = Packed(timeHourMax<<hourAt | 59<<minuteAt | 59<<microBits | 999999)

// Value is a Packed whose kind was found while it was read.
type Value struct {
	Packed Packed
	Kind   Kind
}

// Parts are the fields of a value. Only a TIME is negative, and its hours are
// not split into days.
type Parts struct {
	Year, Month, Day     int
	Hour, Minute, Second int
	Micro                int
	Negative             bool
}

// PackDate packs the parts of a date; its fields must be in their ranges.
func (p *Parts) PackDate() Packed {
	return Packed((p.Year*monthBase+p.Month)<<monthAt|p.Day<<dayAt|p.Hour<<hourAt|p.Minute<<minuteAt) |
		Packed(p.Second<<microBits|p.Micro)
}

// PackTime packs hours, minutes, seconds and microseconds, with the sign.
func (p *Parts) PackTime() Packed {
	v := Packed(p.Hour<<hourAt | p.Minute<<minuteAt | p.Second<<microBits | p.Micro)
	if p.Negative {
		return -v
	}
	return v
}

// DateParts unpacks a DATE or DATETIME.
func (v Packed) DateParts() Parts {
	ym := int(v >> monthAt)
	return Parts{
		Year: ym / monthBase, Month: ym % monthBase, Day: int(v>>dayAt) & fiveBits,
		Hour: int(v>>hourAt) & fiveBits, Minute: int(v>>minuteAt) & sixBits, Second: int(v>>microBits) & secondMask,
		Micro: int(v & microMask),
	}
}

// TimeParts unpacks a TIME.
func (v Packed) TimeParts() Parts {
	negative := v < 0
	if negative {
		v = -v
	}
	return Parts{
		Hour: int(v >> hourAt), Minute: int(v>>minuteAt) & sixBits, Second: int(v>>microBits) & secondMask,
		Micro: int(v & microMask), Negative: negative,
	}
}

// Date is the date of a DATETIME, at midnight.
func (v Packed) Date() Packed { return v &^ clockMask }

// Parts unpacks a value by its kind.
func (v Value) Parts() Parts {
	if v.Kind == Time {
		return v.Packed.TimeParts()
	}
	return v.Packed.DateParts()
}

// value packs parts as a kind says.
func (p *Parts) value(k Kind) Value {
	switch k {
	case Time:
		return Value{p.PackTime(), Time}
	case Date:
		return Value{p.PackDate().Date(), Date}
	}
	return Value{p.PackDate(), k}
}

// micros is a TIME in microseconds.
func (v Packed) micros() int64 {
	p := v.TimeParts()
	n := ((int64(p.Hour)*60+int64(p.Minute))*60+int64(p.Second))*microsPerSecond + int64(p.Micro)
	if p.Negative {
		return -n
	}
	return n
}

const (
	microsPerSecond = 1000000
	secondsPerDay   = 86400
	microsPerDay    = secondsPerDay * microsPerSecond
)

// timeOfMicros is the TIME that micros counts; hours are as many as needed.
func timeOfMicros(micros int64) Packed {
	p := Parts{Negative: micros < 0}
	if p.Negative {
		micros = -micros
	}
	p.setClock(micros)
	return p.PackTime()
}

// setClock splits microseconds into hours (as many as needed) to microseconds.
func (p *Parts) setClock(micros int64) {
	p.Micro = int(micros % microsPerSecond)
	sec := micros / microsPerSecond
	p.Second = int(sec % 60)
	p.Minute = int(sec / 60 % 60)
	p.Hour = int(sec / 3600)
}

// stamp is the value of a DATE or DATETIME in microseconds since day zero.
func (v Packed) stamp() int64 {
	p := v.DateParts()
	return p.dayNumber()*microsPerDay + ((int64(p.Hour)*60+int64(p.Minute))*60+int64(p.Second))*microsPerSecond + int64(p.Micro)
}

// dateTimeOfStamp is the reverse of stamp; false outside of the years 1 to 9999.
func dateTimeOfStamp(micros int64) (Packed, bool) {
	if micros < 0 {
		return 0, false
	}
	p, ok := dateOfDayNumber(micros / microsPerDay)
	if !ok {
		return 0, false
	}
	p.setClock(micros % microsPerDay)
	return p.PackDate(), true
}
