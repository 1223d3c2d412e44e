package decimal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// exact computes without a limit that numbers of 81 digits could meet.
var exact = apd.BaseContext.WithPrecision(400)

// oracle is d as the library has it.
func oracle(d Dec) *apd.Decimal {
	var x wide
	x.set(d)
	text := string(x.appendDigits(nil))
	at := x.intWords() * wordDigits
	text = text[:at] + "." + text[at:]
	if d.meta.neg() {
		text = "-" + text
	}
	o, _, err := apd.NewFromString(text)
	if err != nil {
		panic(err)
	}
	return o
}

// wrong tells what of d's invariants does not hold.
func wrong(d Dec) string {
	var x wide
	x.set(d)
	switch {
	case x.intWords()+x.fracWords() > wordsMax:
		return "too many words"
	case d.big == nil && !d.coef().less(pow10[smallDigits]):
		return "small coefficient too long"
	case d.big == nil && d.coef().digits() > d.meta.intg()+d.meta.scale():
		return "more digits than counted"
	case d.big != nil && d.hi|d.lo != 0:
		return "both forms"
	}
	if d.big == nil {
		return ""
	}
	if _, ok := x.coef(); ok {
		return "words though it is small"
	}
	for i, w := range x.w {
		if w >= wordBase {
			return "word too large"
		}
		if w != 0 && i >= len(x.words()) {
			return "digits behind the words"
		}
	}
	if x.intDigits() > x.intg {
		return "more digits than counted"
	}
	return ""
}

func requireValid(t testing.TB, d Dec, what string, operands ...Dec) {
	t.Helper()
	if w := wrong(d); w != "" {
		t.Fatalf("%s %v gives %v: %s (%#v)", what, operands, d, w, d)
	}
}

// drawn returns a number of any length and scale, often at an edge.
func drawn(r *rand.Rand, digits int) Dec {
	n := r.IntN(digits + 1)
	b := make([]byte, n)
	kind := r.IntN(4)
	for i := range b {
		switch kind {
		case 0:
			b[i] = '9'
		case 1:
			b[i] = "0001"[r.IntN(4)]
		case 2:
			b[i] = "059"[r.IntN(3)]
		default:
			b[i] = '0' + byte(r.IntN(10))
		}
	}
	if n == 0 {
		b = []byte{'0'}
	}
	point := r.IntN(len(b) + 1)
	text := string(b[:point]) + "." + string(b[point:])
	if r.IntN(2) == 0 {
		text = "-" + text
	}
	d, _, _ := Parse([]byte(text))
	return d
}

func drawnPair(r *rand.Rand) (Dec, Dec) {
	sizes := []int{3, 9, 12, 19, 28, 38, 65, 81}
	return drawn(r, sizes[r.IntN(len(sizes))]), drawn(r, sizes[r.IntN(len(sizes))])
}

// byWords are the operators on words alone.
var byWords = map[string]func(r, x, y *wide) Cond{
	"+": func(r, x, y *wide) Cond {
		if x.neg == y.neg {
			return r.add(x, y)
		}
		return r.sub(x, y)
	},
	"*": func(r, x, y *wide) Cond { return r.mul(x, y) },
	"/": func(r, x, y *wide) Cond { return r.div(x, y, quotientWords(x.frac, y.frac, 4)) },
	"%": func(r, x, y *wide) Cond { return r.mod(x, y) },
}

var operators = map[string]func(a, b Dec) (Dec, Cond){
	"+": Add, "*": Mul, "%": Mod,
	"/": func(a, b Dec) (Dec, Cond) { return Div(a, b, 4) },
}

// TestSmallIsWide: what is computed in 128 bits is what the words give, the count of digits included.
func TestSmallIsWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	small := map[string]int{}
	for range 200_000 {
		a, b := drawnPair(r)
		for name, f := range operators {
			got, cond := f(a, b)
			requireValid(t, got, name, a, b)
			if cond == DivZero || a.IsZero() && name != "+" && name != "*" {
				continue
			}
			var x, y, z wide
			x.set(a)
			y.set(b)
			wantCond := byWords[name](&z, &x, &y)
			if cond != wantCond {
				t.Fatalf("%v %s %v: %v, by words %v", a, name, b, cond, wantCond)
			}
			if cond == Overflow {
				continue
			}
			want := z.dec()
			if got.big == nil {
				small[name]++
			}
			if got.meta != want.meta || got.coef() != want.coef() || got.big != nil && *got.big != *want.big {
				t.Fatalf("%v %s %v: %v (%x), by words %v (%x)", a, name, b, got, got.meta, want, want.meta)
			}
		}
	}
	for name := range operators {
		if small[name] < 10_000 {
			t.Errorf("%s: only %d results were small", name, small[name])
		}
	}
}

