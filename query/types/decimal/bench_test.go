package decimal

import (
	"math/rand/v2"
	"testing"
)

const benchRows = 1024

// Each benchmark's operation is one row, of DECIMAL(12,2) and DECIMAL(12,2) from packed bytes, as in the table of the design.
func benchColumns(tb testing.TB) (p Packed, a, b [][]byte) {
	p, err := NewPacked(12, 2)
	if err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewPCG(21, 22))
	column := func(max int64) (images [][]byte) {
		for range benchRows {
			image, _ := p.Append(nil, scaledInt64(r.Int64N(max), 2))
			images = append(images, image)
		}
		return images
	}
	return p, column(1e10), column(100)
}

var sink Dec

func BenchmarkSum(b *testing.B) {
	p, col, _ := benchColumns(b)
	b.ReportAllocs()
	var s Sum
	for i := range b.N {
		d, err := p.Decode(col[i%benchRows])
		if err != nil {
			b.Fatal(err)
		}
		s.Add(d)
	}
	sink, _ = s.Value()
}

func BenchmarkSumOfProducts(b *testing.B) {
	p, price, discount := benchColumns(b)
	one := FromInt64(1)
	b.ReportAllocs()
	var s Sum
	for i := range b.N {
		x, err := p.Decode(price[i%benchRows])
		if err != nil {
			b.Fatal(err)
		}
		y, err := p.Decode(discount[i%benchRows])
		if err != nil {
			b.Fatal(err)
		}
		rest, cond := Sub(one, y)
		product, more := Mul(x, rest)
		if cond|more != 0 {
			b.Fatal(cond, more)
		}
		s.Add(product)
	}
	sink, _ = s.Value()
}

func BenchmarkSumOfProductsInt64(b *testing.B) {
	p, price, discount := benchColumns(b)
	x, y := make([]int64, benchRows), make([]int64, benchRows)
	b.ReportAllocs()
	var s Sum
	for n := b.N; n > 0; n -= benchRows {
		ok := true
		for i := range benchRows {
			var okX, okY bool
			x[i], okX = p.DecodeInt64(price[i])
			y[i], okY = p.DecodeInt64(discount[i])
			ok = ok && okX && okY
		}
		if !ok || !SubFromInt64(y, 100, y) || !MulInt64s(x, x, y) {
			b.Fatal("overflow")
		}
		s.AddInt64s(x, 4)
	}
	sink, _ = s.Value()
}

func BenchmarkOperators(b *testing.B) {
	for _, size := range []struct {
		name string
		x, y string
	}{{"small", "1234567.89", "34.56"}, {"words", "123456789012345678901234567890123456789.5", "98765432109876543210.25"}} {
		x, _, _ := Parse([]byte(size.x))
		y, _, _ := Parse([]byte(size.y))
		for name, op := range operators {
			b.Run(name+"/"+size.name, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					sink, _ = op(x, y)
				}
			})
		}
		b.Run("round/"+size.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				sink, _ = x.Round(1, HalfUp)
			}
		})
		b.Run("compare/"+size.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if Cmp(x, y) < 0 {
					b.Fatal("order")
				}
			}
		})
		text, buf := []byte(size.x), make([]byte, 0, TextMax)
		b.Run("parse/"+size.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				sink, _, _ = Parse(text)
			}
		})
		b.Run("append/"+size.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				buf = x.Append(buf[:0])
			}
		})
	}
}

// TestAllocations: up to 38 digits nothing is allocated.
func TestAllocations(t *testing.T) {
	p, col, _ := benchColumns(t)
	x, _, _ := Parse([]byte("12345678901234567.89"))
	y, _, _ := Parse([]byte("-34.5"))
	buf := make([]byte, 0, TextMax)
	text := []byte("-12345678901234567890.5")
	if n := testing.AllocsPerRun(100, func() {
		var s Sum
		d, _ := p.Decode(col[0])
		for _, op := range operators {
			r, _ := op(x, y)
			s.Add(r)
			r, _ = op(d, y)
			s.Add(r)
		}
		r, _ := x.Round(1, HalfUp)
		q, _, _ := Parse(text)
		r, _ = Sub(r, q)
		r, _ = r.Assign(30, 5, false)
		buf = r.Append(buf[:0])
		buf, _ = p.Append(buf[:0], d)
		sink, _ = s.Value()
		if Cmp(r, d) == 0 || d.Float64() == 0 {
			t.Error("equal")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
