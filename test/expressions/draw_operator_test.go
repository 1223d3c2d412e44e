package expressions

import (
	"math/rand/v2"
	"strings"
)

// operands are literals of the types that operators take. Left out: NULL in arithmetic (a DOUBLE of fixed digits, which choices refuse),
// DIV of negated text (refused), 9223372036854775808 (MariaDB wraps 0-(-9223372036854775808), which is error 1690 here), and 1e300 (the
// order of its warnings 1916 when <=> computes an operand twice).
var operands = []string{
	"0", "1", "2", "7", "255", "123456789", "2147483648", "9223372036854775807", "18446744073709551615",
	"0.5", "1.5", "2.50", "123.456", "0.000", "99999999999999999999", "1e0", "2.5e0", "1e-3", "0e0",
	"'a'", "'abc'", "'A '", "'1'", "'1.5'", "'1 '", "'1x'", "'-7'", "TRUE", "FALSE",
}

var infixes = []string{
	"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "=", "<=>", "<>", "<", "<=", ">", ">=", "AND", "OR", "XOR",
}

func init() {
	generators["operator"] = func(r *rand.Rand) string { return drawOperation(r, 1+r.IntN(3)) }
}

func one(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

func drawOperation(r *rand.Rand, depth int) string {
	if depth == 0 {
		if r.IntN(5) == 0 {
			return "(-" + one(r, operands) + ")"
		}
		return one(r, operands)
	}
	sub := func() string { return drawOperation(r, r.IntN(depth)) }
	switch r.IntN(18) {
	case 6:
		return "(" + sub() + one(r, []string{" = ", " <=> ", " < ", " AND ", " OR "}) + "NULL)"
	case 7:
		return "(" + one(r, operands[:16]) + " DIV " + one(r, operands[:16]) + ")"
	case 0:
		return "(~" + sub() + ")" // NOT of a constant has its length, and - computes one twice: not yet here
	case 1:
		return "(" + sub() + one(r, []string{" IS NULL", " IS NOT NULL", " IS TRUE", " IS FALSE", " IS NOT TRUE"}) + ")"
	case 2:
		return "IF(" + strings.Join([]string{sub(), sub(), sub()}, ",") + ")"
	case 3:
		return one(r, []string{"IFNULL", "NVL", "COALESCE"}) + "(" + sub() + "," + sub() + ")"
	case 4:
		return "NVL2(" + strings.Join([]string{sub(), sub(), sub()}, ",") + ")"
	case 5:
		return "CASE WHEN " + sub() + " THEN " + sub() + " ELSE " + sub() + " END"
	}
	return "(" + sub() + " " + one(r, infixes) + " " + sub() + ")"
}
