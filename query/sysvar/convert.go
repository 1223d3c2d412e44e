package sysvar

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// convert makes v a value of the variable. A number outside the range is
// cut to it with a warning, as MariaDB does; anything else that does not fit is
// an error (1231, 1232).
func (d *Def) convert(ctx *sql.Context, v any) (any, error) {
	base := context.Background()
	if ctx != nil {
		base = ctx
	}
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	if v == nil {
		if d.Kind == String {
			return nil, nil
		}
		return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, "NULL")
	}
	switch d.Kind {
	case Uint:
		return d.convertUint(ctx, v)
	case Int:
		n, _, err := d.typ.Convert(base, v)
		if err != nil {
			return nil, d.wrongType(v)
		}
		i, _ := n.(int64)
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
		n, _, err := d.typ.Convert(base, v)
		if err != nil {
			return nil, d.wrongType(v)
		}
		f, _ := n.(float64)
		if f < d.min || f > d.max {
			d.warnCut(ctx, v)
			return min(max(f, d.min), d.max), nil
		}
		return f, nil
	case Set:
		return d.convertSet(v)
	case FlagSet, String:
		return fmt.Sprint(v), nil
	}
	out, _, err := d.typ.Convert(base, v)
	if err != nil {
		return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, v)
	}
	return out, nil
}

func (d *Def) convertUint(ctx *sql.Context, v any) (any, error) {
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
	if u < d.minU || u > d.maxU {
		d.warnCut(ctx, v)
		return min(max(u, d.minU), d.maxU), nil
	}
	return u, nil
}

// convertSet takes a comma separated list in any case and order, or a bit mask.
func (d *Def) convertSet(v any) (any, error) {
	var mask uint64
	text, isText := v.(string)
	if !isText {
		n, err := strconv.ParseUint(fmt.Sprint(v), 10, 64)
		if err != nil || n >= 1<<len(d.Members) {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, d.Name, v)
		}
		mask = n
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

func (d *Def) warnCut(ctx *sql.Context, v any) {
	if ctx != nil {
		ctx.Warn(int(mysqlerr.TruncatedWrongValue), "Truncated incorrect %s value: '%v'", d.Name, v)
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

// expandSQLMode adds what the combined modes stand for.
func expandSQLMode(mask uint64) uint64 {
	combined := map[string]string{
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
