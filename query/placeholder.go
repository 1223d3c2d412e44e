package query

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// placeholders are those of one statement.
type placeholders struct {
	count  int
	limits []int // which of them stand in a LIMIT clause, counted from 0
	first  int   // where the first begins in the text
}

// placeholdersOf finds the placeholders of a statement.
func placeholdersOf(sql string, mode dialect.Mode) placeholders {
	var p placeholders
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
			if p.count == 0 {
				p.first = t.Start
			}
			if before[2].Is("LIMIT") || before[2].Is("OFFSET") || before[2].Is(",") && before[0].Is("LIMIT") {
				p.limits = append(p.limits, p.count)
			}
			p.count++
		}
		before = [3]dialect.Token{before[1], before[2], t}
	}
}

// defined refuses placeholders where a definition keeps the text that they stand in: nothing gives
// them a value when it runs.
func (p placeholders) defined(ast sqlparser.Statement) error {
	d, ok := ast.(*sqlparser.DDL)
	switch {
	case !ok || p.count == 0:
		return nil
	case d.ViewSpec != nil:
		return mysqlerr.New(mysqlerr.ViewSelectVariable)
	case len(parse.Bodies(d)) > 0:
		return notYet("a parameter in a body")
	}
	return nil
}

// bind gives the values to take for those of a client: what stands in a LIMIT clause is a whole number
// without a sign, and NULL there means 0.
func (p placeholders) bind(params []sqltypes.Value) ([]sqltypes.Value, error) {
	if len(p.limits) == 0 {
		return params, nil
	}
	own := append([]sqltypes.Value(nil), params...)
	for _, i := range p.limits {
		n, ok := limitOf(params[i])
		if !ok {
			return nil, mysqlerr.New(mysqlerr.WrongArguments, "EXECUTE")
		}
		own[i] = sqltypes.NewUint64(n)
	}
	return own, nil
}

// limitOf is the number that a value gives a LIMIT clause, by MariaDB's rules: a DECIMAL is rounded, a text
// counts as far as it is a whole number. ok is false for what is refused, such as numbers below 0.
func limitOf(v sqltypes.Value) (n uint64, ok bool) {
	text := string(v.ToBytes())
	switch {
	case v.IsNull():
		return 0, true
	case v.IsFloat():
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f < 0 || f >= math.MaxInt64 || f != math.Trunc(f) {
			return 0, false // MariaDB rounds it in one protocol and cuts it in the other
		}
		return uint64(f), true
	case v.Type() == sqltypes.Decimal:
		return roundedLimit(text)
	case v.Type() == sqltypes.Date, v.Type() == sqltypes.Datetime, v.Type() == sqltypes.Timestamp, v.Type() == sqltypes.Time:
		return 0, false // MariaDB makes a number of its digits, which nobody means
	}
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
	if v.IsIntegral() {
		return n, err == nil && (n == 0 || len(text) == len(digits))
	}
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
