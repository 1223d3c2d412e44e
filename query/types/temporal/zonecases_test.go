package temporal_test

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/test/peer"
)

// loadZones loads zones of this machine's database into the server's tables.
func loadZones(t *testing.T, s *server, names []string) {
	t.Helper()
	peer.RequireTool(t, "mariadb-tzinfo-to-sql")
	for _, name := range names {
		script, err := exec.Command("mariadb-tzinfo-to-sql", "/usr/share/zoneinfo/"+name, name).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		client := exec.Command("mariadb", "-h127.0.0.1", "-P"+strconv.Itoa(s.peer.Port), "-uroot", "mysql")
		client.Stdin = strings.NewReader(string(script))
		if out, err := client.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
	}
}

var offsets = []string{
	"+00:00", "-00:00", "+01:00", "+5:30", "+05:45", "+13:00", "+13:01", "-12:59", "-13:00", "+14:00", "+1:5", "+1:60", "+1", "+01", "+01:", "+:30", "01:00", "+001:00", "+0000000000001:00", "+99999999999999999999:00",
	"+1:00x", " +01:00", "", "x", "Local", "+-1:00", "-0:59", "+ 1:00",
}

// zoned are local times around the limits of TIMESTAMP.
var zoned = []string{
	"0000-00-00 00:00:00", "2020-00-10 00:00:00", "0001-01-01 00:00:00", "1969-12-31 00:00:00", "1969-12-30 23:59:59", "1969-12-31 23:59:59", "1970-01-01 00:00:00", "1970-01-01 00:00:00.5", "1970-01-01 00:00:01", "1970-01-01 01:00:00", "1970-01-01 05:45:00",
	"1970-01-01 13:00:00", "2020-06-15 12:30:45.123456", "2020-01-01 00:00:00", "2038-01-18 23:59:59", "2038-01-19 03:14:07", "2038-01-19 03:14:07.999999", "2038-01-19 03:14:08", "2038-01-19 08:59:07", "2038-01-19 16:14:07", "2038-01-19 16:14:08", "2038-01-20 00:00:00", "9999-12-31 23:59:59",
}

func (as *asks) zones() {
	for _, a := range offsets {
		for _, b := range []string{"+00:00", "+02:00", "-12:59"} {
			as.convert("2020-06-15 12:30:45.123456", a, b)
			as.convert("2020-06-15 12:30:45", b, a)
		}
	}
	for _, s := range zoned {
		for _, a := range []string{"+00:00", "+01:00", "-12:59", "+13:00", "+05:45", "SYSTEM"} {
			as.convert(s, a, "+00:00")
			as.convert(s, a, "-05:00")
		}
		as.unixTimestamp(s)
	}
	for _, n := range append(append([]string(nil), integers[:len(integers)-1]...), "0.5", "1.5", "-0.5", "1700000000.123456", "1700000000.1234567", "2147483647.9999999", "2147483647.999999", "2147483647", "2147483648", "1e0", "1.5e0", "2147483647.75e0", "-1e0", "1.9999995") {
		for _, mode := range []string{plainMode, roundMode} {
			as.fromUnixtime(mode, n)
		}
	}
}

func (as *asks) convert(s, from, to string) {
	l := literal{"TIMESTAMP'" + s + "'", temporal.Value{Packed: packed(temporal.DateTime, s), Kind: temporal.DateTime}, fractionDigits(s)}
	as.add(plainMode, fmt.Sprintf("CONVERT_TZ(%s,%s,%s)", l.sql, quote(from), quote(to)), func(e *session) string {
		a, err := temporal.ParseZone(from)
		if err != nil {
			return null
		}
		b, err := temporal.ParseZone(to)
		if err != nil {
			return null
		}
		if !e.complete(l) {
			return null
		}
		return string(temporal.AppendDateTime(nil, temporal.Convert(l.v.Packed, a, b), l.fsp))
	})
}

