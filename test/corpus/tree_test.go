package corpus

import "testing"

// Binary and Leaf are a small tree as a grammar has them.
type Binary struct {
	Span
	Op   string
	X, Y any
}

type Leaf struct {
	Span
	Names []string
	next  *Leaf
}

func leaf(from, to int, names ...string) *Leaf { return &Leaf{Span: Span{from, to}, Names: names} }

// TestTrees compares trees.
func TestTrees(t *testing.T) {
	a := func() *Binary { return &Binary{Span{0, 5}, "+", leaf(0, 1, "a"), leaf(4, 5, "b")} }
	for name, c := range map[string]struct {
		change func(*Binary)
		want   string
	}{
		"same":         {func(*Binary) {}, ""},
		"places":       {func(b *Binary) { b.End, b.X.(*Leaf).Start = 7, 3 }, ""},
		"nil or empty": {func(b *Binary) { b.X.(*Leaf).Names = append(b.X.(*Leaf).Names[:0:0], "a") }, ""},
		"value":        {func(b *Binary) { b.Op = "-" }, "/Binary.Op: +, then -"},
		"deeper":       {func(b *Binary) { b.Y.(*Leaf).Names[0] = "c" }, "/Binary.Y/Leaf.Names: b, then c"},
		"length":       {func(b *Binary) { b.Y = leaf(4, 5) }, "/Binary.Y/Leaf.Names: 1, then 0"},
		"type":         {func(b *Binary) { b.Y = a() }, "/Binary.Y: *corpus.Leaf, then *corpus.Binary"},
		"nothing":      {func(b *Binary) { b.Y = nil }, "/Binary.Y: *corpus.Leaf, then nothing"},
		"unexported":   {func(b *Binary) { b.Y.(*Leaf).next = leaf(0, 0) }, "/Binary.Y/Leaf.next: nothing, then corpus.Leaf"},
	} {
		other := a()
		c.change(other)
		if got := difference(a(), other); got != c.want {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
	if got := difference(nil, a()); got != ": nothing, then *corpus.Binary" {
		t.Errorf("%q", got)
	}
}

// TestGrouped puts parentheses around operators.
func TestGrouped(t *testing.T) {
	for _, c := range []struct {
		text string
		tree any
		want string
	}{
		{"1+2*3", &Binary{Span{0, 5}, "+", leaf(0, 1), &Binary{Span{2, 5}, "*", leaf(2, 3), leaf(4, 5)}}, "(1+(2*3))"},
		{"1+2+3", &Binary{Span{0, 5}, "+", &Binary{Span{0, 3}, "+", leaf(0, 1), leaf(2, 3)}, leaf(4, 5)}, "((1+2)+3)"},
		{"(1+2)*3", &Binary{Span{0, 7}, "*", &Binary{Span{1, 4}, "+", leaf(1, 2), leaf(3, 4)}, leaf(6, 7)}, "(((1+2))*3)"},
		{"(1+2)*3", &Binary{Span{1, 7}, "*", leaf(1, 2), leaf(6, 7)}, ""}, // a place that cannot be
		{"1+')'", &Binary{Span{0, 5}, "+", leaf(0, 1), leaf(2, 5)}, "(1+')')"},
		{"1", leaf(0, 1), ""},
	} {
		got, ok := grouped(c.text, c.tree)
		if got = map[bool]string{true: got}[ok]; got != c.want {
			t.Errorf("%s became %q, wanted %q", c.text, got, c.want)
		}
	}
}
