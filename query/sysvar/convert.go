package sysvar

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Warner is a context that takes the warnings of its statement.
type Warner interface {
	Warn(code int, format string, args ...any)
}

// Convert makes v a value of the variable. A number outside the range is
// cut to it with a warning for a ctx that is a Warner, as MariaDB does; anything else that does not fit is
// an error (1231, 1232).
func (d *Def) Convert(ctx context.Context, v any) (any, error) {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	if v == nil {
		if d.Kind == String || d.Kind == Name {
			return nil, nil
		}
		return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, "NULL")
	}
	switch d.Kind {
	case Uint:
		return d.convertUint(ctx, v)
	case Int:
		i, ok := whole(v)
		if text, isText := v.(string); isText {
			n, err := strconv.ParseInt(text, 10, 64)
			i, ok = n, err == nil
		}
		if u, large := v.(uint64); large && !ok { // more than any of them may be
			i, ok = math.MaxInt64, u > math.MaxInt64
		}
		if !ok {
			return nil, d.wrongType(v)
		}
		switch {
		case float64(i) < d.min:
			d.warnCut(ctx, v)
			return int64(d.min), nil
		case float64(i) > d.max:
			d.warnCut(ctx, v)
			return int64(d.max), nil
		}
		return i, nil
	case Double:
		f, ok := number(v)
		if text, isText := v.(string); isText {
			n, err := strconv.ParseFloat(text, 64)
			f, ok = n, err == nil
		}
		if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, d.wrongType(v)
		}
		if f < d.min || f > d.max {
			d.warnCut(ctx, v)
			return min(max(f, d.min), d.max), nil
		}
		return f, nil
	case Set:
		return d.convertSet(v)
	case FlagSet:
		return d.flags(ctx, v, d.Default)
	case String:
		return fmt.Sprint(v), nil
	case Name:
		if text, ok := v.(string); ok {
			return text, nil
		}
		return nil, d.wrongType(v)
	}
	if d.Kind == Bool {
		if b, ok := boolean(v); ok {
			return b, nil
		}
	} else if i := d.place(v); i >= 0 && i < len(d.Members) {
		return d.Members[i], nil
	} else if d.Name == "lc_time_names" {
		if text, ok := v.(string); ok { // a number may come as its digits
			if n, err := strconv.ParseUint(text, 10, 16); err == nil && n < uint64(len(d.Members)) {
				return d.Members[n], nil
			}
		}
		return nil, mysqlerr.New(mysqlerr.UnknownLocale, v)
	}
	if _, whole := whole(v); d.Name == "lc_time_names" || d.Name == "lc_messages" {
		if _, text := v.(string); text || whole {
			return nil, mysqlerr.New(mysqlerr.UnknownLocale, v)
		}
		return nil, d.wrongType(v)
	}
	return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, shown(v))
}

// Settable is the error of SET for a variable that cannot be set, globally or for a session.
func (d *Def) Settable(global bool) error {
	switch {
	case d.ReadOnly:
		return mysqlerr.New(mysqlerr.IncorrectGlobalLocalVar, d.Name, "read only")
	case global && d.Name == "sql_log_bin": // which has a global value, to be read
		return mysqlerr.New(mysqlerr.IncorrectGlobalLocalVar, d.Name, "SESSION")
	case global && d.Scope == SessionOnly:
		return mysqlerr.New(mysqlerr.LocalVariable, d.Name)
	case !global && d.slot < 0:
		return mysqlerr.New(mysqlerr.GlobalVariable, d.Name)
	}
	return nil
}

// place is the number of the member that a value of an ENUM means, -1 for none.
func (d *Def) place(v any) int {
	if text, ok := v.(string); ok {
		return d.member(text)
	}
	n, ok := whole(v)
	if _, isBool := v.(bool); isBool || !ok || n < 0 || n >= int64(len(d.Members)) {
		return -1
	}
	return int(n)
}

// boolean is the value of a BOOLEAN: a truth value, ON, OFF, TRUE or FALSE in any case, 0 or 1.
func boolean(v any) (b int8, ok bool) {
	if text, isText := v.(string); isText {
		switch strings.ToLower(text) {
		case "on", "true":
			return 1, true
		case "off", "false":
			return 0, true
		}
		return 0, false
	}
	n, ok := whole(v)
	return int8(n), ok && (n == 0 || n == 1)
}

// whole is a number that has no fraction.
func whole(v any) (n int64, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			n = 1
		}
		return n, true
	case int:
		return int64(v), true
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint:
		return int64(v), v <= math.MaxInt64
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	}
	f, ok := number(v)
	if !ok || f < math.MinInt64 || f >= math.MaxInt64 || f != math.Trunc(f) {
		return 0, false
	}
	return int64(f), true
}

