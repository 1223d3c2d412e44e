package temporal

// YearOf is the YEAR that a number stands for: 0 is 0000, 1 to 69 are 2001 to
// 2069, 70 to 99 are 1970 to 1999, 1901 to 2155 themselves. text says that the number came
// from a text of at most two digits, where 0 is 2000. False (with 0) is out of range.
func YearOf(n int64, text bool) (int, bool) {
	switch {
	case n == 0 && !text:
		return 0, true
	case n >= 0 && n < 100:
		return fullYear(int(n)), true
	case n > 1900 && n <= 2155:
		return int(n), true
	}
	return 0, false
}

// YearByte is the byte of a row image: the years since 1900, 0 for 0000.
func YearByte(year int) byte {
	if year == 0 {
		return 0
	}
	return byte(year - 1900)
}

// YearOfByte is the reverse of YearByte.
func YearOfByte(b byte) int {
	if b == 0 {
		return 0
	}
	return int(b) + 1900
}
