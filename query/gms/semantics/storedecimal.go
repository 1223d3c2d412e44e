package semantics

import (
	"fmt"
	"math"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// wide has room for what the SQL engine's decimals can be.
var wide = func() *apd.Context {
	c := apd.BaseContext.WithPrecision(400)
	c.Rounding = apd.RoundHalfUp
	return c
}()

func (t *target) wholeOfText(s string) (number, bool, error) {
	d, err := t.decimalOfText(s, "integer")
	if err != nil {
		return number{}, false, err
	}
	return wholeOfDecimal(d)
}

// numberPrefix is how much of a text is a number; blanks around it do not count.
func numberPrefix(s string) (prefix, rest string) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	i, digits := 0, 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			digits++
		}
	}
	if digits == 0 {
		return "", s
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := j; k < len(s) && s[k] >= '0' && s[k] <= '9' {
			for k < len(s) && s[k] >= '0' && s[k] <= '9' {
				k++
			}
			i = k
		}
	}
	return s[:i], strings.TrimRight(s[i:], " \t\n\v\f\r")
}

// decimalOfText reads a number; kind is how the message calls it.
func (t *target) decimalOfText(s, kind string) (*apd.Decimal, error) {
	prefix, rest := numberPrefix(s)
	if prefix == "" {
		return new(apd.Decimal), t.misfit(t.incorrect(kind, s))
	}
	if rest != "" {
		if err := t.misfit(t.truncated()); err != nil {
			return nil, err
		}
	} else if strings.TrimRight(s, " \t\n\v\f\r") != s {
		t.note(t.truncated())
	}
	d, _, err := apd.NewFromString(strings.TrimSuffix(prefix, "."))
	if err != nil || d.Exponent > 400 || d.Exponent < -4000 {
		// Beyond all columns: very large, or zero.
		huge := apd.New(1, 300)
		if at := strings.IndexAny(prefix, "eE"); at >= 0 && strings.HasPrefix(prefix[at+1:], "-") {
			return new(apd.Decimal), nil
		}
		huge.Negative = strings.HasPrefix(prefix, "-")
		return huge, nil
	}
	return d, nil
}

// decimalOf converts the value of a number or a time.
func decimalOf(ctx *sql.Context, v any, from sql.Type) (*apd.Decimal, error) {
	switch n := v.(type) {
	case *apd.Decimal:
		return n, nil
	case float32:
		d, _, err := apd.NewFromString(fmt.Sprint(n))
		return d, err
	case float64:
		d, _, err := apd.NewFromString(fmt.Sprint(n))
		return d, err
	}
	if from != nil && (types.IsTime(from) || types.IsTimespan(from)) {
		text, err := timeText(ctx, v, from)
		if err != nil {
			return nil, err
		}
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == '.' || r == '-' && strings.HasPrefix(text, "-") && types.IsTimespan(from) {
				return r
			}
			return -1
		}, text)
		d, _, err := apd.NewFromString(digits)
		return d, err
	}
	c, _, err := types.InternalDecimalType.Convert(ctx, v)
	if err != nil || c == nil {
		return new(apd.Decimal), err
	}
	return c.(*apd.Decimal), nil
}

// storeDecimal stores in DECIMAL, rounding half away from zero with a note.
func (t *target) storeDecimal(v any, from sql.Type, to sql.DecimalType) (any, error) {
	var d *apd.Decimal
	var err error
	switch s := v.(type) {
	case string:
		d, err = t.decimalOfText(s, "decimal")
	case []byte:
		d, err = t.decimalOfText(string(s), "decimal")
	case float32, float64:
		f, _, cerr := types.Float64.Convert(t.ctx, v)
		if g, ok := f.(float64); cerr == nil && ok && (math.IsInf(g, 0) || math.IsNaN(g)) {
			d = apd.New(1, 300)
			d.Negative = g < 0
			break
		}
		d, err = decimalOf(t.ctx, v, from)
	default:
		d, err = decimalOf(t.ctx, v, from)
	}
	if err != nil {
		return nil, err
	}
	scale := int32(to.Scale())
	rounded := new(apd.Decimal)
	cond, err := wide.Quantize(rounded, d, -scale)
	low := t.unsignedDecimal() && d.Negative && !d.IsZero()
	if err != nil || low || tooManyDigits(rounded, int(to.Precision())) {
		if err := t.misfit(t.outOfRange()); err != nil {
			return nil, err
		}
		if low {
			return apd.New(0, -scale), nil
		}
		rounded = new(apd.Decimal)
		_, _, err = rounded.SetString(strings.Repeat("9", int(to.Precision())))
		rounded.Exponent = -scale
		rounded.Negative = d.Negative
		return rounded, err
	}
	if cond.Inexact() {
		switch v.(type) {
		case float32, float64: // a double has no digits to lose
		default:
			t.note(t.truncated())
		}
	}
	if rounded.IsZero() {
		rounded.Negative = false
	}
	return rounded, nil
}

func tooManyDigits(d *apd.Decimal, precision int) bool {
	return !d.IsZero() && d.NumDigits() > int64(precision)
}

// unsignedDecimal reports whether the column is DECIMAL UNSIGNED.
func (t *target) unsignedDecimal() bool {
	return strings.Contains(strings.ToLower(t.column.Type.String()), "unsigned")
}
