package temporal_test

import (
	"math"
	"testing"

	"github.com/duramendb/duramen/query/types/temporal"
)

func fuzzModes() []temporal.Mode {
	var list []temporal.Mode
	for _, m := range modes {
		list = append(list, m)
	}
	return list
}

// FuzzParse: no text panics, and a value prints as a text that is read as the same value.
func FuzzParse(f *testing.F) {
	as := &asks{}
	for _, s := range as.textPool(0) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, m := range fuzzModes() {
			for c := temporal.InDate; c <= temporal.InTimeColumn; c++ {
				r := m.Parse(text, c)
				checkValue(t, m, r.Value)
				// With a blank before it no text takes the short way for plain values.
				if slow := m.Parse(append([]byte{' '}, text...), c); slow != r {
					t.Fatalf("%q in context %d: %+v, and %+v with a blank before it", text, c, r, slow)
				}
			}
			r := m.ParseSpan(text)
			if r.Value.Kind == temporal.Time {
				back := m.ParseSpan(temporal.AppendTime(nil, r.Value.Packed, 6))
				if back.Value != r.Value {
					t.Fatalf("%q: %v read back as %v", text, r, back)
				}
			}
			for _, k := range []temporal.Kind{temporal.Date, temporal.DateTime, temporal.Time} {
				_, _ = m.ParseLiteral(text, k)
				r := m.Parse(text, temporal.ContextOf(k))
				v, _ := m.Store(r, k, 3, today)
				checkValue(t, m, temporal.Value{Packed: v, Kind: k})
			}
		}
		for u := temporal.Year; u <= temporal.SecondMicrosecond; u++ {
			if i, ok := temporal.TextInterval(u, text); ok {
				for _, v := range []temporal.Value{{Packed: today, Kind: temporal.Date}, {Packed: temporal.TimeMax, Kind: temporal.Time}} {
					if out, ok := v.Add(u, i, false); ok {
						checkValue(t, temporal.Mode{}, out)
					}
				}
			}
		}
		_, _ = temporal.ParseZone("+" + string(text))
	})
}

// checkValue: a value within the range of its type prints and is read again.
func checkValue(t *testing.T, m temporal.Mode, v temporal.Value) {
	t.Helper()
	if v.Kind == temporal.None || v.Kind == temporal.Time && (v.Packed > temporal.TimeMax || v.Packed < -temporal.TimeMax) {
		return
	}
	text := v.Append(nil, 6)
	back := temporal.Mode{InvalidDates: true}.Parse(text, temporal.ContextOf(v.Kind))
	if back.Value != v || back.Cond != 0 {
		t.Fatalf("%v prints as %s, which reads as %v", v, text, back)
	}
	p := v.Parts()
	if packParts(p, v.Kind) != v.Packed {
		t.Fatalf("%v unpacks to %+v", v, p)
	}
}

// FuzzStrToDate: no text and format panics, and a value is one of its kind.
func FuzzStrToDate(f *testing.F) {
	for _, p := range readings {
		f.Add([]byte(p[0]), []byte(p[1]))
	}
	f.Fuzz(func(t *testing.T, text, format []byte) {
		k, fsp := temporal.FormatKind(format)
		if fsp != 0 && fsp != 6 {
			t.Fatal(fsp)
		}
		for _, m := range fuzzModes() {
			v, _, wrong := m.StrToDate(text, format, k)
			if (v.Kind == temporal.None) != (wrong.Word != "") || v.Kind != temporal.None && v.Kind != k {
				t.Fatalf("%v %+v", v, wrong)
			}
			checkValue(t, m, v)
			_, _ = temporal.English.AppendFormat(nil, format, v, false, math.MaxInt)
		}
	})
}

// FuzzImages: no bytes panic, and those that are read are written again.
func FuzzImages(f *testing.F) {
	v, clock := packed(temporal.DateTime, "2020-02-29 10:11:12.5"), packed(temporal.Time, "-101:02:03.25")
	f.Add(temporal.AppendDateTimeImage(nil, v, 6), byte(6))
	f.Add(temporal.AppendDateTimeImage(nil, v, 0), byte(0))
	f.Add(temporal.AppendTimeImage(nil, clock, 2), byte(2))
	f.Add(temporal.AppendTimeImage(nil, clock, 4), byte(3))
	f.Add(temporal.AppendDateImage(nil, v), byte(0))
	f.Add(temporal.AppendStampImage(nil, 1700000000123456, 6), byte(6))
	f.Add(temporal.AppendOldDateTimeImage(nil, v), byte(0))
	f.Add(temporal.AppendOldTimeImage(nil, clock), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, fsp byte) {
		digits := int(fsp % 7)
		if v, err := temporal.DateTimeImage(b, digits); err == nil && v.Truncate(digits) == v {
			checkBytes(t, b, temporal.AppendDateTimeImage(nil, v, digits))
		}
		if v, err := temporal.TimeImage(b, digits); err == nil && v.Truncate(digits) == v {
			checkBytes(t, b, temporal.AppendTimeImage(nil, v, digits))
		}
		if v, err := temporal.DateImage(b); err == nil {
			checkBytes(t, b, temporal.AppendDateImage(nil, v))
		}
		_, _ = temporal.StampImage(b, digits)
		if v, err := temporal.OldDateTimeImage(b); err == nil {
			checkBytes(t, b, temporal.AppendOldDateTimeImage(nil, v))
		}
		if v, err := temporal.OldTimeImage(b); err == nil {
			checkBytes(t, b, temporal.AppendOldTimeImage(nil, v))
		}
		if s, err := temporal.OldStampImage(b); err == nil {
			checkBytes(t, b, temporal.AppendOldStampImage(nil, s))
		}
	})
}

func checkBytes(t *testing.T, want, got []byte) {
	t.Helper()
	if string(want) != string(got) {
		t.Fatalf("% x was written as % x", want, got)
	}
}

func packParts(p temporal.Parts, k temporal.Kind) temporal.Packed {
	if k == temporal.Time {
		return p.PackTime()
	}
	return p.PackDate()
}
