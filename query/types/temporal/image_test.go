package temporal_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

func randomDateTime(r *rand.Rand) temporal.Parts {
	return temporal.Parts{
		Year: r.IntN(10000), Month: r.IntN(13), Day: r.IntN(32), Hour: r.IntN(24), Minute: r.IntN(60), Second: r.IntN(60), Micro: r.IntN(1000000),
	}
}

func randomTime(r *rand.Rand) temporal.Parts {
	return temporal.Parts{Hour: r.IntN(839), Minute: r.IntN(60), Second: r.IntN(60), Micro: r.IntN(1000000), Negative: r.IntN(2) == 0}
}

// TestImages compares the bytes with those of package row, and reads them back.
func TestImages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20000 {
		fsp := i % 7
		p := randomDateTime(r)
		v := p.PackDate().Truncate(fsp)
		p = v.DateParts()
		same(t, mysql.MYSQL_TYPE_DATETIME2, fsp, rowDate(p), temporal.AppendDateTimeImage(nil, v, fsp))
		back, err := temporal.DateTimeImage(temporal.AppendDateTimeImage(nil, v, fsp), fsp)
		require.NoError(t, err)
		require.Equal(t, v, back)

		d := v.Date()
		dp := d.DateParts()
		same(t, mysql.MYSQL_TYPE_DATE, 0, rowDate(dp), temporal.AppendDateImage(nil, d))
		back, err = temporal.DateImage(temporal.AppendDateImage(nil, d))
		require.NoError(t, err)
		require.Equal(t, d, back)

		tp := randomTime(r)
		clock := tp.PackTime().Truncate(fsp)
		sec, micro := clock.TimeToSec()
		same(t, mysql.MYSQL_TYPE_TIME2, fsp, time.Duration(sec)*time.Second+time.Duration(micro)*time.Microsecond, temporal.AppendTimeImage(nil, clock, fsp))
		back, err = temporal.TimeImage(temporal.AppendTimeImage(nil, clock, fsp), fsp)
		require.NoError(t, err)
		require.Equal(t, clock, back)

		stamp := temporal.Stamp(r.Int64N(int64(temporal.StampMax)))
		image := temporal.AppendStampImage(nil, stamp, fsp)
		cut, err := temporal.StampImage(image, fsp)
		require.NoError(t, err)
		same(t, mysql.MYSQL_TYPE_TIMESTAMP2, fsp, time.UnixMicro(int64(cut)).UTC(), image)
	}
}

// TestOldImages does the same with the forms of mysql56_temporal_format=OFF.
func TestOldImages(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 20000 {
		p := randomDateTime(r)
		v := p.PackDate().Truncate(0)
		p.Micro = 0
		image := temporal.AppendOldDateTimeImage(nil, v)
		same(t, mysql.MYSQL_TYPE_DATETIME, 0, rowDate(p), image)
		back, err := temporal.OldDateTimeImage(image)
		require.NoError(t, err)
		require.Equal(t, v, back)

		tp := randomTime(r)
		clock := tp.PackTime().Truncate(0)
		sec, _ := clock.TimeToSec()
		image = temporal.AppendOldTimeImage(nil, clock)
		same(t, mysql.MYSQL_TYPE_TIME, 0, time.Duration(sec)*time.Second, image)
		back, err = temporal.OldTimeImage(image)
		require.NoError(t, err)
		require.Equal(t, clock, back)

		stamp := temporal.Stamp(r.Int64N(1<<31) * 1000000)
		image = temporal.AppendOldStampImage(nil, stamp)
		same(t, mysql.MYSQL_TYPE_TIMESTAMP, 0, time.UnixMicro(int64(stamp)).UTC(), image)
		old, err := temporal.OldStampImage(image)
		require.NoError(t, err)
		require.Equal(t, stamp, old)
	}
}

// rowDate is a date as package row has it.
func rowDate(p temporal.Parts) row.Date {
	return row.Date{Year: p.Year, Month: p.Month, Day: p.Day, Hour: p.Hour, Minute: p.Minute, Second: p.Second, Microsecond: p.Micro}
}

