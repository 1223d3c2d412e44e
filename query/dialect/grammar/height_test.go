package grammar_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// stackMax is what reading a statement, printing, walking through and rewriting its tree may take of the stack, in bytes. A goroutine that needs
// more ends the test. Stacks grow by doubling.
const stackMax = 8 << 20

// heightMax is how high a tree can be, in nodes: four for each of the 3000 levels that package grammar counts, which is what a function with a window
// has that is in the window of another one.
const heightMax = 4 * 3000

var repeats = flag.Int("repeats", 1, "repeat so many parts of each statement, in tests of the height of trees")

// heightOf is the height of a tree, in nodes.
func heightOf(n tree.Node) int {
	height := 0
	tree.Walk(n, func(c tree.Node) bool {
		if c != n {
			height = max(height, heightOf(c))
		}
		return c == n
	})
	return height + 1
}

// towers are statements that are as long as one likes, as f(n). MariaDB reads at least so many operators, of those that it does not keep in a list, with
// the thread_stack that is its default; -1 stands for any number.
var towers = []struct {
	name    string
	f       func(n int) string
	atLeast int
}{
	{"or", func(n int) string { return "select 1 from t where a=1" + strings.Repeat(" or a=1", n) }, -1},
	{"and", func(n int) string { return "select 1 from t where a=1" + strings.Repeat(" && a=1", n) }, -1},
	{"union", func(n int) string { return "select 1" + strings.Repeat(" union all select 1", n) }, -1},
	{"except", func(n int) string { return "(select 1)" + strings.Repeat(" except (select 1)", n) }, -1},
	{"intersect", func(n int) string { return "select 1" + strings.Repeat(" intersect select 1", n) }, -1},
	{"plus", func(n int) string { return "select a" + strings.Repeat("+a", n) }, 592},
	{"times", func(n int) string { return "select a" + strings.Repeat("*a", n) }, 592},
	{"xor", func(n int) string { return "select a" + strings.Repeat(" xor a", n) }, 592},
	{"equal", func(n int) string { return "select a" + strings.Repeat("=a", n) }, 592},
	{"is null", func(n int) string { return "select a" + strings.Repeat(" is null", n) }, 592},
	{"in", func(n int) string { return "select a" + strings.Repeat(" in (1)", n) }, 592},
	{"not like", func(n int) string { return "select a" + strings.Repeat(" not like a", n) }, 496},
	{"collate", func(n int) string { return "select a" + strings.Repeat(" collate utf8mb4_bin", n) }, 544},
	{"interval", func(n int) string { return "select a" + strings.Repeat(" + interval 1 day", n) }, 592},
	{"function", func(n int) string { return "select " + strings.Repeat("abs(", n) + "1" + strings.Repeat(")", n) }, 592},
	{"parentheses", func(n int) string { return "select " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }, 1000},
	{"right", func(n int) string { return "select " + strings.Repeat("1+(", n) + "1" + strings.Repeat(")", n) }, 592},
	{"and or", func(n int) string {
		return "select " + strings.Repeat("((", n) + "a" + strings.Repeat(" and a) or a)", n)
	}, 664},
	{"query", func(n int) string { return "select " + strings.Repeat("(select ", n) + "1" + strings.Repeat(")", n) }, 63},
	{"derived", func(n int) string {
		return strings.Repeat("select * from (", n) + "select 1" + strings.Repeat(") t", n)
	}, 63},
	{"join", func(n int) string { return "select 1 from t" + strings.Repeat(" join t", n) }, 61},
	{"join on", func(n int) string { return "select 1 from t" + strings.Repeat(" join t on 1", n) }, 61},
	{"join on, later", func(n int) string {
		return "select 1 from t" + strings.Repeat(" left join t", n) + strings.Repeat(" on 1", n)
	}, 61},
	{"joins in parentheses", func(n int) string { return "select 1 from (t join t)" + strings.Repeat(" join (t join t)", n) }, 61},
	{"natural", func(n int) string { return "select 1 from t" + strings.Repeat(" natural join t", n) }, 61},
	{"comma", func(n int) string { return "select 1 from (t" + strings.Repeat(", t", n) + ")" }, 61},
	{"if", func(n int) string {
		return "create procedure p() " + strings.Repeat("if 1 then ", n) + "do 1;" + strings.Repeat(" end if;", n)
	}, 100},
	{"window", func(n int) string {
		return "select " + strings.Repeat("sum(a) over (order by ", n) + "1" + strings.Repeat(")", n)
	}, 592},
	{"block", func(n int) string {
		return "create procedure p() " + strings.Repeat("begin ", n) + strings.Repeat(" end;", n)
	}, 100},
}

