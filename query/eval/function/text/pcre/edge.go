package pcre

import "strings"

// wordEdges are [[:<:]] and [[:>:]] behind their first bracket: where a word begins, and where it ends.
var wordEdges = []struct {
	text   string
	behind bool
}{{"[:<:]]", false}, {"[:>:]]", true}}

// edge is \b(?=\w), or \b(?<=\w) if the word is behind.
func (p *parser) edge(behind bool) (*node, error) {
	if p.more() && (strings.ContainsRune("*?", p.in[p.at]) || p.in[p.at] == '{' && p.at+1 < len(p.in) && strings.ContainsRune("0,", p.in[p.at+1])) {
		return nil, unsupported("an edge of words that may be left out") // only its second half would be
	}
	word := &node{kind: kSet, set: p.words()}
	look := &node{kind: kLook, behind: behind, at: p.at, subs: []*node{word}}
	return &node{kind: kCat, subs: []*node{{kind: kAssert, assert: boundary}, look}}, nil
}