// TestFast: the ordinary case does not need words.
func TestFast(t *testing.T) {
	a, _, _ := Parse([]byte("12345678901234567890.25"))
	b, _, _ := Parse([]byte("-999.5"))
	for name, f := range map[string]func(a, b Dec) (Dec, bool){
		"add": addSmall, "sub": subSmall, "mul": mulSmall, "mod": modSmall,
		"div": func(a, b Dec) (Dec, bool) { return divSmall(a, b, quotientWords(2, 1, 4)) },
		"round": func(a, b Dec) (Dec, bool) {
			_, up := a.roundSmall(0, HalfUp)
			r, more := b.roundSmall(5, Floor)
			return r, up && more
		},
	} {
		if _, ok := f(a, b); !ok {
			t.Errorf("%s takes words for %v and %v", name, a, b)
		}
	}
}

// TestExact: without a condition, results are those of exact arithmetic.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	count := 0
	for range 50_000 {
		a, b := drawnPair(r)
		x, y := oracle(a), oracle(b)
		for name, f := range operators {
			got, cond := f(a, b)
			if cond != 0 {
				continue
			}
			count++
			var want apd.Decimal
			var err error
			switch name {
			case "+":
				_, err = exact.Add(&want, x, y)
			case "*":
				_, err = exact.Mul(&want, x, y)
			case "/":
				_, err = exact.Quo(&want, x, y)
				cut(t, &want, max(got.Scale(), 0))
				if a.IsZero() {
					want = apd.Decimal{}
				}
			case "%":
				_, err = exact.Rem(&want, x, y)
			}
			if err != nil {
				t.Fatal(err)
			}
			if oracle(got).Cmp(&want) != 0 {
				t.Fatalf("%v %s %v: %v, exactly %v", a, name, b, got, &want)
			}
		}
		if got, want := Cmp(a, b), x.Cmp(y); got != want && (!a.IsZero() || !b.IsZero()) {
			t.Fatalf("%v compared with %v: %d, exactly %d", a, b, got, want)
		}
	}
	if count < 100_000 {
		t.Errorf("only %d results without a condition", count)
	}
}

// cut leaves scale digits after the point.
func cut(t testing.TB, d *apd.Decimal, scale int) {
	t.Helper()
	c := *exact
	c.Rounding = apd.RoundDown
	if _, err := c.Quantize(d, d, int32(-scale)); err != nil {
		t.Fatal(err)
	}
}

// oracleDigits returns how many digits stand before the point, negative if zeros follow it.
func oracleDigits(d Dec) int {
	o := oracle(d)
	return int(o.NumDigits()) + int(o.Exponent)
}

var rounders = map[Mode]apd.Rounder{HalfUp: apd.RoundHalfUp, Truncate: apd.RoundDown, Ceiling: apd.RoundCeiling, Floor: apd.RoundFloor}

func TestRound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	count := 0
	for range 100_000 {
		a, _ := drawnPair(r)
		places := r.IntN(100) - 50
		mode := Mode(r.IntN(4))
		got, cond := a.Round(places, mode)
		requireValid(t, got, fmt.Sprint("Round ", places, mode), a)
		if cond != 0 {
			continue
		}
		count++
		c := *exact
		c.Rounding = rounders[mode]
		var want apd.Decimal
		if mode.up(a.meta.neg(), 0, !a.IsZero()) && oracleDigits(a)+places <= 0 {
			// The library rounds these to zero.
			want = *apd.New(int64(Cmp(a, zero)), int32(-places))
		} else if _, err := c.Quantize(&want, oracle(a), int32(-places)); err != nil {
			t.Fatal(err)
		}
		if oracle(got).Cmp(&want) != 0 || got.IsZero() && got.meta.neg() {
			t.Fatalf("%v to %d places by mode %d: %v, exactly %v", a, places, mode, got, &want)
		}
		if got.Scale() != max(places, 0) && !got.IsZero() {
			t.Fatalf("%v to %d places: %v", a, places, got)
		}
		var x wide
		x.set(a)
		if cond := x.round(places, mode); cond != 0 || Cmp(x.dec(), got) != 0 {
			t.Fatalf("%v to %d places by mode %d: %v, by words %v, %v", a, places, mode, got, x.dec(), cond)
		}
	}
	if count < 50_000 {
		t.Errorf("only %d without a condition", count)
	}
}

