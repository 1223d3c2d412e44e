package temporal

import (
	_ "embed"
	"strings"
	"sync"
)

// localeTable has a locale a line: its name, and the names of months and days in full and short, as MariaDB 10.11 answers MONTHNAME, DAYNAME
// and DATE_FORMAT under each lc_time_names.
//
//go:embed locales.tsv
var localeTable string

var locales = sync.OnceValue(func() map[string]*Names {
	all := make(map[string]*Names)
	for line := range strings.Lines(localeTable) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		n := new(Names)
		copy(n.Months[:], strings.Split(fields[1], "|"))
		copy(n.ShortMonths[:], strings.Split(fields[2], "|"))
		copy(n.Days[:], strings.Split(fields[3], "|"))
		copy(n.ShortDays[:], strings.Split(fields[4], "|"))
		all[strings.ToLower(fields[0])] = n
	}
	return all
})

// Locale is the names of a locale that lc_time_names can have, such as de_DE, in any case.
func Locale(name string) (*Names, bool) {
	n, ok := locales()[strings.ToLower(name)]
	return n, ok
}

// ASCII reports whether all names are ASCII.
func (n *Names) ASCII() bool {
	for _, list := range [][]string{n.Months[:], n.ShortMonths[:], n.Days[:], n.ShortDays[:]} {
		for _, s := range list {
			for _, c := range []byte(s) {
				if c > 127 {
					return false
				}
			}
		}
	}
	return true
}
