package grammar

import "github.com/duramendb/duramen/query/mysqlerr"

// depthMax is how deeply a statement may nest, in calls of deeper and taller from its root to a leaf. Whatever a MariaDB server takes with
// the thread_stack that is its default fits: that ends at about 600 operators or functions in each other, and at 1,330 of AND and OR in turn
// with parentheses, which count twice here.
//
// So a tree has at most 12,000 nodes in each other, four per level, and the stack of a goroutine that reads such a statement, prints its tree or
// walks through it grows to 8 MiB. Conditions with AND or OR and set operations can be as long as the text: they are lists.
const depthMax = 3000

// height bounds the height of a tree while it is made from the top down (operands in parentheses) as well as from the bottom up (a + b + c,
// where all that was read becomes the left operand of what follows).
type height struct {
	// depth is how many calls of deeper are not over.
	depth int
	// reach is the greatest depth of what was read since the innermost operand began that taller can still push down.
	reach int
}

// deeper is called where the language nests, and shallower when that is over.
func (p *parser) deeper() {
	p.depth++
	if p.depth > p.reach {
		p.reach = p.depth
	}
	if p.depth > depthMax {
		p.tooDeep()
	}
}

func (p *parser) shallower() { p.depth-- }

// operand begins what taller may push down. It returns what ends it: the argument of operandEnd.
func (p *parser) operand() (outer int) {
	outer, p.reach = p.reach, p.depth
	return outer
}

func (p *parser) operandEnd(outer int) { p.reach = max(outer, p.reach) }

// taller is called where all of the operand that was read so far becomes a part of a node above it.
func (p *parser) taller() {
	if p.reach++; p.reach > depthMax {
		p.tooDeep()
	}
}

func (p *parser) tooDeep() { p.failWith(mysqlerr.New(mysqlerr.StackOverrunNeedMore, depthMax)) }
