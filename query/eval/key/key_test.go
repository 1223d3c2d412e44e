package key

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// kind is a type with a way to draw its values and what SQL says of two of them.
type kind struct {
	name    string
	t       types.Type
	draw    func(*rand.Rand) types.Value
	compare func(a, b types.Value) int
}

func one[T any](list []T, r *rand.Rand) T { return list[r.IntN(len(list))] }

func kinds() []kind {
	ints := []int64{0, 1, -1, 2, 255, 256, -256, 1 << 40, math.MaxInt64, math.MinInt64}
	drawInt := func(r *rand.Rand) types.Value { return types.Value{Int: one(ints, r) + r.Int64N(3) - 1} }
	signed := func(a, b types.Value) int { return cmp.Compare(a.Int, b.Int) }
	unsigned := func(a, b types.Value) int { return cmp.Compare(uint64(a.Int), uint64(b.Int)) }
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e300, -1e300, 5e-324, -5e-324, math.MaxFloat64, 3}
	list := []kind{
		{"bigint", types.BigintType(20, false), drawInt, signed},
		{"bigint unsigned", types.BigintType(20, true), drawInt, unsigned},
		{"bit", types.Type{Kind: types.Bit, Length: 64}, drawInt, unsigned},
		{"set", types.Type{Kind: types.Set, Length: 64}, drawInt, unsigned},
		{
			"double", types.DoubleType(), func(r *rand.Rand) types.Value { return types.Value{Float: one(floats, r)} },
			func(a, b types.Value) int { return cmp.Compare(a.Float+0, b.Float+0) },
		},
		{
			"datetime", types.TemporalType(types.Datetime, 6),
			func(r *rand.Rand) types.Value { return types.Value{Time: temporal.Packed(one(ints, r) >> 3)} },
			func(a, b types.Value) int { return cmp.Compare(a.Time, b.Time) },
		},
		{
			"inet6", types.Type{Kind: types.Inet6},
			func(r *rand.Rand) types.Value {
				return types.Value{Text: bytes.Repeat([]byte{byte(r.IntN(3)), byte(r.IntN(256))}, 8)}
			},
			func(a, b types.Value) int { return bytes.Compare(a.Text, b.Text) },
		},
	}
	for _, d := range []decimal.Type{{Precision: 10, Scale: 2}, {Precision: 65, Scale: 38}, {Precision: 3}, {Precision: 1, Scale: 1}, {Precision: 81, Scale: 40}} {
		list = append(list, decimals(d))
	}
	return list
}

// decimals draws many that are too long for the type, and many of another scale.
func decimals(d decimal.Type) kind {
	texts := []string{"0", "-0.0", "1", "-1", "1.00", "9.99", "10", "-10", "-9.990", "0.005", "0.0049", "-0.005", "-0.001", "123456", "-123456", "123457", "99999999.99",
		"99999999.995", "-99999999.995", "1e60", "-1e60", "1e78", "-1e78", "-1.1e78", "0.1", "0.10"}
	rounded := func(v types.Value) decimal.Dec {
		out, _ := v.Dec.Round(min(d.Scale, decimal.ScaleMax), decimal.HalfUp)
		return out
	}
	return kind{
		fmt.Sprintf("decimal(%d,%d)", d.Precision, d.Scale), types.DecimalType(d),
		func(r *rand.Rand) types.Value {
			v, _, _ := decimal.Parse([]byte(one(texts, r)))
			if r.IntN(4) == 0 {
				v, _ = decimal.Sub(decimal.FromInt64(0), v)
			}
			return types.Value{Dec: v}
		},
		func(a, b types.Value) int { return decimal.Cmp(rounded(a), rounded(b)) },
	}
}

// withNull draws a value that may be NULL, and knows where it belongs.
func (k kind) withNull(r *rand.Rand) types.Value {
	if r.IntN(8) == 0 {
		return types.Value{Null: true}
	}
	return k.draw(r)
}

func (k kind) compareNull(a, b types.Value) int {
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null:
		return -1
	case b.Null:
		return 1
	}
	return k.compare(a, b)
}

// sign holds that keys order as values do, and that the bytes of one value never begin another one's.
func holds(t *testing.T, k *Type, want int, a, b types.Value, what string) {
	t.Helper()
	x, y := k.Append([]byte("head"), a), k.Append([]byte("head"), b)
	if k.descending {
		want = -want
	}
	if bytes.Compare(x, y) != want {
		t.Fatalf("%s: %+v and %+v: keys %x and %x, expected %d", what, a, b, x, y, want)
	}
	if want != 0 && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) {
		t.Fatalf("%s: %+v and %+v: keys %x and %x, one begins the other", what, a, b, x, y)
	}
	require.Equal(t, "head", string(x[:4]))
}

