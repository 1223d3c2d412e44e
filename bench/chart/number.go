package chart

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Count writes a number for people: 12,345, 1.23, 0.0456.
func Count(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case a >= 100 || v == math.Trunc(v):
		return grouped(int64(math.Round(v)))
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	default:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
}

func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Short writes a round number for the marks of an axis: 500, 20k, 1M.
func Short(v float64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if math.Abs(v) >= u.unit {
			if u.name == "k" {
				u.unit = 1e3
			}
			return strconv.FormatFloat(v/u.unit, 'g', 4, 64) + u.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Bytes writes a size in bytes: 512 B, 4 KiB, 1.5 MiB.
func Bytes(n float64) string {
	unit := 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for n >= 1024 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	if n == math.Trunc(n) {
		return fmt.Sprintf("%.0f %s", n, units[unit])
	}
	return fmt.Sprintf("%.3g %s", n, units[unit])
}

// Duration writes a latency with three digits: 87.2µs, 1.24ms, 3.1s.
func Duration(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.unit {
			v := float64(d) / float64(u.unit)
			digits := 2
			if v >= 100 {
				digits = 0
			} else if v >= 10 {
				digits = 1
			}
			return strconv.FormatFloat(v, 'f', digits, 64) + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + "ns"
}
