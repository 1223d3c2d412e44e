package decimal

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// TestPackedAsRow: the bytes are those of package row, which are compared with a server's there.
func TestPackedAsRow(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 50_000 {
		precision := 1 + r.IntN(PrecisionMax)
		scale := r.IntN(min(precision, ScaleMax) + 1)
		p, err := NewPacked(precision, scale)
		if err != nil {
			t.Fatal(err)
		}
		given, _ := drawnPair(r)
		d, _ := given.Assign(precision, scale, false)
		got, cond := p.Append(nil, d)
		if cond != 0 || len(got) != p.Size() {
			t.Fatalf("DECIMAL(%d,%d) of %v: %x, condition %v", precision, scale, d, got, cond)
		}
		col := row.Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: mysql.DecimalMeta(precision, scale)}
		want, err := row.AppendValue(nil, &col, d.String())
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("DECIMAL(%d,%d) of %v: %x, not %x (%v)", precision, scale, d, got, want, err)
		}
		if direct, _ := p.Append(nil, given); !bytes.Equal(direct, got) {
			t.Fatalf("DECIMAL(%d,%d) of %v: %x, assigned before %x", precision, scale, given, direct, got)
		}
		back, err := p.Decode(append(got, 1, 2, 3))
		requireValid(t, back, "Decode", d)
		if err != nil || Cmp(back, d) != 0 || back.Scale() != scale {
			t.Fatalf("DECIMAL(%d,%d): %v comes back as %v, %v", precision, scale, d, back, err)
		}
		n, ok := p.DecodeInt64(got)
		if ok != (precision <= Int64Digits) {
			t.Fatalf("DECIMAL(%d,%d): %v as an int64: %v", precision, scale, d, ok)
		}
		if ok && Cmp(scaledInt64(n, scale), d) != 0 {
			t.Fatalf("DECIMAL(%d,%d): %v has coefficient %d", precision, scale, d, n)
		}
		if _, err := p.Decode(got[:len(got)-1]); !errors.Is(err, ErrPacked) {
			t.Fatalf("a byte too few: %v", err)
		}
	}
}

// TestPackedOrder: bytes compare as numbers do.
func TestPackedOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	p, err := NewPacked(24, 11)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for range 2000 {
		d, _ := drawnPair(r)
		b, _ := p.Append(nil, d)
		all = append(all, b)
	}
	slices.SortFunc(all, bytes.Compare)
	for i := range all[1:] {
		a, err := p.Decode(all[i])
		b, err2 := p.Decode(all[i+1])
		if err != nil || err2 != nil || Cmp(a, b) > 0 {
			t.Fatalf("%v is before %v (%v, %v)", a, b, err, err2)
		}
	}
}

func TestPackedTypes(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {-1, 0}, {66, 0}, {10, 11}, {65, 39}, {5, -1}} {
		if _, err := NewPacked(c[0], c[1]); !errors.Is(err, ErrType) {
			t.Errorf("DECIMAL(%d,%d): %v", c[0], c[1], err)
		}
	}
	var none Packed
	if _, err := none.Decode([]byte{0x80}); !errors.Is(err, ErrPacked) {
		t.Errorf("a format of nothing: %v", err)
	}
}

func TestPackedWrong(t *testing.T) {
	for _, c := range []struct {
		precision, scale int
		b                []byte
	}{
		{9, 0, []byte{0xff, 0xff, 0xff, 0xff}},
		{9, 0, []byte{0xbb, 0x9a, 0xca, 0x00}}, // 10^9
		{1, 0, []byte{0x8a}},
		{10, 1, []byte{0x80, 0, 0, 0, 10}},
		{30, 0, []byte{0x80 + 0x7f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{38, 38, bytes.Repeat([]byte{0xff}, 17)},
	} {
		p, err := NewPacked(c.precision, c.scale)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := p.Decode(c.b); !errors.Is(err, ErrPacked) {
			t.Errorf("DECIMAL(%d,%d) from %x: %v, %v", c.precision, c.scale, c.b, d, err)
		}
	}
}

func FuzzPacked(f *testing.F) {
	f.Add(byte(12), byte(2), []byte{0x80, 1, 2, 3, 4, 5})
	f.Add(byte(65), byte(38), bytes.Repeat([]byte{0x7f}, 30))
	f.Fuzz(func(t *testing.T, precision, scale byte, b []byte) {
		p, err := NewPacked(int(precision), int(scale))
		if err != nil {
			return
		}
		d, err := p.Decode(b)
		if err != nil {
			return
		}
		requireValid(t, d, "Decode")
		back, cond := p.Append(nil, d)
		if cond != 0 || !d.IsZero() && !bytes.Equal(back, b[:p.Size()]) {
			t.Fatalf("%x is %v, which is %x, %v", b, d, back, cond)
		}
	})
}