func (as *asks) unixTimestamp(s string) {
	v := packed(temporal.DateTime, s)
	fsp := fractionDigits(s)
	as.add(plainMode, fmt.Sprintf("UNIX_TIMESTAMP(TIMESTAMP'%s')", s), func(e *session) string {
		if (temporal.Mode{NoZeroInDate: true}).Check(v) != 0 {
			e.warnf('W', temporal.CodeWrongValue, "Incorrect datetime value: '%s'", s)
		}
		sec, ok := temporal.UTC.UnixTimestamp(v)
		if !ok {
			return null
		}
		return seconds(sec, int64(v.DateParts().Micro), fsp)
	})
}

func (as *asks) fromUnixtime(mode, n string) {
	as.add(mode, "FROM_UNIXTIME("+n+")", func(e *session) string {
		number, shown := numberOf(n)
		fsp := min(fractionDigits(n), temporal.FractionMax)
		shownFsp := fsp
		if n[len(n)-1] == '0' && len(n) > 2 && n[len(n)-2] == 'e' {
			fsp = temporal.FractionMax
			shownFsp = temporal.AutoFraction
		}
		v, clipped, ok := e.FromUnixtime(number, fsp, temporal.UTC)
		if clipped {
			e.warnf('W', temporal.CodeWrongValue, "Truncated incorrect unixtime value: '%s'", shown)
		}
		return boolNull(string(temporal.AppendDateTime(nil, v, shownFsp)), ok)
	})
}

// zoneTimes are local times beside the gaps and overlaps of zones.
var zoneTimes = map[string][]string{
	"Europe/Berlin":       {"2020-03-29 01:59:59", "2020-03-29 02:00:00", "2020-03-29 02:30:00.5", "2020-03-29 02:59:59", "2020-03-29 03:00:00", "2020-10-25 01:59:59", "2020-10-25 02:00:00", "2020-10-25 02:30:00", "2020-10-25 03:00:00", "2020-07-01 00:00:00", "1970-01-01 01:00:00", "1970-01-01 00:30:00", "2038-01-19 04:14:07", "2038-01-19 04:14:08", "1980-04-06 02:30:00"},
	"America/New_York":    {"2020-03-08 01:59:59", "2020-03-08 02:30:00", "2020-03-08 03:00:00", "2020-11-01 01:30:00", "2020-11-01 00:59:59", "2020-11-01 02:00:00", "2037-07-01 00:00:00", "1969-12-31 19:00:00", "1969-12-31 19:00:01", "1974-01-06 02:30:00"},
	"Australia/Lord_Howe": {"2020-10-04 02:15:00", "2020-10-04 02:30:00", "2020-04-05 01:45:00", "2020-04-05 01:30:00", "2020-04-05 02:00:00"},
	"America/St_Johns":    {"2000-04-02 00:30:00", "2000-10-29 00:00:30", "2000-10-28 23:30:00", "1988-04-03 01:30:00"},
	"Asia/Kathmandu":      {"1986-01-01 00:10:00", "1986-01-01 00:20:00", "2020-01-01 00:00:00"},
	"Pacific/Apia":        {"2011-12-30 12:00:00", "2011-12-29 23:59:59", "2011-12-31 00:00:00"},
	"Africa/Casablanca":   {"2020-05-31 02:30:00", "2020-04-19 02:30:00", "2020-07-01 12:00:00"},
	"Europe/Dublin":       {"2020-03-29 01:30:00", "2020-10-25 01:30:00", "1971-10-31 02:30:00"},
	"Europe/London":       {"1971-10-31 02:30:00", "1970-01-01 01:00:00", "2020-10-25 01:30:00"},
}

var zoneNames = slices.Sorted(maps.Keys(zoneTimes))

// namedZones compares with MariaDB's zones, which are loaded from this machine's database.
func (as *asks) namedZones() {
	for _, name := range []string{"europe/berlin", "EUROPE/BERLIN", "Europe/Berlin ", "Europe/Nowhere", "system", "../Europe/Berlin"} {
		as.convert("2020-07-01 00:00:00", name, "+00:00")
	}
	for _, name := range zoneNames {
		for _, v := range zoneTimes[name] {
			as.convert(v, name, "+00:00")
			as.convert(v, "+00:00", name)
			as.convert(v, name, "America/New_York")
			as.zoned(name, v, columns[6])
			as.zoned(name, v, columns[7])
		}
	}
}
