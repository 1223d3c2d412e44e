package number

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

var randoms = []eval.Def{{Name: "RAND", Max: 1, Bind: random}}

// generator is the random numbers of RAND(n).
type generator struct {
	seeded       bool
	first, other uint32
}

// generatorMax is one more than the largest state, and the divisor of what is drawn.
const generatorMax = 1<<30 - 1

func (g *generator) seed(n uint32) {
	g.first, g.other = (n*0x10001+55555555)%generatorMax, n*0x10000001%generatorMax
	g.seeded = true
}

// next is a number of at least 0, less than 1.
func (g *generator) next() float64 {
	g.first = uint32((uint64(g.first)*3 + uint64(g.other)) % generatorMax)
	g.other = uint32((uint64(g.first) + uint64(g.other) + 33) % generatorMax)
	return float64(g.first) / generatorMax
}

// Seeded are the numbers that MariaDB's RAND() makes of the two seeds of a session.
type Seeded struct{ g generator }

// NewSeeded begins with the seeds that a RAND event has.
func NewSeeded(first, other uint64) *Seeded {
	return &Seeded{generator{seeded: true, first: uint32(first % generatorMax), other: uint32(other % generatorMax)}}
}

// Float64 is the next number: at least 0, less than 1.
func (s *Seeded) Float64() float64 { return s.g.next() }

// random binds RAND() and RAND(n). A constant n is the seed of the statement's numbers; another one is a seed of each row.
func random(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t := types.DoubleType()
	if len(args) == 0 {
		return eval.New("rand", t, func(f *eval.Frame) (float64, bool) { return f.Random.Float64(), false }).With(eval.Volatile | eval.Moving), nil
	}
	x := b.ToInt(args[0])
	seed, once, slot := eval.Of[int64](x), x.Is(eval.Constant), b.Slot()
	return eval.New("rand", t.NullIf(args[0].Type), func(f *eval.Frame) (float64, bool) {
		g := eval.StateOf[generator](f, slot)
		if !g.seeded || !once {
			n, null := seed(f)
			if null {
				n = 0
			}
			g.seed(uint32(n))
		}
		return g.next(), false
	}, x).With(eval.Volatile | eval.Moving), nil
}
