package native

import "testing"

// Of a shape whose programs are never of use, few are made; as soon as one is, all are made again.
func TestWorth(t *testing.T) {
	var e entry
	made := func(runs int) (n int) {
		for range runs {
			if e.worth() {
				n++
			}
		}
		return n
	}
	for _, test := range []struct {
		hit        bool
		runs, want int
	}{{false, 16, 16}, {false, 16, 1}, {false, 160, 10}, {true, 16, 16}, {false, 15, 0}, {true, 1, 1}} {
		if test.hit {
			e.hit()
		}
		if got := made(test.runs); got != test.want {
			t.Errorf("%d of %d runs make a program, not %d", got, test.runs, test.want)
		}
	}
}
