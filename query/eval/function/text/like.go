package text

import (
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Like is x LIKE pattern ESCAPE escape; escape is nil if it is not written. It must be a constant of at most one character: error 1210.
func Like(b *eval.Builder, x, pattern, escape *eval.Expr) (*eval.Expr, error) {
	a, texts, err := b.Agree("like", true, x, pattern)
	if err != nil {
		return nil, err
	}
	o, err := orderOf(a.Collation)
	if err != nil {
		return nil, err
	}
	mark, err := escapeChar(b, a.Collation.Set(), escape)
	if err != nil {
		return nil, err
	}
	if p := texts[1]; p.Is(eval.Constant) && !p.Is(eval.Literal) && singleWeights(a.Collation) {
		_, _ = eval.Of[[]byte](p)(b.Scratch) // MariaDB looks at it now, too, with conditions
	}
	t := nullIf(types.BoolType(), x, pattern)
	return eval.Map2("like", t, func(_ *eval.Frame, s, pattern []byte) (int64, bool) {
		if o.Like(s, pattern, mark) {
			return 1, false
		}
		return 0, false
	}, texts[0], texts[1]).With(eval.Bool).Infix(likeBinding), nil
}

// singleWeights reports whether a collation gives one weight to each character, so that LIKE prepares a constant pattern.
func singleWeights(c *charset.Collation) bool {
	return c.Binary() || strings.HasSuffix(c.Name(), "_general_ci")
}

// likeBinding is how tightly LIKE and REGEXP bind when they are printed.
const likeBinding = 7

// escapeChar is the character of ESCAPE as charset.Order.Like takes it. It is a backslash if it is not written, NULL or empty; the mode
// NO_BACKSLASH_ESCAPES only forbids the last one.
func escapeChar(b *eval.Builder, set *charset.Set, escape *eval.Expr) (rune, error) {
	if escape == nil {
		return escapeIn(set, '\\'), nil
	}
	wrong := mysqlerr.New(mysqlerr.WrongArguments, "ESCAPE")
	if !escape.Is(eval.Constant) || escape.Is(eval.Volatile) {
		return 0, wrong
	}
	if escape.Null() {
		return escapeIn(set, '\\'), nil
	}
	x := b.ToText(escape)
	s, null := eval.Of[[]byte](x)(b.Scratch)
	if null {
		return escapeIn(set, '\\'), nil
	}
	from := x.Type.Collation.Set()
	switch n := from.Len(s); {
	case n == 0 && b.Env.Mode.Has(types.NoBackslashEscapes):
		return 0, wrong
	case n == 0:
		return escapeIn(set, '\\'), nil
	case n > 1:
		return 0, wrong
	}
	r, _, ok := from.Decode(s)
	if !ok {
		return 0, mysqlerr.NotYet("an ESCAPE that is no character")
	}
	return escapeIn(set, r), nil
}

// escapeIn is a character as a number: in Unicode sets its code point, in others its bytes; of sets of several bytes that is so for ASCII, too, whatever
// they have for it (a backslash of sjis has two).
func escapeIn(set *charset.Set, r rune) rune {
	if set.Unicode() || r < 0x80 && set.MaxLen() > 1 {
		return r
	}
	code, ok := set.Append(nil, r)
	if !ok {
		return '?'
	}
	var n rune
	for _, c := range code {
		n = n<<8 | rune(c)
	}
	return n
}
