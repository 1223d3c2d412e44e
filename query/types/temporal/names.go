package temporal

// Names are the words of a language: lc_time_names.
type Names struct {
	Months, ShortMonths [12]string
	Days, ShortDays     [7]string // from Monday on
}

// English is en_US, the default of lc_time_names, and what STR_TO_DATE reads.
var English = &Names{
	Months: [12]string{
		"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December",
	},
	ShortMonths: [12]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	Days:        [7]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	ShortDays:   [7]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
}

// MonthName is MONTHNAME; false for a date without month.
func (n *Names) MonthName(v Packed) (string, bool) {
	p := v.DateParts()
	if p.Month == 0 {
		return "", false
	}
	return n.Months[p.Month-1], true
}

// DayName is DAYNAME of a complete date.
func (n *Names) DayName(v Packed) string { return n.Days[v.Weekday()] }

// findName is the 1-based index of the name that the letters of word begin;
// 0 if none or several do.
func findName(names []string, word []byte) int {
	found, count := 0, 0
	for i, name := range names {
		if len(word) > len(name) || !equalFold(name[:len(word)], word) {
			continue
		}
		if len(word) == len(name) {
			return i + 1
		}
		found = i + 1
		count++
	}
	if count == 1 {
		return found
	}
	return 0
}

func equalFold(name string, word []byte) bool {
	for i, c := range word {
		if c >= 0x80 || name[i]|0x20 != c|0x20 {
			return false
		}
	}
	return true
}
