package fulltext

import (
	"strconv"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// nestingMost is how many parentheses may be open, which bounds what a query makes of its text.
const nestingMost = 5000

// kind is what a node of a query is.
type kind uint8

const (
	aList   kind = iota
	aSub         // a list in parentheses
	aTerm        // one word
	aPhrase      // words in quotes
	anOper
)

// oper is what a part of a query is for.
type oper uint8

const (
	none     oper = iota // +1 if it is there
	ignore               // -
	exist                // +
	negate               // ~
	increase             // >
	decrease             // <
	// existLater and ignoreLater are exist and ignore once they have been met: they are done after everything else in their list.
	existLater
	ignoreLater
)

var prefixes = map[byte]oper{'-': ignore, '+': exist, '~': negate, '>': increase, '<': decrease}

// node is a part of a query.
type node struct {
	kind kind
	oper oper
	text []byte // of a term or phrase
	// chars is how many characters a term has, wild says that it is the beginning of words.
	chars int
	wild  bool
	// distance is in how many words those of a phrase must be; -1 for one after the other.
	distance int
	kids     []*node
	done     bool
}

func (n *node) add(kid *node) {
	if kid != nil {
		n.kids = append(n.kids, kid)
	}
}

// added is a list with one more node, which may be nil.
func added(list, kid *node) *node {
	if list == nil {
		list = &node{kind: aList}
	}
	list.add(kid)
	return list
}

// open is a list that is being read.
type open struct {
	list   *node
	prefix *node // in front of its parenthesis
}

type parser struct {
	words *words
	lex   lexer
	t     token
	lists []open
}

func (p *parser) step() { p.t = p.lex.next() }

// parse reads a query, which is nil where there is nothing in it. Errors are those of InnoDB's grammar.
func (p *parser) parse() (*node, error) {
	p.lists = []open{{}}
	for p.step(); ; {
		top := &p.lists[len(p.lists)-1]
		switch c := p.t.kind; {
		case c == end && len(p.lists) == 1:
			return top.list, nil
		case c == ')' && len(p.lists) > 1:
			p.step()
			p.close()
		case c == '(':
			if err := p.nested(nil); err != nil {
				return nil, err
			}
		case prefixes[c] != none:
			prefix := &node{kind: anOper, oper: prefixes[c]}
			if p.step(); p.t.kind == '(' {
				if err := p.nested(prefix); err != nil {
					return nil, err
				}
				continue
			}
			x, err := p.operand()
			if err != nil {
				return nil, err
			}
			top.list = added(top.list, added(added(nil, prefix), x))
		case c == term || c == number || c == '*' || c == quoted:
			x, err := p.operand()
			if err != nil {
				return nil, err
			}
			top.list = added(top.list, x)
		case len(p.lists) == 1:
			return nil, p.unexpected("$end")
		default:
			return nil, p.unexpected("")
		}
	}
}

// nested begins a list in parentheses.
func (p *parser) nested(prefix *node) error {
	if len(p.lists) > nestingMost {
		return mysqlerr.Newf(mysqlerr.Parse, "%s", "memory exhausted")
	}
	p.step()
	p.lists = append(p.lists, open{prefix: prefix})
	return nil
}

// close ends a list in parentheses. What was before it becomes a list of its own.
func (p *parser) close() {
	done := p.lists[len(p.lists)-1]
	p.lists = p.lists[:len(p.lists)-1]
	var sub *node
	if done.list != nil {
		sub = &node{kind: aSub, kids: []*node{done.list}}
	}
	if done.prefix != nil {
		sub = added(added(nil, done.prefix), sub)
	}
	top := &p.lists[len(p.lists)-1]
	top.list = added(added(nil, top.list), sub)
}

// operand reads a term or a phrase; nil for one without words.
func (p *parser) operand() (*node, error) {
	switch p.t.kind {
	case quoted:
		return p.phrase()
	case term, number, '*':
	default:
		return nil, p.unexpected("")
	}
	for p.t.kind == '*' { // in front of a term it is nothing
		if p.step(); p.t.kind != term && p.t.kind != number && p.t.kind != '*' {
			return nil, p.unexpected("FTS_TERM or FTS_NUMB or '*'")
		}
	}
	x := p.term(p.t.text)
	if p.step(); p.t.kind == '*' {
		p.step()
		if x != nil && x.kind == aList {
			x.kids[len(x.kids)-1].wild = true
		} else if x != nil {
			x.wild = true
		}
	}
	return x, nil
}

func (p *parser) phrase() (*node, error) {
	var x *node
	if text := p.t.text; len(text) > 2 { //nolint:mnd // the quotes
		x = &node{kind: aPhrase, text: text[1 : len(text)-1], distance: -1}
	}
	if p.step(); p.t.kind != '@' {
		return x, nil
	}
	if p.step(); p.t.kind != number {
		return nil, p.unexpected("FTS_NUMB")
	}
	if x != nil {
		x.distance = int(^uint(0) >> 1)
		if n, err := strconv.Atoi(string(p.t.text)); err == nil {
			x.distance = n
		}
	}
	p.step()
	return x, nil
}

// term makes nodes of the words of a term: one, or a list. Later ones than the first that are too short, and all that are too long, do not count.
func (p *parser) term(text []byte) *node {
	var first, list *node
	for at := 0; at < len(text); {
		var x word
		if x, at = p.words.next(text, at); x.chars == 0 || x.chars > longest || first != nil && x.chars < shortest {
			continue
		}
		n := &node{kind: aTerm, text: x.text, chars: x.chars}
		switch {
		case first == nil:
			first = n
		case list == nil:
			list = &node{kind: aList, kids: []*node{first, n}}
		default:
			list.add(n)
		}
	}
	if list != nil {
		return list
	}
	return first
}

// unexpected is the error about the token that is next.
func (p *parser) unexpected(expected string) error {
	if expected != "" {
		expected = ", expecting " + expected
	}
	return mysqlerr.Newf(mysqlerr.Parse, "syntax error, unexpected %s%s", p.t, expected)
}