// TestHeight: no tree is higher than the stack of who walks through it is deep, and what a real server takes is taken. Conditions and set
// operations may be as long as the text may.
func TestHeight(t *testing.T) {
	for _, tower := range towers {
		t.Run(tower.name, func(t *testing.T) {
			accepted := 0
			for _, n := range []int{tower.atLeast, 750, 1499, 2990, 2999, 3000, 50_000} {
				if n < 0 {
					continue
				}
				s, err := within(stackMax, tower.f(n))
				if err != nil {
					require.True(t, tower.atLeast >= 0 && n > tower.atLeast, "%d: %v", n, err)
					require.ErrorContains(t, err, "hread stack overrun")
					continue
				}
				accepted = max(accepted, n)
				require.LessOrEqual(t, heightOf(s), heightMax, "%d", n)
			}
			require.Equal(t, tower.atLeast < 0, accepted == 50_000)
		})
	}
}

// within reads a text, and does with its tree what is done with trees, with a stack of so many bytes.
func within(stack int, text string) (tree.Statement, error) {
	defer debug.SetMaxStack(debug.SetMaxStack(stack))
	s, _, err := grammar.Parse(text, grammar.Options{})
	if err == nil {
		_ = tree.String(s)
		tree.Walk(s, func(tree.Node) bool { return true })
		_ = tree.Rewrite(s, func(n tree.Node) tree.Node { return n })
	}
	return s, err
}

// repeatedOf is how many statements there are for each of which parts are repeated.
const repeatedOf = 7

// TestHeightOfRepeated repeats parts of statements, and with them parts behind those, as an END IF behind an IF.
func TestHeightOfRepeated(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(2 * stackMax)) // heightOf takes more
	counts := [...]int{590, 1480, 2980, 4 * heightMax}
	r := rand.New(rand.NewPCG(55, 66))
	seen, tried, taken, highest, of := 0, 0, 0, 0, ""
	try := func(text string, o grammar.Options, ends ...int32) {
		slices.Sort(ends)
		var b strings.Builder
		repeated := counts[r.IntN(len(counts))]
		for i, at := int32(0), 0; at <= len(ends); at++ {
			end := int32(len(text))
			if at < len(ends) {
				end = ends[at]
			}
			n := 1
			if at%2 == 1 {
				n = repeated
			}
			b.WriteString(strings.Repeat(text[i:end], n))
			i = end
		}
		tried++
		s, _, err := grammar.Parse(b.String(), o)
		if err != nil {
			return
		}
		taken++
		if h := heightOf(s); h > highest {
			highest, of = h, fmt.Sprint(ends, " ", text)
		}
	}
	accepted(t, func(text string, o grammar.Options, _ tree.Statement) {
		at := tokensOf(text)
		if seen++; seen%repeatedOf != 0 || len(at) > 60 || len(text) > 400 {
			return
		}
		end := func() int32 { return at[r.IntN(len(at))][0] }
		for range *repeats {
			i := r.IntN(len(at))
			try(text, o, at[i][0], at[min(len(at)-1, i+1+r.IntN(4))][0])
			try(text, o, end(), end(), end(), end())
		}
	})
	t.Logf("%d tried, %d accepted; the highest has %d: %s", tried, taken, highest, of)
	require.Greater(t, highest, heightMax/6)
	require.LessOrEqual(t, highest, heightMax, "%s", of)
}
