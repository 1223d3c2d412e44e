package expressions

import (
	"math/rand/v2"
	"strings"
)

// compared are literals of all types. Those next to each other are of one sort, and equal in some way.
var compared = []string{
	"0", "1", "5", "20", "-1", "255", "2020", "9223372036854775807", "18446744073709551615", "-9223372036854775808",
	"0.5", "1.50", "-2.5", "20.0", "99999999999999999999", "0e0", "1e0", "2.5e0", "-1e300", "20200101", "20200101101112.5", "101112",
	"'a'", "'A '", "'abc'", "'b'", "'1'", "'1.5'", "'1 '", "'1x'", "'-7'", "''", "'2020'", "'2020-01-01'", "'2020-1-1 10:11:12'", "'10:11:12'", "'äö'",
	"DATE'2020-01-01'", "DATE'2020-02-29'", "TIMESTAMP'2020-01-01 10:11:12'", "TIMESTAMP'2020-01-01 00:00:00.5'", "TIME'10:11:12'", "TIME'-01:00:00.25'",
	"NULL", "TRUE", "FALSE", "0x41", "x'61'", "b'101'",
}

// How many of those are drawn in NULLIF, which refuses NULL and binary literals, and in rows: MariaDB computes conditions in rows when it
// resolves names, and has their warnings twice; IN of rows refuses NULL.
const (
	nullifTypes = 43
	rowTypes    = 43
)

func init() {
	generators["compare"] = func(r *rand.Rand) string { return drawComparison(r, true) }
}

// drawComparison draws an operation that compares; nested allows another one in an operand's place.
func drawComparison(r *rand.Rand, nested bool) string {
	start := r.IntN(len(compared))
	value := func() string {
		switch n := r.IntN(12); {
		case n == 0 && nested:
			return drawComparison(r, false)
		case n < 6: // of a sort that was drawn before
			return compared[(start+r.IntN(6))%len(compared)]
		}
		return one(r, compared)
	}
	plain := func() string { return one(r, compared[:rowTypes]) }
	list := func(least int) string { // nothing nested: MariaDB computes what is constant in a list before all else
		var out []string
		for range least + r.IntN(4) {
			out = append(out, one(r, compared))
		}
		return strings.Join(out, ",")
	}
	op := one(r, []string{"=", "<=>", "<>", "<", "<=", ">", ">="})
	not := one(r, []string{"", "", "NOT "})
	form := r.IntN(12)
	if !nested && (form == 2 || form == 3 || form == 7) { // MariaDB computes constant lists when it resolves names, before all else
		form = 8
	}
	switch form {
	case 0, 1:
		return "(" + value() + " " + not + "BETWEEN " + value() + " AND " + value() + ")"
	case 2, 3:
		return "(" + value() + " " + not + "IN (" + list(1) + "))"
	case 4:
		return "(CASE " + value() + " WHEN " + value() + " THEN 1 WHEN " + value() + " THEN 2 ELSE 3 END)"
	case 5:
		return "(NULLIF(" + one(r, compared[:nullifTypes]) + "," + value() + ") IS NULL)"
	case 6:
		return "((" + plain() + "," + plain() + ") " + op + " (" + plain() + "," + plain() + "))"
	case 7:
		return "((" + plain() + "," + plain() + ") " + not + "IN ((" + plain() + "," + plain() + "),(" + plain() + "," + plain() + ")))"
	}
	return "(" + value() + " " + op + " " + value() + ")"
}
