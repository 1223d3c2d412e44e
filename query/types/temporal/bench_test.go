package temporal_test

import (
	"math"
	"testing"

	"github.com/duramendb/duramen/query/types/temporal"
)

var (
	sinkResult temporal.Result
	sinkValue  temporal.Value
	sinkBytes  []byte
	sinkPacked temporal.Packed
	sinkInt    int64

	sinkInterval temporal.Interval
)

// TestNoAllocations: reading, writing into a buffer, comparing and adding allocate nothing.
func TestNoAllocations(t *testing.T) {
	buf := make([]byte, 0, 128)
	zone, err := temporal.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	text, odd, clock, span := []byte("2020-01-31 10:11:12.5"), []byte(" 20-1-31T10.11"), []byte("-101:11:12.1234567"), []byte("1 2:3:4.5")
	format := []byte("%W %D %M %Y %r %U %j %f")
	m := temporal.Mode{NoZeroDate: true, RoundFraction: true}
	for name, f := range map[string]func(){
		"Parse":    func() { sinkResult = m.Parse(text, temporal.InDate) },
		"odd text": func() { sinkResult = m.Parse(odd, temporal.InDate) },
		"time":     func() { sinkResult = m.Parse(clock, temporal.InTime) },
		"span":     func() { sinkResult = m.ParseSpan(span) },
		"number":   func() { sinkResult = m.Number(temporal.FloatNumber(20200131.5), temporal.InDate) },
		"decimal":  func() { sinkResult = m.Number(temporal.DecimalNumber(text[:4]), temporal.InTime) },
		"Append":   func() { sinkBytes = temporal.Value{Packed: today, Kind: temporal.DateTime}.Append(buf, 6) },
		"format": func() {
			sinkBytes, _ = temporal.English.AppendFormat(buf, format, temporal.Value{Packed: today, Kind: temporal.Date}, false, math.MaxInt)
		},
		"StrToDate": func() { sinkValue, _, _ = m.StrToDate(text, []byte("%Y-%m-%d %T"), temporal.DateTime) },
		"interval":  func() { sinkInterval, _ = temporal.TextInterval(temporal.DaySecond, span) },
		"Add": func() {
			sinkValue, _ = temporal.Value{Packed: today, Kind: temporal.Date}.Add(temporal.DaySecond, sinkInterval, true)
		},
		"Convert":    func() { sinkPacked = temporal.Convert(today, zone, temporal.UTC) },
		"image":      func() { sinkBytes = temporal.AppendDateTimeImage(buf, today, 6) },
		"Store":      func() { sinkPacked, _ = m.Store(m.Parse(text, temporal.InColumn), temporal.DateTime, 3, today) },
		"comparison": func() { sinkInt = int64(min(today, temporal.TimeMax)) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name, text string
		in         temporal.Context
	}{
		{"date", "2020-01-31", temporal.InDate},
		{"datetime", "2020-01-31 10:11:12", temporal.InDate},
		{"datetime6", "2020-01-31 10:11:12.123456", temporal.InDate},
		{"undelimited", "20200131101112", temporal.InDate},
		{"time", "10:11:12", temporal.InTime},
	} {
		text := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkResult = temporal.Mode{}.Parse(text, c.in)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	v := packed(temporal.DateTime, "2020-01-31 10:11:12.123456")
	buf := make([]byte, 0, 64)
	b.Run("date", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkBytes = temporal.AppendDate(buf, v)
		}
	})
	b.Run("datetime6", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkBytes = temporal.AppendDateTime(buf, v, 6)
		}
	})
	format := []byte("%Y-%m-%d %H:%i")
	b.Run("DATE_FORMAT", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkBytes, _ = temporal.English.AppendFormat(buf, format, temporal.Value{Packed: v, Kind: temporal.DateTime}, false, math.MaxInt)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	v := temporal.Value{Packed: packed(temporal.DateTime, "2020-01-31 10:11:12"), Kind: temporal.DateTime}
	for _, u := range []temporal.Unit{temporal.Day, temporal.Month, temporal.Second} {
		i := temporal.IntInterval(u, 31)
		b.Run(u.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkValue, _ = v.Add(u, i, false)
			}
		})
	}
}

func BenchmarkParts(b *testing.B) {
	v := packed(temporal.DateTime, "2020-01-31 10:11:12")
	b.Run("TO_DAYS", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkInt = v.ToDays()
		}
	})
	b.Run("FROM_DAYS", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkPacked = temporal.FromDays(737820)
		}
	})
	zone, err := temporal.ParseZone("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("zone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkPacked = temporal.Convert(v, zone, temporal.UTC)
		}
	})
}

func BenchmarkStrToDate(b *testing.B) {
	text, format := []byte("2020-01-31 10:11:12"), []byte("%Y-%m-%d %T")
	b.ReportAllocs()
	for b.Loop() {
		sinkValue, _, _ = temporal.Mode{}.StrToDate(text, format, temporal.DateTime)
	}
}
