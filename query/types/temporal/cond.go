package temporal

// Mode is what sql_mode says of dates.
type Mode struct {
	NoZeroDate    bool // NO_ZERO_DATE: '0000-00-00' is no value
	NoZeroInDate  bool // NO_ZERO_IN_DATE: neither is a date with a zero month or day
	InvalidDates  bool // ALLOW_INVALID_DATES: days up to 31 in every month
	RoundFraction bool // TIME_ROUND_FRACTIONAL: round fractions instead of cutting them
}

// Cond is a set of things that happened in a conversion.
type Cond uint8

// The conditions.
const (
	// Truncated: something that belongs to no value was left out, or the text
	// does not have the form of a value.
	Truncated Cond = 1 << iota
	// OutOfRange: the value was clipped, or its date does not exist.
	OutOfRange
	// NoDigits: the text does not start as a value does.
	NoDigits
	// ZeroDate: '0000-00-00' came under NO_ZERO_DATE.
	ZeroDate
	// NoteTruncated: only digits after the sixth of a fraction, or the fraction
	// of a number that is a date, were left out.
	NoteTruncated
	// NoNextHour: a fraction of an incomplete date could not be rounded up. There
	// is no value, and before its own warning comes 1411 "Incorrect date value: '…'
	// for function round(datetime)", which quotes the date that the result's
	// Value.Packed still holds.
	NoNextHour

	serious = Truncated | OutOfRange | NoDigits | ZeroDate // beside NoNextHour there is OutOfRange
)

// Numbers of MariaDB's warnings.
const (
	CodeOutOfRange    = 1264 // Out of range value for column
	CodeTruncated     = 1265 // Data truncated for column
	CodeWrongValue    = 1292 // (Truncated) incorrect datetime value: 'x'
	CodeSkippedTime   = 1299 // Invalid TIMESTAMP value in column
	CodeWrongForType  = 1411 // Incorrect datetime value: 'x' for function str_to_date
	CodeFieldOverflow = 1441 // Datetime function: datetime field overflow
)

// Warning is what a conversion in an expression tells the client: number 1292
// and the text "Truncated incorrect time value: '...'", or "Incorrect time
// value: '...'" if nothing was usable.
type Warning struct {
	Word    string // date, time, datetime, interval
	Useless bool   // "Incorrect" instead of "Truncated incorrect"
	Note    bool   // a note instead of a warning
}

// Warning is the warning for a result in context c; false if there is none.
func (r Result) Warning(c Context) (Warning, bool) {
	if r.Cond == 0 {
		return Warning{}, false
	}
	w := Warning{Word: r.Value.Kind.Word()}
	if r.Value.Kind == None {
		w.Word = c.word()
	}
	if r.Cond&serious == 0 {
		w.Note = true
		return w, true
	}
	w.Useless = r.Value.Kind == None
	return w, true
}

// Context is what a conversion is asked for.
type Context uint8

const (
	// InDate: a DATE or DATETIME; '10:11:12' is a date.
	InDate Context = iota
	// InTime: a TIME; a text that has a date and a time is a DATETIME.
	InTime
	// InExtractTime: the source of EXTRACT of units from HOUR to MICROSECOND:
	// dates are recognised by their delimiters, hours go beyond 838.
	InExtractTime
	// InExtractDay: the source of EXTRACT of units that start with DAY; as
	// InExtractTime, but a text of digits only is a date.
	InExtractDay
	// InColumn: a DATETIME or TIMESTAMP column, as InDate; of a number that is a
	// date, the nanoseconds of the fraction are rounded though the fraction is left out.
	InColumn
	// InTimeColumn: a TIME column, as InTime; a number that is a date becomes a TIME
	// before its nanoseconds are rounded.
	InTimeColumn
)

func (c Context) word() string {
	switch c {
	case InTime, InTimeColumn:
		return "time"
	case InExtractTime, InExtractDay:
		return "interval"
	}
	return "datetime"
}

// Result is a value that was read, and what happened.
type Result struct {
	Value Value // of kind None if there is none
	Cond  Cond
	// Digits is how many digits the fraction of a text had, at most 6.
	Digits uint8
}