// number is any number. A DECIMAL comes as whatever can say its value.
func number(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	case uint64:
		return float64(v), true
	case uint:
		return float64(v), true
	case interface{ Float64() (float64, error) }:
		f, err := v.Float64()
		return f, err == nil
	case bool, string, nil:
		return 0, false
	case int, int8, int16, int32, int64, uint8, uint16, uint32:
		n, _ := whole(v)
		return float64(n), true
	}
	return 0, false
}

func (d *Def) convertUint(ctx context.Context, v any) (any, error) {
	var u uint64
	switch x := v.(type) {
	case string, float64, float32:
		return nil, d.wrongType(v)
	case bool:
		if x {
			u = 1
		}
	default:
		text := fmt.Sprint(v)
		if strings.HasPrefix(text, "-") {
			d.warnCut(ctx, v)
			return d.minU, nil
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, d.wrongType(v)
		}
		u = n
	}
	cut := min(u, d.maxU)
	if d.block > 1 {
		cut -= cut % d.block
	}
	if cut = max(cut, d.minU); cut != u {
		d.warnCut(ctx, v)
	}
	return cut, nil
}

// shown is a value as error messages have it.
func shown(v any) any {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return v
}

// convertSet takes a comma separated list in any case and order, the word ALL, or a bit mask.
func (d *Def) convertSet(v any) (any, error) {
	var mask uint64
	text, isText := v.(string)
	if !isText {
		n, err := strconv.ParseUint(fmt.Sprint(shown(v)), 10, 64)
		if err != nil || n >= 1<<len(d.Members) {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, shown(v))
		}
		mask = n
	} else if strings.EqualFold(text, "ALL") {
		mask = 1<<len(d.Members) - 1
	} else {
		for word := range strings.SplitSeq(text, ",") {
			word = strings.TrimSpace(word)
			if word == "" {
				continue
			}
			i := d.member(word)
			if i < 0 {
				return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, word)
			}
			mask |= 1 << i
		}
	}
	if d.Name == "sql_mode" {
		mask = expandSQLMode(mask)
	}
	var out []string
	for i, m := range d.Members {
		if mask&(1<<i) != 0 {
			out = append(out, m)
		}
	}
	return strings.Join(out, ","), nil
}

func (d *Def) member(word string) int {
	for i, m := range d.Members {
		if strings.EqualFold(m, word) {
			return i
		}
	}
	return -1
}

func (d *Def) wrongType(any) error { return mysqlerr.New(mysqlerr.WrongTypeForVar, d.Name) }

func (d *Def) warnCut(ctx context.Context, v any) {
	if w, ok := ctx.(Warner); ok {
		w.Warn(int(mysqlerr.TruncatedWrongValue), "Truncated incorrect %s value: '%v'", d.Name, v)
	}
}

// SQLModeBits gives the bits of a sql_mode value as they stand in Query events.
func SQLModeBits(mode string) uint64 {
	d := byName["sql_mode"]
	var mask uint64
	for word := range strings.SplitSeq(mode, ",") {
		if i := d.member(word); i >= 0 && word != "" {
			mask |= 1 << i
		}
	}
	return mask
}

// OrderedSQLMode is a value of sql_mode with its modes in MariaDB's order.
func OrderedSQLMode(mode string) string {
	if mode == "" {
		return ""
	}
	return WithSQLMode(mode, mode)
}

// WithSQLMode is a value of sql_mode with one mode more.
func WithSQLMode(mode, more string) string {
	d := byName["sql_mode"]
	both, err := d.convertSet(mode + "," + more)
	if err != nil {
		return mode
	}
	text, _ := both.(string)
	return text
}

// expandSQLMode adds what the combined modes stand for.
func expandSQLMode(mask uint64) uint64 {
	const foreign = "PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,NO_KEY_OPTIONS,NO_TABLE_OPTIONS,NO_FIELD_OPTIONS"
	combined := map[string]string{
		"ORACLE":      foreign + ",NO_AUTO_CREATE_USER,SIMULTANEOUS_ASSIGNMENT",
		"MAXDB":       foreign + ",NO_AUTO_CREATE_USER",
		"MSSQL":       foreign,
		"DB2":         foreign,
		"POSTGRESQL":  foreign,
		"MYSQL323":    "HIGH_NOT_PRECEDENCE",
		"MYSQL40":     "HIGH_NOT_PRECEDENCE",
		"ANSI":        "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE",
		"TRADITIONAL": "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION",
	}
	for name, list := range combined {
		if mask&SQLModeBits(name) != 0 {
			mask |= SQLModeBits(list)
		}
	}
	return mask
}
