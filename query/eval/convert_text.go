package eval

import (
	"bytes"
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// numeral is how much of a text is a number: blanks, a sign, digits with a point, an exponent. end is 0 if it is none.
func numeral(s []byte, whole bool) (start, end int) {
	for start < len(s) && (s[start] == ' ' || s[start] >= 9 && s[start] <= 13) {
		start++
	}
	i := start
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := 0
	run := func() {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
			digits++
		}
	}
	if run(); !whole && i < len(s) && s[i] == '.' {
		i++
		run()
	}
	if digits == 0 {
		return start, start
	}
	if whole || i == len(s) || s[i]|0x20 != 'e' {
		return start, i
	}
	mantissa := i
	if i++; i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits = 0
	if run(); digits == 0 {
		return start, mantissa
	}
	return start, i
}

// LeadingDec is the number that a text of ASCII begins with; ok is false if there is none.
func LeadingDec(s []byte) (d decimal.Dec, ok bool) {
	start, end := numeral(s, false)
	if start == end {
		return d, false
	}
	d, _, _ = decimal.Parse(s[start:end])
	return d, true
}

// truncated warns of text behind a number: a note if that is only blanks. s is the text in ASCII, of which the number is from start to end.
func truncated(f *Frame, word string, set *charset.Set, text, s []byte, start, end int) {
	if end == len(s) && start != end {
		return
	}
	if start != end {
		blank := true
		for _, c := range s[end:] {
			blank = blank && c == ' '
		}
		if blank {
			f.Note(mysqlerr.TruncatedWrongValue, word, Quotable(set, text))
			return
		}
	}
	f.Warn(mysqlerr.TruncatedWrongValue, word, Quotable(set, text))
}

// Quotable is a text as messages show it.
func Quotable(set *charset.Set, s []byte) string { return types.CutBytes(types.Shown(set, s)) }

// ascii is text of any character set with its characters as ASCII; what is none ends a number.
func ascii(f *Frame, set *charset.Set, s []byte) []byte {
	if set.MinLen() == 1 {
		return s
	}
	out := f.Buffer(len(s))
	for len(s) > 0 {
		r, size, ok := set.Decode(s)
		if !ok || r > 127 {
			return append(out, 0)
		}
		out = append(out, byte(r))
		s = s[size:]
	}
	return out
}

// reading is how the text of x is read as a number: that of a column without a warning while a row is filled (see Frame.Fills).
func reading[T any](x *Expr, read func(*Frame, *charset.Set, []byte) T) func(*Frame, *charset.Set, []byte) T {
	if _, _, column := x.Column(); !column {
		return read
	}
	padded := x.Type.Kind == types.Char && !x.Type.Binary() // by PAD_CHAR_TO_FULL_LENGTH: nobody is told of these spaces
	return func(f *Frame, set *charset.Set, text []byte) T {
		if padded && set.MinLen() == 1 {
			if short := bytes.TrimRight(text, " "); len(short) < len(text) {
				if start, end := numeral(short, false); start < end && end == len(short) {
					text = short
				}
			}
		}
		if !f.Fills {
			return read(f, set, text)
		}
		told := f.Diag
		f.Diag = &f.untold
		v := read(f, set, text)
		f.Diag = told
		return v
	}
}

func textInt(f *Frame, set *charset.Set, text []byte) int64 {
	s := ascii(f, set, text)
	start, end := numeral(s, true)
	truncated(f, "INTEGER", set, text, s, start, end)
	n, err := strconv.ParseInt(string(s[start:end]), 10, 64)
	if err != nil && start != end {
		if u, err := strconv.ParseUint(string(s[start:end]), 10, 64); err == nil {
			return int64(u)
		}
	}
	return n
}

// CastInt is CAST of text to SIGNED or UNSIGNED: the number at its start. What is larger than 64 bits is the largest number, what is below
// them the smallest one, both with warning 1292; a sign that is lost is note 1105.
func CastInt(f *Frame, set *charset.Set, text []byte, unsigned bool) int64 {
	s := ascii(f, set, text)
	start, end := numeral(s, true)
	digits := s[start:end]
	negative := len(digits) > 0 && digits[0] == '-'
	if len(digits) > 0 && (negative || digits[0] == '+') {
		digits = digits[1:]
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	switch {
	case start == end:
	case negative && (err != nil || n > 1<<63):
		end, n = start, 1<<63 // as if nothing had been read
	case err != nil:
		end = start
		truncated(f, "INTEGER", set, text, s, start, end)
		return -1
	}
	truncated(f, "INTEGER", set, text, s, start, end)
	switch {
	case negative:
		if unsigned && start != end {
			f.Diag.Notef(mysqlerr.UnknownError, "%s", ToComplement)
		}
		return -int64(n)
	case !unsigned && n > math.MaxInt64:
		f.Diag.Notef(mysqlerr.UnknownError, "%s", "Cast to signed converted positive out-of-range integer to it's negative complement")
	}
	return int64(n)
}

// ToComplement is the message of note 1105 where CAST AS UNSIGNED makes a large number of a negative one.
const ToComplement = "Cast to unsigned converted negative integer to it's positive complement"

func textFloat(f *Frame, set *charset.Set, text []byte) float64 {
	s := ascii(f, set, text)
	start, end := numeral(s, false)
	v, _ := strconv.ParseFloat(string(s[start:end]), 64)
	if math.IsInf(v, 0) {
		v = math.Copysign(math.MaxFloat64, v)
		f.Warn(mysqlerr.TruncatedWrongValue, "DOUBLE", Quotable(set, text))
		return v
	}
	truncated(f, "DOUBLE", set, text, s, start, end)
	return v
}

func textDec(f *Frame, set *charset.Set, text []byte) decimal.Dec {
	s := ascii(f, set, text)
	d, used, cond := decimal.Parse(s)
	start := 0
	if cond&decimal.Bad == 0 {
		start = -1
	}
	if cond&decimal.Overflow != 0 {
		f.Warn(mysqlerr.DataOverflow, "", "DECIMAL")
		f.Warn(mysqlerr.TruncatedWrongValue, "DECIMAL", Quotable(set, text))
		return d
	}
	truncated(f, "DECIMAL", set, text, s, min(start, used), used)
	return d
}
