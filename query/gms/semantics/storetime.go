package semantics

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/types/temporal"
)

// storeTime stores in DATE, DATETIME, TIMESTAMP and TIME. Digits of a second that the
// column does not keep are cut off.
func (t *target) storeTime(v any, from sql.Type) (any, error) {
	to := t.column.Type
	kind, timespan := "datetime", types.IsTimespan(to)
	switch {
	case timespan:
		kind = "time"
	case types.IsDateType(to):
		kind = "date"
	}
	given := v
	if timespan {
		switch text := v.(type) {
		case string:
			return t.storeClock(text)
		case []byte:
			return t.storeClock(string(text))
		}
	}
	if !timespan {
		v = t.cutFraction(t.digitsAsTime(v, from))
	}
	out, in, err := to.Convert(t.ctx, v)
	if err == nil && in == sql.InRange && out != nil && !(timespan && beyondTime(out, v)) {
		return out, nil
	}
	if t.strict {
		return nil, t.wrongTime(kind, given)
	}
	if timespan && err == nil && out != nil && out != types.Timespan(0) {
		t.warn(t.outOfRange())
		return out, nil
	}
	t.warn(t.truncated())
	if out != nil && err == nil {
		return out, nil
	}
	return to.Zero(), nil
}

// storeClock stores a text in a TIME column: of a date and a time the latter.
func (t *target) storeClock(text string) (any, error) {
	var mode temporal.Mode
	r := mode.ForColumn(temporal.Time, true).Parse([]byte(text), temporal.ContextOfColumn(temporal.Time))
	v, cond := mode.Store(r, temporal.Time, 6, 0)
	lost := cond&(temporal.Truncated|temporal.OutOfRange) != 0
	if lost && t.strict {
		return nil, t.wrongTime("time", text)
	}
	if cond&temporal.NoteTruncated != 0 {
		t.note(t.truncated())
	}
	if cond&temporal.Truncated != 0 {
		t.warn(t.truncated())
	}
	if cond&temporal.OutOfRange != 0 {
		t.warn(t.outOfRange())
	}
	out, _, err := t.column.Type.Convert(t.ctx, string(temporal.Value{Packed: v, Kind: temporal.Time}.Append(nil, 6)))
	return out, err
}

// digitsAsTime writes a whole number, YYMMDD to YYYYMMDDhhmmss, as a text.
func (t *target) digitsAsTime(v any, from sql.Type) any {
	switch v.(type) {
	case string, []byte, time.Time, types.Timespan, float32, float64:
		return v
	}
	n, fits, err := t.whole(v, from)
	if err != nil || !fits || n.neg || n.abs == 0 {
		return v
	}
	date, clock := n.abs, uint64(0)
	if n.abs > 99991231 {
		date, clock = n.abs/1_000_000, n.abs%1_000_000
	}
	switch year := date / 10_000; {
	case year < 70:
		date += 20_000_000
	case year < 100:
		date += 19_000_000
	}
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", date/10_000, date/100%100, date%100, clock/10_000, clock/100%100, clock%100)
}

// cutFraction takes off what the column has no digits for.
func (t *target) cutFraction(v any) any {
	d, ok := t.column.Type.(sql.DatetimeType)
	if !ok {
		return v
	}
	digits := max(d.Precision(), 0)
	switch s := v.(type) {
	case string:
		if at := strings.LastIndexByte(s, '.'); at >= 0 && strings.Count(s, ":") == 2 && strings.LastIndexByte(s, ':') < at {
			end := at + 1
			for end < len(s) && s[end] >= '0' && s[end] <= '9' {
				end++
			}
			if end-at-1 > digits {
				cut := at + 1 + digits
				if digits == 0 {
					cut = at
				}
				return s[:cut] + s[end:]
			}
		}
	case time.Time:
		unit := time.Second
		for range digits {
			unit /= 10
		}
		return s.Truncate(unit)
	}
	return v
}

// beyondTime reports whether a TIME is the greatest or the least one because the value
// is beyond, or zero because the text is none.
func beyondTime(out, v any) bool {
	span, ok := out.(types.Timespan)
	if !ok {
		return false
	}
	text := strings.TrimSpace(fmt.Sprint(v))
	if s, isText := v.(string); isText {
		text = strings.TrimSpace(s)
		if text == "" {
			return true
		}
	}
	const most = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)
	if span != most && span != -most {
		return false
	}
	if _, own := v.(types.Timespan); own {
		return false
	}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.SplitN(text, ".", 2)[0])
	return digits != "8385959"
}

// typeOfTime is the type of a date or time whose expression claims another one.
func typeOfTime(v any, from sql.Type) sql.Type {
	switch v.(type) {
	case time.Time:
		if from == nil || !types.IsTime(from) {
			return types.Datetime
		}
	case types.Timespan:
		if from == nil || !types.IsTimespan(from) {
			return types.Time
		}
	}
	return from
}

// timeText is the text of a value, with all digits of its fraction if it is a time.
func timeText(ctx *sql.Context, v any, from sql.Type) (string, error) {
	if at, ok := v.(time.Time); ok {
		d, isTime := from.(sql.DatetimeType)
		switch {
		case types.IsDateType(from):
			return at.Format("2006-01-02"), nil
		case isTime && d.Precision() > 0:
			return at.Format("2006-01-02 15:04:05." + strings.Repeat("0", d.Precision())), nil
		case isTime:
			return at.Format("2006-01-02 15:04:05"), nil
		}
	}
	if span, ok := v.(types.Timespan); ok {
		return span.String(), nil
	}
	text, _, err := types.ConvertToCollatedString(ctx, v, from)
	return text, err
}
