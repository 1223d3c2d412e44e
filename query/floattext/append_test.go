package floattext

import (
	"math"
	"testing"
)

// What MariaDB 10.11 prints for the same numbers.
func TestAppend(t *testing.T) {
	for _, c := range []struct {
		v      float64
		single bool
		want   string
	}{
		{0, false, "0"}, {1, false, "1"}, {-2.25, false, "-2.25"}, {0.1, false, "0.1"},
		{1031766, false, "1031766"}, {10000000002.5, false, "10000000002.5"},
		{1e14, false, "100000000000000"}, {1e15, false, "1e15"}, {123456789012345678, false, "1.2345678901234568e17"},
		{1e-15, false, "0.000000000000001"}, {1e-16, false, "1e-16"}, {-1.5e-20, false, "-1.5e-20"}, {1e100, false, "1e100"},
		{float64(float32(0.1)), true, "0.1"}, {16777216, true, "16777200"}, {float64(float32(3.4e38)), true, "3.4e38"}, {1.5, true, "1.5"},
		{math.Copysign(0, -1), false, "-0"}, {0.5, false, "0.5"}, {123.456, false, "123.456"}, {999999999999999, false, "999999999999999"}, {9.999999e14, true, "1e15"},
		{1e14, true, "100000000000000"}, {1.25e-15, false, "0.00000000000000125"}, {math.MaxFloat64, false, "1.7976931348623157e308"}, {5e-324, false, "5e-324"},
		{3002399751580330.5, false, "3002399751580330.5"}, {-1000000000000000.1, false, "-1000000000000000.1"}, {3002399751580330, false, "3.00239975158033e15"},
		{30023997515803304, false, "3.0023997515803304e16"},
	} {
		if got := string(Append(nil, c.v, c.single)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.v, got, c.want)
		}
	}
}
