package expressions

import (
	"fmt"
	"math/rand/v2"
)

func init() {
	generators["number"] = func(r *rand.Rand) string { return drawNumber(r, 2) }
	generators["float"] = drawFloat
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// drawArgument draws a literal of any type that needs no other family. Not drawn, because conversions and results are to warn and print
// as MariaDB does first: what is too large for an integer (1916, 1292), and -0.
func drawArgument(r *rand.Rand) string {
	switch r.IntN(12) {
	case 0, 1:
		return fmt.Sprint(r.Uint64() >> r.IntN(64))
	case 2:
		return pick(r, "0", "1", "2", "9", "10", "15", "36", "255", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808",
			"18446744073709551615")
	case 3, 4:
		return fmt.Sprintf("%d.%0*d", r.Uint64()>>r.IntN(64), 1+r.IntN(20), r.IntN(1000000))
	case 5:
		return fmt.Sprintf("%d.%de%d", 1+r.IntN(9), r.IntN(100000), r.IntN(30)-15)
	case 6, 7:
		return pick(r, "'-5'", "'-1.5'", "'x'", "''", "' 12 '", "'1e3'", "'12abc'", "'0x41'", "'ff'", "'-zz'", "'2.5'", "'äö'", "'+7'")
	case 8:
		return pick(r, "0x41", "b'101'", "x'3132'", "0x0102030405060708", "0x414141414141")
	case 9:
		return "NULL"
	case 10:
		return pick(r, "TRUE", "FALSE", "0.0", "0e0", ".5")
	}
	return pick(r, "0.05", "1.005", "2.675", "2.5e0", "3.5e0", "1.5", "2.5", "0.5", "125e0", "1e15", "123456789.987654321")
}

// drawNumber draws calls of functions whose results are exact. Functions over 15 digits of a DOUBLE with fixed places are not drawn: how
// those are printed belongs to results.
func drawNumber(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return drawArgument(r)
	}
	arg := func() string { return drawNumber(r, depth-1) }
	if depth == 1 { // the digits of BIN and the like are numbers that are too large: see drawArgument
		return pick(r, "ABS", "SIGN", "CEIL", "FLOOR", "ROUND", "SQRT") + "(" + arg() + ")"
	}
	small := func() string {
		return pick(r, "0", "1", "2", "3", "5", "'1'", "'-1'", "'-2'", "NULL", "1.5", "40", "18446744073709551615", "'1x'")
	}
	switch f := pick(r, "ABS", "SIGN", "CEIL", "FLOOR", "ROUND", "ROUND2", "TRUNCATE", "BIN", "OCT", "CONV", "BIT_COUNT", "CRC32", "CRC32C",
		"CRC2", "RAND", "SQRT"); f {
	case "ROUND2":
		return fmt.Sprintf("ROUND(%s, %s)", arg(), small())
	case "TRUNCATE":
		return fmt.Sprintf("TRUNCATE(%s, %s)", arg(), small())
	case "CONV":
		return fmt.Sprintf("CONV(%s, %s, %s)", arg(), pick(r, "10", "16", "2", "36", "37", "'-10'", "1", "NULL", "'8'"),
			pick(r, "10", "16", "2", "36", "'-37'", "'-10'", "'-2'", "0", "NULL"))
	case "CRC2":
		return fmt.Sprintf("%s(%s, %s)", pick(r, "CRC32", "CRC32C"), arg(), arg())
	default:
		return f + "(" + arg() + ")"
	}
}

// drawFloat draws functions whose last digit depends on how they are computed.
func drawFloat(r *rand.Rand) string {
	x := fmt.Sprintf("%.17ge0", r.Float64()*pick(r, 1.0, 1.0, 10, 100, 700))
	if r.IntN(8) == 0 {
		x = drawArgument(r)
	}
	switch f := pick(r, "EXP", "LN", "LOG", "LOG2", "LOG10", "SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "ATAN", "ATAN2", "POW"); f {
	case "ATAN2", "POW":
		return fmt.Sprintf("%s(%s, %.17ge0)", f, x, r.Float64()*4)
	case "LOG":
		return pick(r, "LOG("+x+")", fmt.Sprintf("LOG(%.17ge0, %s)", r.Float64()*20, x))
	default:
		return f + "(" + x + ")"
	}
}
