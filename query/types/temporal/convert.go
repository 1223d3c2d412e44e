package temporal

// DateTime makes a DATETIME of a value: a TIME is counted from midnight of
// today, a DATE in the session's time zone.
func (v Value) DateTime(today Packed) Packed {
	if v.Kind != Time {
		return v.Packed
	}
	out, _ := dateTimeOfStamp(today.Date().stamp() + v.Packed.micros()) // false only if today is no day
	return out
}

// Date makes a DATE of a value; a TIME is counted from today.
func (v Value) Date(today Packed) Packed { return v.DateTime(today).Date() }

// Time makes a TIME of a value as CAST does: the clock of a DATETIME, 00:00:00
// of a DATE.
func (v Value) Time() Packed {
	if v.Kind == Time {
		return v.Packed
	}
	return v.Packed & clockMask
}

// As brings a value to a kind, see DateTime, Date and Time. None stays None.
func (v Value) As(k Kind, today Packed) Value {
	switch {
	case v.Kind == None:
		return v
	case k == Date:
		return Value{v.Date(today), Date}
	case k == DateTime:
		return Value{v.DateTime(today), DateTime}
	case k == Time:
		return Value{v.Time(), Time}
	}
	return Value{}
}

// Cast is CAST(… AS DATE), DATETIME(fsp) or TIME(fsp) of what was read in the
// context of that kind.
func (m Mode) Cast(r Result, k Kind, fsp int, today Packed) Result {
	if r.Value.Kind == None {
		return r
	}
	r.Value = r.Value.As(k, today)
	v, c := m.Fit(r.Value, fsp)
	r.Value = v
	r.Cond |= c
	return r
}

// For is the mode in which CAST reads what becomes a kind: for a DATE no
// fraction is rounded, for a TIME any date is good.
func (m Mode) For(k Kind) Mode {
	switch k {
	case Date:
		m.RoundFraction = false
	case Time:
		m = Mode{InvalidDates: true, RoundFraction: m.RoundFraction}
	}
	return m
}

// ContextOf is the context in which a text is read to become a kind.
func ContextOf(k Kind) Context {
	if k == Time {
		return InTime
	}
	return InDate
}

// ContextOfColumn is the context in which a column of a kind reads what it is given.
func ContextOfColumn(k Kind) Context {
	switch k {
	case DateTime:
		return InColumn
	case Time:
		return InTimeColumn
	}
	return InDate
}

// ForColumn is the mode in which a column of a kind reads texts or numbers: as For,
// but of a text in a TIME column, too, the date must be good.
func (m Mode) ForColumn(k Kind, text bool) Mode {
	if k == Time && text {
		return m
	}
	return m.For(k)
}
