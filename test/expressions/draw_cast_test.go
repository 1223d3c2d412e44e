package expressions

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// casts are what generators cast to. Left out: what is too small for a number (warning 1264 has the text of the select list, see
// outOfRange), INTERVAL DAY_SECOND, BINARY(n) above max_allowed_packet (all refused), and BINARY(n) longer than a number, of which MariaDB
// forgets the digits when a number is made of it again; UUID, whose order is refused; text of binary, of which constants are computed earlier.
var casts = []string{
	"SIGNED", "UNSIGNED", "DOUBLE", "FLOAT", "DECIMAL(65,2)", "DECIMAL(65,30)", "DECIMAL(60)", "CHAR", "CHAR(0)", "CHAR(3)", "CHAR(30)",
	"CHAR(2) CHARACTER SET latin1", "CHAR CHARACTER SET latin1", "CHAR(9) BINARY", "CHAR ASCII",
	"CHAR CHARACTER SET utf8mb3", "BINARY", "BINARY(3)", "NCHAR", "NCHAR(2)", "VARCHAR(7)", "DATE", "TIME", "TIME(3)",
	"DATETIME", "DATETIME(6)", "INET4", "INET6",
}

// castAtoms are atoms of every type that there is without a table. Left out: latin1 beside binary strings (MariaDB sends it converted), and
// numbers below 1 (text of them beside integers is "0." in LEAST).
var castAtoms = []string{
	"0", "1", "-1", "7", "255", "-300", "70000", "123456789", "20200131", "101112", "2147483648", "9223372036854775807", "-9223372036854775807",
	"18446744073709551615", "TRUE", "NULL", "3.5", "-1.5", "2.50", "123.456", "99999999999999999999", "-99999999999999999999", "1e0", "2.5e0",
	"-1.6e0", "1e20", "-1e30", "1.5e7", "'a'", "'abc'", "'A '", "'1'", "' 12 '", "'1.5'", "'1x'", "'-7'", "'-7.6'", "''", "'é😀b'",
	"'99999999999999999999'", "'18446744073709551615'", "'-9223372036854775809'", "'9223372036854775808x'", "'1e3'", "0x41", "0x414243",
	"0x0102030405060708", "0x010203040506070809", "b'101'", "x'3132'", "_binary 'ab'", "'b' COLLATE utf8mb4_unicode_ci", "DATE'2020-01-31'", "DATE'0000-00-00'", "TIME'10:11:12'", "TIME'-101:00:00.5'", "TIME'00:00:00.123456'",
	"TIMESTAMP'2021-02-03 04:05:06'", "TIMESTAMP'2021-02-03 04:05:06.789'", "'2020-01-31'", "'2020-01-31 10:11:12.5'", "'10:11:12'", "'2020-13-01'",
	"'1.2.3.4'", "'::1'", "'ab3e4567-e89b-12d3-a456-426655440000'", "x'01020304'", "x'0102030405060708090a0b0c0d0e0f10'",
}

func init() {
	generators["cast"] = func(r *rand.Rand) string { return drawCast(r, 1+r.IntN(2)) }
	generators["choose"] = func(r *rand.Rand) string { return drawChoice(r, 1+r.IntN(2)) }
}

func drawCast(r *rand.Rand, depth int) string {
	x := one(r, castAtoms)
	if depth > 1 {
		x = drawCast(r, depth-1)
		if r.IntN(3) == 0 {
			x = drawChoice(r, 1)
		}
	}
	switch r.IntN(12) {
	case 0:
		return "CONVERT(" + x + ", " + one(r, casts) + ")"
	case 1:
		return "BINARY " + x
	}
	return "CAST(" + x + " AS " + one(r, casts) + ")"
}

func drawChoice(r *rand.Rand, depth int) string {
	sub := func() string {
		switch {
		case depth > 1 && r.IntN(3) == 0:
			return drawChoice(r, depth-1)
		case depth > 0 && r.IntN(3) == 0:
			return drawCast(r, 1)
		}
		return one(r, castAtoms)
	}
	list := func(n int) string {
		args := make([]string, n)
		for i := range args {
			args[i] = sub()
		}
		return strings.Join(args, ",")
	}
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("IF(%s,%s)", one(r, []string{"0", "1", "NULL"}), list(2))
	case 1:
		return "IFNULL(" + list(2) + ")"
	case 2:
		return "NVL2(" + list(3) + ")"
	case 3:
		return fmt.Sprintf("CASE WHEN %s THEN %s WHEN 1 THEN %s ELSE %s END", one(r, []string{"0", "1", "NULL"}), sub(), sub(), sub())
	case 4:
		return fmt.Sprintf("CASE WHEN %s THEN %s END", one(r, []string{"0", "1"}), sub())
	case 5, 6:
		return one(r, []string{"LEAST", "GREATEST"}) + "(" + list(2+r.IntN(3)) + ")"
	case 7:
		// MariaDB computes the arguments of INTERVAL as it resolves them, those of an inner one before; numbers of addresses are refused.
		depth = 0
		return "INTERVAL(" + list(2+r.IntN(9)) + ")"
	}
	return "COALESCE(" + list(1+r.IntN(3)) + ")"
}
