package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// rowNodes are nodes of a row of an INSERT that is given away (Options.Row). The next row is made of the same ones, unless something of it is kept:
// a text may have millions of rows.
type rowNodes struct {
	row     tree.Row
	numbers []tree.NumberLit
	texts   []tree.TextLit
	nulls   []tree.NullLit
}

// reset begins another row.
func (n *rowNodes) reset() {
	n.row = tree.Row{Items: n.row.Items[:0]}
	n.numbers, n.texts, n.nulls = n.numbers[:0], n.texts[:0], n.nulls[:0]
}

// plain takes a number, a string or NULL behind which the row goes on or ends: the way that nearly all of a row goes, without a look at what could
// follow it in an expression. It is nil, and takes nothing, if something else comes.
func plain(p *parser) tree.Expr {
	if p.n > 0 {
		return nil
	}
	t, ok := p.lx.Plain()
	if !ok {
		return nil
	}
	p.end = t.End
	if p.made += tokenBytes + int64(t.End-t.Start); p.made > p.held {
		p.hold()
	}
	at := tree.Span{Start: t.Start, End: t.End}
	switch t.Kind {
	case lex.String:
		return p.lent.text(tree.TextLit{Span: at, Value: p.lx.Unquote(t)})
	case lex.Name:
		return p.lent.null(tree.NullLit{Span: at})
	}
	return p.lent.number(tree.NumberLit{Span: at, Kind: tree.NumberKind(t.Kind - lex.Integer), Text: p.lx.Text(t)})
}

// sign is acceptKind for a character that is a token, which is not looked at as one where it follows right away.
func (p *parser) sign(c byte) bool {
	if p.n > 0 {
		return p.acceptKind(lex.Kind(c))
	}
	end, ok := p.lx.Sign(c)
	if !ok {
		return p.acceptKind(lex.Kind(c))
	}
	p.end = end
	if p.made += tokenBytes + 1; p.made > p.held {
		p.hold()
	}
	return true
}

func (p *parser) expectSign(c byte) {
	if !p.sign(c) {
		p.fail()
	}
}

func (n *rowNodes) text(x tree.TextLit) tree.Expr {
	if n == nil {
		return &x
	}
	n.texts = append(n.texts, x)
	return &n.texts[len(n.texts)-1]
}

func (n *rowNodes) null(x tree.NullLit) tree.Expr {
	if n == nil {
		return &x
	}
	n.nulls = append(n.nulls, x)
	return &n.nulls[len(n.nulls)-1]
}

func (n *rowNodes) number(x tree.NumberLit) tree.Expr {
	if n == nil {
		return &x
	}
	n.numbers = append(n.numbers, x)
	return &n.numbers[len(n.numbers)-1]
}