func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, k := range kinds() {
		for _, descending := range []bool{false, true} {
			enc, err := OfType(k.t, descending)
			require.NoError(t, err)
			for range 3000 {
				a, b := k.withNull(r), k.withNull(r)
				holds(t, enc, k.compareNull(a, b), a, b, k.name)
			}
		}
	}
}

// Text of every collation that can compare orders as it compares, whatever bytes it has.
func TestText(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	runes := []rune("aAbäÄßsS  \x00\x01\t~é中😀Æchll")
	tested := 0
	for _, c := range charset.Collations() {
		o, err := c.Order()
		if err != nil {
			_, err = OfType(types.StringType(9, c, charset.Implicit, false), false)
			require.ErrorContains(t, err, c.Name())
			continue
		}
		tested++
		draw := func() types.Value {
			var s []byte
			for range r.IntN(6) {
				if r.IntN(30) == 0 {
					s = append(s, byte(r.IntN(256)))
				}
				s, _ = c.Set().Append(s, one(runes, r))
			}
			if at := c.Set().Valid(s); at >= 0 {
				s = s[:at]
			}
			return types.Value{Text: s}
		}
		for _, descending := range []bool{false, true} {
			k, err := OfType(types.StringType(9, c, charset.Implicit, false), descending)
			require.NoError(t, err)
			for range 60 {
				a, b := draw(), draw()
				if r.IntN(3) == 0 {
					b.Text = slices.Concat(a.Text, b.Text)
				}
				holds(t, k, o.Compare(a.Text, b.Text), a, b, c.Name())
			}
		}
	}
	require.Greater(t, tested, 300)
}

// A UUID of versions 1 to 5 is compared from its end. The order is that of MariaDB 10.11.19.
func TestUUID(t *testing.T) {
	sorted := []string{
		"00000000000000000000000000000000", "00000000000040000000000000000000", "00000000000060007000000000000001", "00000000000070008000000000000001",
		"00000000000070008001000000000000", "00000000000070018000000000000000", "00000000000080000000000000000000", "00000001000010008000000000000000",
		"00000000000110008000000000000000", "00000000000010018000000000000000", "00000000000010008001000000000000", "00000001000050009000000000000000",
		"00000000000170008000000000000000", "00000000000010008000000000000001", "00000000000050009000000000000001", "00000001000060007000000000000000",
		"00000001000070008000000000000000", "ffffffff00000000c000000000000000", "ffffffffffffffffffffffffffffffff",
	}
	k, err := OfType(types.Type{Kind: types.UUID}, false)
	require.NoError(t, err)
	for i := range sorted {
		for j := range sorted {
			var a, b types.Value
			_, err := fmt.Sscanf(sorted[i]+" "+sorted[j], "%x %x", &a.Text, &b.Text)
			require.NoError(t, err)
			holds(t, k, cmp.Compare(i, j), a, b, "uuid")
		}
	}
}

// Parts one after the other order as rows do.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	c, _ := charset.ByName("utf8mb4_nopad_bin")
	o, err := c.Order()
	require.NoError(t, err)
	text := kind{
		"text", types.StringType(9, c, charset.Implicit, false),
		func(r *rand.Rand) types.Value {
			return types.Value{Text: []byte(one([]string{"", "a", "a\x00", "a\x00\x01", "a ", "b"}, r))}
		},
		func(a, b types.Value) int { return o.Compare(a.Text, b.Text) },
	}
	all := append(kinds(), text, text, text)
	f := &eval.Frame{}
	for range 3000 {
		var a, b []byte
		want := 0
		for range 3 {
			k, descending := one(all, r), r.IntN(2) == 0
			x, y := k.withNull(r), k.withNull(r)
			if r.IntN(2) == 0 {
				y = x
			}
			for _, side := range []struct {
				key *[]byte
				v   types.Value
			}{{&a, x}, {&b, y}} {
				part, err := New(eval.NewValue(k.t, side.v), descending)
				require.NoError(t, err)
				*side.key = part.Append(*side.key, f)
			}
			if sign := k.compareNull(x, y); want == 0 {
				if want = sign; descending {
					want = -sign
				}
			}
		}
		require.Equal(t, want, bytes.Compare(a, b), "%x %x", a, b)
	}
}