// TestText: what is printed is read as the same number.
func TestText(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 100_000 {
		a, _ := drawnPair(r)
		text := a.String()
		if a.Scale() > digitsMax-wordDigits && a.IntDigits() == 0 {
			continue // the zero before the point takes the place of a word
		}
		b, used, cond := Parse([]byte(text))
		if used != len(text) || cond != 0 || Cmp(a, b) != 0 || a.Scale() != b.Scale() || b.String() != text {
			t.Fatalf("%#v prints %s, which reads %v, %d bytes, %v", a, text, b, used, cond)
		}
		o, _, err := apd.NewFromString(text)
		if err != nil || o.Text('f') != text || len(text) > TextMax {
			t.Fatalf("%s: the library says %s, %v", text, o.Text('f'), err)
		}
	}
}

func TestParseExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	count := 0
	for range 100_000 {
		a, _ := drawnPair(r)
		text := fmt.Sprintf("%se%d", a, r.IntN(80)-40)
		d, used, cond := Parse([]byte(text))
		requireValid(t, d, text)
		if used != len(text) {
			t.Fatalf("%s: %d bytes used", text, used)
		}
		o, _, err := apd.NewFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		switch cond {
		case 0:
			count++
			if oracle(d).Cmp(o) != 0 {
				t.Fatalf("%s: %v", text, d)
			}
		case Truncated:
			// The digits before the exponent are cut at whole words, then what does not fit is rounded.
			var diff apd.Decimal
			if _, err := exact.Sub(&diff, o, oracle(d)); err != nil || diff.Abs(&diff).Cmp(apd.New(1, int32(-d.Scale()))) > 0 {
				t.Fatalf("%s: %v, exactly %v (%v)", text, d, o, err)
			}
		case Overflow:
			if o.NumDigits()+int64(o.Exponent) <= digitsMax {
				t.Fatalf("%s: out of range", text)
			}
		default:
			t.Fatalf("%s: condition %v", text, cond)
		}
	}
	if count < 50_000 {
		t.Errorf("only %d were read without a condition", count)
	}
}

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		text     string
		mode     Mode
		signed   int64
		cond     Cond
		unsigned uint64
		ucond    Cond
	}{
		{"0", HalfUp, 0, 0, 0, 0},
		{"2.5", HalfUp, 3, 0, 3, 0},
		{"-2.5", HalfUp, -3, 0, 0, Overflow},
		{"-0.4", HalfUp, 0, 0, 0, 0},
		{"2.9", Truncate, 2, 0, 2, 0},
		{"2.1", Ceiling, 3, 0, 3, 0},
		{"-2.1", Floor, -3, 0, 0, Overflow},
		{"9223372036854775807.4", HalfUp, 1<<63 - 1, 0, 1<<63 - 1, 0},
		{"9223372036854775807.5", HalfUp, 1<<63 - 1, Overflow, 1 << 63, 0},
		{"-9223372036854775808.4", HalfUp, -1 << 63, 0, 0, Overflow},
		{"-9223372036854775808.5", HalfUp, -1 << 63, Overflow, 0, Overflow},
		{"18446744073709551615", HalfUp, 1<<63 - 1, Overflow, 1<<64 - 1, 0},
		{"18446744073709551615.5", HalfUp, 1<<63 - 1, Overflow, 1<<64 - 1, Overflow},
		{"-" + strings.Repeat("9", 81), HalfUp, -1 << 63, Overflow, 0, Overflow},
		{strings.Repeat("9", 80) + ".5", HalfUp, 1<<63 - 1, Overflow, 1<<64 - 1, Overflow},
	} {
		d, _, _ := Parse([]byte(c.text))
		n, cond := d.Int64(c.mode)
		u, ucond := d.Uint64(c.mode)
		if n != c.signed || cond != c.cond || u != c.unsigned || ucond != c.ucond {
			t.Errorf("%s: %d %v, %d %v", c.text, n, cond, u, ucond)
		}
	}
	for _, n := range []int64{0, 1, -1, 999999999, 1000000000, 1<<63 - 1, -1 << 63, -1e18} {
		if d := FromInt64(n); d.String() != fmt.Sprint(n) || wrong(d) != "" {
			t.Errorf("%d: %v %s", n, d, wrong(d))
		}
	}
	for _, n := range []uint64{0, 999999999999999999, 1000000000000000000, 1<<64 - 1} {
		if d := FromUint64(n); d.String() != fmt.Sprint(n) || wrong(d) != "" {
			t.Errorf("%d: %v %s", n, d, wrong(d))
		}
	}
}
