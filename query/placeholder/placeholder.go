// Package placeholder finds the parameters of prepared statements, checks what is given for them, and writes them as literals.
package placeholder

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// Set are the placeholders of one statement.
type Set struct {
	Count  int
	limits []int // which of them stand in a LIMIT clause, counted from 0
	First  int   // where the first begins in the text
}

// Of finds the placeholders of a statement.
func Of(sql string, mode dialect.Mode) Set {
	var p Set
	if strings.IndexByte(sql, '?') < 0 {
		return p
	}
	var before [3]dialect.Token // the last three, the nearest at the end
	s := dialect.Scanner{SQL: sql, Mode: mode}
	for {
		t, ok := s.Next()
		if !ok {
			return p
		}
		if t.Kind == dialect.Punct && t.Text == "?" {
			if p.Count == 0 {
				p.First = t.Start
			}
			if before[2].Is("LIMIT") || before[2].Is("OFFSET") || before[2].Is(",") && before[0].Is("LIMIT") {
				p.limits = append(p.limits, p.Count)
			}
			p.Count++
		}
		before = [3]dialect.Token{before[1], before[2], t}
	}
}

// Bind gives the values to take for those of a client: what stands in a LIMIT clause is a whole number
// without a sign, and NULL there means 0.
func (p Set) Bind(params []result.Value) ([]result.Value, error) {
	if len(p.limits) == 0 {
		return params, nil
	}
	own := append([]result.Value(nil), params...)
	for _, i := range p.limits {
		n, ok := limitOf(params[i])
		if !ok {
			return nil, mysqlerr.New(mysqlerr.WrongArguments, "EXECUTE")
		}
		own[i] = result.Unsigned(n)
	}
	return own, nil
}

// limitOf is the number that a value gives a LIMIT clause, by MariaDB's rules: a DECIMAL is rounded, a text
// counts as far as it is a whole number. ok is false for what is refused, such as numbers below 0.
func limitOf(v result.Value) (n uint64, ok bool) {
	switch v.Kind() {
	case result.Null:
		return 0, true
	case result.KindSigned:
		return v.Uint(), v.Int() >= 0
	case result.KindUnsigned, result.KindYear:
		return v.Uint(), true
	case result.KindFloat, result.KindDouble:
		f := v.Float()
		if f < 0 || f >= math.MaxInt64 || f != math.Trunc(f) {
			return 0, false // MariaDB rounds it in one protocol and cuts it in the other
		}
		return uint64(f), true
	case result.KindDecimal:
		return roundedLimit(string(v.Raw()))
	case result.KindText, result.KindBytes, result.KindJSON:
		return limitOfText(string(v.Raw()))
	}
	return 0, false // MariaDB makes a number of the digits of a date, which nobody means
}

func limitOfText(text string) (n uint64, ok bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 {
		return 0, true
	}
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, err := strconv.ParseUint("0"+digits[:end], 10, 64)
	return n, err == nil && n <= math.MaxInt64 && (n == 0 || !strings.HasPrefix(text, "-"))
}

func roundedLimit(text string) (n uint64, ok bool) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		return 0, r.Cmp(half.Neg(half)) > 0
	}
	whole := r.Add(r, half)
	q := new(big.Int).Quo(whole.Num(), whole.Denom())
	if !q.IsUint64() {
		return math.MaxUint64, true
	}
	return q.Uint64(), true
}

// Substitute puts values in the place of placeholders, for statements that are run
// by their text.
func Substitute(sql string, params []result.Value, mode dialect.Mode) (string, error) {
	if len(params) == 0 {
		return sql, nil
	}
	var b strings.Builder
	s := dialect.Scanner{SQL: sql, Mode: mode}
	last, n := 0, 0
	for {
		t, ok := s.Next()
		if !ok {
			break
		}
		if t.Kind != dialect.Punct || t.Text != "?" {
			continue
		}
		if n >= len(params) {
			return "", mysqlerr.New(mysqlerr.WrongArguments, "EXECUTE")
		}
		b.WriteString(sql[last:t.Start])
		b.WriteString(literalOf(params[n], mode))
		last = t.End
		n++
	}
	b.WriteString(sql[last:])
	return b.String(), nil
}

// literalOf writes a parameter as SQL, for statements that are run by their text.
func literalOf(v result.Value, mode dialect.Mode) string {
	switch v.Kind() {
	case result.Null:
		return "NULL"
	case result.KindSigned, result.KindUnsigned, result.KindYear, result.KindDecimal:
		return string(v.AppendText(nil))
	case result.KindFloat, result.KindDouble:
		return strconv.FormatFloat(v.Float(), 'e', -1, 64)
	}
	text := string(v.AppendText(nil))
	if mode.NoBackslashEscapes {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return dialect.QuoteString(text)
}
