package temporal

// Store is what a DATE, DATETIME(fsp) or TIME(fsp) column makes of a result
// that was read in its context (ContextOfColumn) and mode (ForColumn): the zero
// value if there is none. A value of another kind is converted: the clock of a DATE
// column's value and the date of a TIME column's are left out with a note.
//
// Of the condition, Truncated is warning 1265 (a note if only NoteTruncated is
// set), OutOfRange is 1264. In strict mode both are error 1292 "Incorrect datetime
// value: '…' for column …" with the word of the column's kind.
func (m Mode) Store(r Result, k Kind, fsp int, today Packed) (Packed, Cond) {
	if r.Value.Kind == None {
		return 0, r.Cond.invalid()
	}
	c := r.Cond
	v := r.Value.Packed
	switch {
	case k == Time:
		var note Cond
		v, note = r.Value.columnTime()
		c |= note
	case r.Value.Kind == Time:
		v = r.Value.DateTime(today)
	default:
		if wrong := m.Check(v); wrong != 0 {
			return 0, wrong.invalid()
		}
	}
	if k == Date {
		if v.Truncate(0) != v.Date() {
			c |= NoteTruncated
		}
		return v.Date(), c.column()
	}
	out, fit := m.Fit(Value{v, k}, fsp)
	if out.Kind == None {
		return 0, (c | fit).invalid()
	}
	return out.Packed, (c | fit).column()
}

// columnTime is what a TIME column takes of a value: the clock, and the day of a
// date without year and month; the rest is left out with a note.
func (v Value) columnTime() (Packed, Cond) {
	clock := v.Time()
	if v.Kind == Time {
		return clock, 0
	}
	p := v.Packed.DateParts()
	if p.Year != 0 || p.Month != 0 {
		return clock, NoteTruncated
	}
	return clock + Packed(24*p.Day)<<hourAt, 0
}

// invalid is the column's condition for a value that is none.
func (c Cond) invalid() Cond {
	if c&ZeroDate != 0 {
		return OutOfRange
	}
	return Truncated
}

// column is the column's condition for a value.
func (c Cond) column() Cond {
	if c&serious == 0 {
		return c
	}
	return c & (Truncated | OutOfRange)
}

// StoreStamp is what a TIMESTAMP(fsp) column makes of a result that was read
// in the context of its kind (ContextOfColumn) under StampMode; conditions are those
// of Store. What is out of range keeps its fraction, as in MariaDB, where it is not
// an error. gap is warning 1299: the clock skips that time.
func (m Mode) StoreStamp(r Result, fsp int, today Packed, z *Zone) (s Stamp, c Cond, gap bool) {
	if r.Value.Kind == None {
		return 0, Truncated, false
	}
	if m.Check(r.Value.DateTime(today)) != 0 {
		return 0, Truncated, false
	}
	fit, fitCond := m.Fit(Value{r.Value.DateTime(today), DateTime}, fsp)
	if fit.Kind == None {
		return 0, Truncated, false
	}
	v := fit.Packed
	c = (r.Cond | fitCond).column()
	if p := v.DateParts(); p.Month == 0 {
		return 0, c, false
	}
	unix, gap, ok := z.Unix(v)
	s = Stamp(unix*microsPerSecond + int64(v&microMask))
	if !ok || s == 0 {
		return s, OutOfRange, false
	}
	return s, c, gap
}

// StampMode is the mode in which a TIMESTAMP column reads its values: no
// incomplete dates.
func (m Mode) StampMode() Mode {
	m.NoZeroInDate, m.InvalidDates = true, false
	return m
}