// same holds an image against that of package row.
func same(t *testing.T, typ byte, fsp int, val any, image []byte) {
	t.Helper()
	col := row.Column{Type: typ, Meta: uint16(fsp), Collation: mysql.Collation_binary}
	want, err := row.AppendValue(nil, &col, val)
	require.NoError(t, err)
	require.Equal(t, want, image, "%d(%d) %v", typ, fsp, val)
}

// TestOrder: packed values order as MariaDB's do, which is by fields.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		a, b := randomDateTime(r), randomDateTime(r)
		x, y := a.PackDate(), b.PackDate()
		sx, sy := temporal.AppendDateTime(nil, x, 6), temporal.AppendDateTime(nil, y, 6)
		require.Equal(t, string(sx) < string(sy), x < y)
		require.Equal(t, a, x.DateParts())
		a, b = randomTime(r), randomTime(r)
		x, y = a.PackTime(), b.PackTime()
		sec, micro := x.TimeToSec()
		sec2, micro2 := y.TimeToSec()
		require.Equal(t, sec*1000000+micro < sec2*1000000+micro2, x < y)
	}
}

// TestCalendar: each day has its number, and package time's date and weekday.
func TestCalendar(t *testing.T) {
	day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := int64(366); n <= 3652424; n++ {
		v := temporal.FromDays(n)
		p := v.DateParts()
		y, m, d := day.Date()
		if p.Year != y || p.Month != int(m) || p.Day != d || v.ToDays() != n || v.DayOfWeek() != int(day.Weekday())+1 || v.DayOfYear() != day.YearDay() {
			t.Fatalf("day %d is %+v, package time says %s", n, p, day)
		}
		isoYear, isoWeek := day.ISOWeek()
		if isoYear <= 9999 && isoYear >= 1 && v.YearWeek(3) != int64(isoYear*100+isoWeek) {
			t.Fatalf("%s is in week %d, package time says %d %d", day, v.YearWeek(3), isoYear, isoWeek)
		}
		day = day.AddDate(0, 0, 1)
	}
}

// TestStamps: a moment's local time is that of package time, and leads back to it
// unless it comes twice.
func TestStamps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, name := range append(zoneNames, "+05:45", "-12:59", "SYSTEM") {
		zone, err := temporal.ParseZone(name)
		require.NoError(t, err)
		require.Equal(t, name, zone.String())
		twice := 0
		for range 3000 {
			s := temporal.Stamp(r.Int64N(int64(temporal.StampMax)-86400000000) + 86400000000)
			v := zone.DateTime(s)
			sec, micro := s.Unix()
			if loc, err := time.LoadLocation(name); err == nil {
				want := time.Unix(sec, micro*1000).In(loc).Format("2006-01-02 15:04:05.000000")
				require.Equal(t, want, string(temporal.AppendDateTime(nil, v, 6)))
			}
			back, gap, ok := zone.Stamp(v)
			require.True(t, ok && !gap)
			if back != s {
				require.Equal(t, v, zone.DateTime(back))
				require.Less(t, back, s)
				twice++
			}
		}
		require.Less(t, twice, 30, "%s: local times that come twice are rare", name)
	}
	s, gap, ok := temporal.SystemZone(time.FixedZone("", 3600)).Stamp(0)
	require.True(t, ok && !gap && s == 0)
	_, _, ok = temporal.UTC.Stamp(mustDate("1970-01-01"))
	require.False(t, ok, "the first moment stands for the zero date")
}

// TestUnits: names, and which units go with what.
func TestUnits(t *testing.T) {
	for u := temporal.Year; u <= temporal.SecondMicrosecond; u++ {
		require.Equal(t, strings.Contains(u.String(), "_"), u.Compound(), u)
	}
	require.Equal(t, "unknown unit", (temporal.SecondMicrosecond + 1).String())
}
