package temporal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Zone is a time zone: the system's, one with a fixed offset, or a named one.
// A Zone does not change, and may be shared.
type Zone struct {
	name   string
	loc    *time.Location // nil: a fixed offset
	offset int64          // in seconds, east of UTC
}

// ErrZone is what ParseZone returns for a zone that MariaDB or this machine does
// not know: error 1298, or NULL of CONVERT_TZ.
var ErrZone = errors.New("unknown or incorrect time zone")

// UTC is the zone '+00:00'.
var UTC = &Zone{name: "+00:00"}

// Limits of offsets, in seconds: after -13:00, up to +13:00.
const offsetMax = 13 * 3600

// ParseZone finds a zone: SYSTEM (in any case), an offset ('+5:30', -12:59 to
// +13:00), or a name that package time finds in this machine's database, in any
// case. Finding a named zone reads files: keep the Zone.
func ParseZone(name string) (*Zone, error) {
	if strings.EqualFold(name, "SYSTEM") {
		return &Zone{name: "SYSTEM", loc: time.Local}, nil
	}
	if name == "" || name == "Local" {
		return nil, ErrZone
	}
	if name[0] == '+' || name[0] == '-' {
		offset, ok := parseOffset(name)
		if !ok {
			return nil, ErrZone
		}
		sign, size := '+', offset
		if offset < 0 {
			sign, size = '-', -offset
		}
		return &Zone{name: fmt.Sprintf("%c%02d:%02d", sign, size/3600, size/60%60), offset: offset}, nil
	}
	file := strings.TrimRight(name, " ")
	for _, c := range []byte(file) {
		if !isAlpha(c) && !isDigit(c) && !strings.ContainsRune("/_+-", rune(c)) {
			return nil, ErrZone
		}
	}
	loc, err := time.LoadLocation(file)
	for i := 0; err != nil && i < len(zoneFolders); i++ {
		if found, ok := foldedName(zoneFolders[i], file); ok {
			loc, err = time.LoadLocation(found)
		}
	}
	if err != nil || file == "" {
		return nil, ErrZone
	}
	return &Zone{name: name, loc: loc}, nil
}

// zoneFolders are those that package time looks into.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}

// foldedName finds a file below a folder whatever the case of its name.
func foldedName(folder, name string) (string, bool) {
	var found []string
	for _, part := range strings.Split(name, "/") {
		entries, err := os.ReadDir(filepath.Join(append([]string{folder}, found...)...))
		i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return strings.EqualFold(e.Name(), part) })
		if err != nil || i < 0 {
			return "", false
		}
		found = append(found, entries[i].Name())
	}
	return strings.Join(found, "/"), true
}

// SystemZone is the zone SYSTEM of a server whose machine is at loc.
func SystemZone(loc *time.Location) *Zone { return &Zone{name: "SYSTEM", loc: loc} }

// String is the name the zone was found by.
func (z *Zone) String() string { return z.name }

// parseOffset reads [+-]h:m, with any number of digits.
func parseOffset(s string) (int64, bool) {
	if len(s) < 4 {
		return 0, false
	}
	number := func(at int) (n int64, end int) {
		for at < len(s) && isDigit(s[at]) {
			if n < offsetMax {
				n = n*10 + int64(s[at]-'0')
			}
			at++
		}
		return n, at
	}
	hour, at := number(1)
	if at+1 >= len(s) || s[at] != ':' {
		return 0, false
	}
	minute, at := number(at + 1)
	offset := (hour*60 + minute) * 60
	if s[0] == '-' {
		offset = -offset
	}
	if at != len(s) || minute > 59 || offset <= -offsetMax || offset > offsetMax {
		return 0, false
	}
	return offset, true
}

// offsetAt is the zone's offset at a moment, in seconds.
func (z *Zone) offsetAt(unix int64) int64 {
	if z.loc == nil {
		return z.offset
	}
	_, offset := time.Unix(unix, 0).In(z.loc).Zone()
	return int64(offset)
}

// UnixMax is the last second of a TIMESTAMP: 2038-01-19 03:14:07 UTC.
const UnixMax = 1<<31 - 1

