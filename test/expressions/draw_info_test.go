package expressions

import (
	"fmt"
	"math/rand/v2"
)

func init() { generators["info"] = drawInfo }

// drawAddress draws the text of a network address, or nearly.
func drawAddress(r *rand.Rand) string {
	s := ""
	switch r.IntN(3) {
	case 0:
		for range 1 + r.IntN(5) {
			s += pick(r, "0", "1", "255", "256", "07", "0001", "99") + pick(r, ".", ".", ".", ".", "", "..")
		}
		s += pick(r, "1", "200", "")
	default:
		s = pick(r, "::", "", ":", "1::")
		for range 1 + r.IntN(7) {
			s += pick(r, "0", "0", "1", "ffff", "FFFF", "abcd", "12345", "g", "00f") + pick(r, ":", ":", ":", ":", "::", "")
		}
		s += pick(r, "1", "", "1.2.3.4", "::", "0")
	}
	return "'" + s + "'"
}

// drawInfo draws functions whose answer every server knows. Those about the session are not drawn. Binary results are hashed: what
// results do with them is not this family's.
func drawInfo(r *rand.Rand) string {
	arg := func() string {
		if r.IntN(3) == 0 {
			return drawNumber(r, 1)
		}
		return pick(r, "'abc'", "''", "'hello world'", "'key'", "'äöü'", "NULL", "_latin1'abc'", "x'00ff7f'", "'0123456789abcdef'", "'a b\tc'")
	}
	switch r.IntN(12) {
	case 0, 1:
		return pick(r, "INET_ATON", "IS_IPV4", "IS_IPV6", "IS_IPV4_COMPAT", "IS_IPV4_MAPPED") + "(" + drawAddress(r) + ")"
	case 2:
		return "INET6_NTOA(INET6_ATON(" + drawAddress(r) + "))"
	case 3:
		return pick(r, "IS_IPV4_COMPAT", "IS_IPV4_MAPPED") + "(INET6_ATON(" + drawAddress(r) + "))"
	case 4:
		return fmt.Sprintf("INET_NTOA(%s)", drawArgument(r))
	case 5:
		return fmt.Sprintf("SHA2(%s, %s)", arg(), pick(r, "0", "224", "256", "384", "512", "1", "NULL", "'256'", "256.4"))
	case 6:
		return fmt.Sprintf("MD5(%s(%s, %s))", pick(r, "AES_ENCRYPT", "AES_DECRYPT", "ENCODE", "DECODE"), arg(), arg())
	case 7:
		return fmt.Sprintf("AES_DECRYPT(AES_ENCRYPT(%s, 'k'), 'k')", pick(r, "'abc'", "12.5", "NULL", "'0123456789abcdef'", "1e5"))
	case 8:
		return pick(r, "CHARSET", "COLLATION", "COERCIBILITY") + "(" + arg() + ")"
	case 9:
		return pick(r, "MD5", "SHA1", "PASSWORD", "OLD_PASSWORD") + "(" + arg() + ")"
	case 10:
		return "UNCOMPRESSED_LENGTH(" + arg() + ")"
	}
	return fmt.Sprintf("BENCHMARK(%s, SHA1(%s))", pick(r, "1", "2", "NULL", "'3x'", "'-1'"), arg())
}
