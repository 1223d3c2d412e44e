package assign

import (
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// temporalKind is what a value of a kind is to package temporal.
func temporalKind(k types.Kind) temporal.Kind {
	switch k {
	case types.Date:
		return temporal.Date
	case types.Time:
		return temporal.Time
	}
	return temporal.DateTime
}

// given is a value for a column of dates or times, as messages show it; which field it is in follows from set and class.
type given struct {
	class    types.Class
	set      *charset.Set // of text
	text     []byte
	n        int64
	unsigned bool
	float    float64
	dec      decimal.Dec
	time     temporal.Value
}

func (g *given) shown() string {
	switch g.class {
	case types.ClassText:
		return types.Shown(g.set, g.text)
	case types.ClassFloat:
		return string(floattext.Append(nil, g.float, false))
	case types.ClassDec:
		return string(g.dec.Append(nil))
	case types.ClassTime:
		return shownTime(g.time)
	}
	return string(appendInt(nil, g.n, g.unsigned))
}

func shownTime(v temporal.Value) string { return string(v.Append(nil, temporal.AutoFraction)) }

// moment is a DATE, TIME or DATETIME column.
type moment struct {
	field
	kind     temporal.Kind
	fraction int
	// numbers and texts are the modes in which those are read, mode that in which they are stored.
	mode, numbers, texts temporal.Mode
	context              temporal.Context
}

func newMoment(f field, mode temporal.Mode) *moment {
	k := temporalKind(f.Kind)
	m := &moment{field: f, kind: k, fraction: int(f.Decimals), mode: mode, context: temporal.ContextOfColumn(k)}
	if f.Kind == types.Timestamp {
		m.mode = mode.StampMode()
		m.numbers, m.texts = m.mode, m.mode
		return m
	}
	m.numbers, m.texts = mode.ForColumn(k, false), mode.ForColumn(k, true)
	return m
}

func (m *moment) numeric() bool { return false }

func (m *moment) int(c *Context, n int64, unsigned bool) types.Value {
	number := temporal.IntNumber(n)
	if unsigned {
		number = temporal.UintNumber(uint64(n))
	}
	return m.keep(c, m.numbers.Number(number, m.context), given{class: types.ClassInt, n: n, unsigned: unsigned})
}

func (m *moment) float(c *Context, f float64) types.Value {
	return m.keep(c, m.numbers.Number(temporal.FloatNumber(f), m.context), given{class: types.ClassFloat, float: f})
}

func (m *moment) dec(c *Context, d decimal.Dec) types.Value {
	number := temporal.DecimalNumber(d.Append(c.buffer(decimal.TextMax)))
	return m.keep(c, m.numbers.Number(number, m.context), given{class: types.ClassDec, dec: d})
}

func (m *moment) time(c *Context, v temporal.Value, _ int) types.Value {
	return m.keep(c, temporal.Result{Value: v}, given{class: types.ClassTime, time: v})
}

func (m *moment) text(c *Context, s []byte, set *charset.Set) types.Value {
	return m.keep(c, m.texts.Parse(plain(c, set, s), m.context), given{class: types.ClassText, set: set, text: s})
}

// keep stores what was read.
func (m *moment) keep(c *Context, r temporal.Result, g given) types.Value {
	if m.Kind == types.Timestamp {
		return m.keepStamp(c, r, &g)
	}
	var today temporal.Packed
	if r.Value.Kind == temporal.Time && m.kind != temporal.Time {
		today = c.today()
	}
	v, cond := m.mode.Store(r, m.kind, m.fraction, today)
	m.say(c, r, cond, &g)
	return types.Value{Time: v}
}

// keepStamp does so for a TIMESTAMP column, whose value has its moment beside the local time.
func (m *moment) keepStamp(c *Context, r temporal.Result, g *given) types.Value {
	var today temporal.Packed
	if r.Value.Kind == temporal.Time {
		today = c.today()
	}
	s, cond, gap := m.mode.StoreStamp(r, m.fraction, today, c.Zone)
	switch {
	case !gap:
		m.say(c, r, cond, g)
	case c.strict(temporal.CodeSkippedTime):
		m.wrong(c, m.kind.Word(), g.shown())
	default:
		c.Diag.Warnf(temporal.CodeSkippedTime, "Invalid TIMESTAMP value in column '%s' at row %d", m.Name, c.Row)
	}
	return types.Value{Time: c.Zone.DateTime(s), Int: int64(s)}
}

// say tells of what was lost.
func (m *moment) say(c *Context, r temporal.Result, cond temporal.Cond, g *given) {
	if r.Cond&temporal.NoNextHour != 0 {
		c.Diag.Warnf(mysqlerr.WrongValueForType, "Incorrect date value: '%s' for function round(datetime)",
			temporal.AppendDate(nil, r.Value.Packed))
	}
	switch {
	case cond == 0:
	case cond&(temporal.Truncated|temporal.OutOfRange) == 0:
		m.noteTruncated(c)
	case c.strict(mysqlerr.TruncatedWrongValue):
		m.wrong(c, m.kind.Word(), g.shown())
	default:
		if cond&temporal.NoteTruncated != 0 {
			m.noteTruncated(c)
		}
		if cond&temporal.Truncated != 0 {
			m.truncated(c)
		}
		if cond&temporal.OutOfRange != 0 {
			m.outOfRange(c)
		}
	}
}
