package logpos

import (
	"fmt"
	"strconv"
	"strings"
)

// FileName is the name of file number n of the log: MariaDB's, with at least
// six digits.
func FileName(basename string, n uint64) string { return fmt.Sprintf("%s.%06d", basename, n) }

// ParseFileName is the number in a name that FileName gives, with or without a
// directory before it; false for every other name.
func ParseFileName(basename, name string) (n uint64, ok bool) {
	if i := strings.LastIndexAny(name, "/\\"); i >= 0 {
		name = name[i+1:]
	}
	digits, ok := strings.CutPrefix(name, basename+".")
	if !ok || len(digits) < 6 || len(digits) > 6 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || strings.ContainsAny(digits, "+-_") {
		return 0, false
	}
	return n, true
}