// Unix is the moment of a local time, in seconds since 1970, without the
// fraction. A time that comes twice is the earlier one; one that the clock skips
// is the moment of the skip (gap is true, and a column gets warning 1299). False
// if it is not within 1970 to 2038-01-19 03:14:07 UTC.
func (z *Zone) Unix(v Packed) (unix int64, gap, ok bool) {
	p := v.DateParts()
	if p.Year < 1969 || p.Year > 2038 || p.Month == 0 {
		return 0, false, false
	}
	local := (p.dayNumber()-epochDay)*secondsPerDay + int64(p.Hour)*3600 + int64(p.Minute)*60 + int64(p.Second)
	unix, gap = z.resolve(local)
	if unix < 0 || unix > UnixMax {
		return 0, false, false
	}
	return unix, gap, true
}

// resolve finds the moment of a local time, given as if it were UTC.
func (z *Zone) resolve(local int64) (unix int64, gap bool) {
	if z.loc == nil {
		return local - z.offset, false
	}
	// No zone is more than a day away from UTC, and none changes twice within
	// two days in the years of TIMESTAMP: these are the offsets to try.
	before, after := z.offsetAt(local-secondsPerDay), z.offsetAt(local+secondsPerDay)
	early, late := local-max(before, after), local-min(before, after)
	if z.offsetAt(early) == local-early {
		return early, false
	}
	if z.offsetAt(late) == local-late {
		return late, false
	}
	_, end := time.Unix(early, 0).In(z.loc).ZoneBounds()
	if end.IsZero() {
		return late, true
	}
	return end.Unix(), true
}

// AtUnix is the local time of a moment, in seconds since 1970.
func (z *Zone) AtUnix(unix int64) Packed {
	out, _ := dateTimeOfStamp((unix + z.offsetAt(unix) + epochDay*secondsPerDay) * microsPerSecond)
	return out
}

// Convert is CONVERT_TZ of a complete date: what lies outside of the range of
// TIMESTAMP stays as it is.
func Convert(v Packed, from, to *Zone) Packed {
	unix, _, ok := from.Unix(v)
	if !ok || unix == 0 {
		return v
	}
	return to.AtUnix(unix) + v&microMask
}

// FromUnixtime is FROM_UNIXTIME with fsp digits, cut off or rounded by the mode.
// False is NULL; above UnixMax with warning 1292 "Truncated incorrect unixtime value" (clipped).
func (m Mode) FromUnixtime(n Number, fsp int, z *Zone) (v Packed, clipped, ok bool) {
	if n.Clipped || n.Whole > UnixMax {
		return 0, true, false
	}
	if n.Negative {
		return 0, false, false
	}
	n = m.FitNumber(n, fsp)
	if n.Whole > UnixMax {
		return 0, false, false
	}
	return z.AtUnix(int64(n.Whole)) + Packed(n.Micro), false, true
}

// UnixTimestamp is UNIX_TIMESTAMP of a DATETIME, without its fraction; false is
// NULL: an incomplete date, or one out of range.
func (z *Zone) UnixTimestamp(v Packed) (int64, bool) {
	if (Mode{NoZeroInDate: true}).Check(v) != 0 {
		return 0, false
	}
	unix, _, ok := z.Unix(v)
	return unix, ok
}

// Stamp is a TIMESTAMP: microseconds since 1970 in UTC, 0 being '0000-00-00 00:00:00'.
type Stamp int64

// StampMax is '2038-01-19 03:14:07.999999' UTC.
const StampMax = Stamp(UnixMax*microsPerSecond + 999999)

// Stamp makes a TIMESTAMP of a DATETIME; see Unix for gap. '0000-00-00' is
// itself; false is out of range.
func (z *Zone) Stamp(v Packed) (s Stamp, gap, ok bool) {
	if v == 0 {
		return 0, false, true
	}
	unix, gap, ok := z.Unix(v)
	if !ok || unix == 0 {
		return 0, false, false
	}
	return Stamp(unix*microsPerSecond + int64(v&microMask)), gap, true
}

// DateTime is the local time of a TIMESTAMP.
func (z *Zone) DateTime(s Stamp) Packed {
	if s == 0 {
		return 0
	}
	sec, micro := int64(s)/microsPerSecond, int64(s)%microsPerSecond
	if micro < 0 {
		sec--
		micro += microsPerSecond
	}
	return z.AtUnix(sec) + Packed(micro)
}

// Unix is UNIX_TIMESTAMP of a TIMESTAMP: seconds and microseconds.
func (s Stamp) Unix() (sec, micro int64) {
	return int64(s) / microsPerSecond, int64(s) % microsPerSecond
}
