package fulltext

import "github.com/duramendb/duramen/query/mysqlerr"

// deepest is how many parentheses InnoDB does one in another; listsMost bounds lists that are not in parentheses of their own.
const (
	deepest   = 32
	listsMost = 10000
)

// phraseMost is how many words a phrase may have.
const phraseMost = 128

// tableHandlerOutOfMemory is what InnoDB says of parentheses that are too deep.
const tableHandlerOutOfMemory = 128

// tooManyInPhrase is the error of the handler about phraseMost.
const tooManyInPhrase = 1030

// step is something that is done with the set of rows that were found so far.
type step struct {
	oper oper
	node *node
	// words are those of a term or phrase, by their places in Search.words.
	words []int
	// phrase are the symbols of all words of a phrase from the first one that counts; see Search.symbols.
	phrase []int
	sub    []*step // of parentheses
	// met says that some row was found before the step.
	met bool
}

// compiler makes steps of a query, in the order in which InnoDB goes through it.
type compiler struct {
	s           *Search
	steps       []*step
	subs, lists int
}

// pass is what a visit of a list does: everything but exist and ignore, or one of these.
type pass uint8

const (
	passFirst pass = iota
	passExist
	passIgnore
)

// visit goes through a list, first for what is neither + nor -, then, unless they are left to whom it belongs to, for these. ignored is set if
// some were left.
func (c *compiler) visit(o oper, n *node, ignored *bool) error {
	if c.lists++; c.lists > listsMost {
		return outOfMemory()
	}
	defer func() { c.lists-- }()
	now := passFirst
	switch o {
	case existLater:
		now = passExist
	case ignoreLater:
		now = passIgnore
	}
	left, again := false, false
	for _, kid := range n.kids {
		switch {
		case kid.kind == aList && now != passFirst:
		case kid.kind == aList:
			if err := c.visit(o, kid, &left); err != nil {
				return err
			}
			if left {
				again, kid.oper = true, o
			}
		case kid.kind == anOper:
			switch o = kid.oper; o {
			case exist:
				kid.oper = existLater
			case ignore:
				kid.oper = ignoreLater
			}
		case kid.done:
		case o == exist || o == ignore:
			*ignored = true
		default:
			if err := c.leaf(o, now, kid); err != nil {
				return err
			}
		}
	}
	if !again {
		return nil
	}
	for _, kid := range n.kids {
		if kid.kind == aList && kid.oper != ignore {
			if err := c.visit(existLater, kid, &left); err != nil {
				return err
			}
		}
	}
	for _, kid := range n.kids {
		if kid.kind == aList {
			if err := c.visit(ignoreLater, kid, &left); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaf does a part of a query that is no list, if its pass has come.
func (c *compiler) leaf(o oper, now pass, n *node) error {
	switch {
	case o == existLater && now == passExist:
		o = exist
	case o == ignoreLater && now == passIgnore:
		o = ignore
	case now != passFirst:
		return nil
	}
	n.done = true
	st := &step{oper: o, node: n}
	switch n.kind {
	case aTerm:
		st.words = []int{c.s.add(word{n.text, n.chars}, n.wild)}
	case aPhrase:
		if err := c.phrase(st); err != nil {
			return err
		}
	case aSub:
		if c.subs++; c.subs > deepest {
			return outOfMemory()
		}
		outer, left := c.steps, false
		c.steps = nil
		if err := c.visit(none, n, &left); err != nil {
			return err
		}
		st.sub, c.steps = c.steps, outer
		c.subs--
	}
	c.steps = append(c.steps, st)
	return nil
}

// phrase cuts a phrase into its words. Those in front that no index has do not count.
func (c *compiler) phrase(st *step) error {
	for at := 0; at < len(st.node.text); {
		var x word
		if x, at = c.s.w.next(st.node.text, at); x.chars == 0 {
			continue
		}
		if c.s.w.indexed(x, c.s.w.keyOf(x.text)) {
			st.words = append(st.words, c.s.add(x, false))
		}
		if len(st.words) > 0 {
			st.phrase = append(st.phrase, c.s.symbol(x.text))
		}
	}
	if len(st.words) > phraseMost {
		return mysqlerr.Newf(tooManyInPhrase, "Got error 195 %q from storage engine InnoDB", "Too many words in a FTS phrase or proximity search")
	}
	return nil
}

func outOfMemory() error {
	return mysqlerr.Newf(tableHandlerOutOfMemory, "Table handler out of memory")
}
