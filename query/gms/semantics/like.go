package semantics

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// like is LIKE: character by character by the weights of the collation, with the
// escape character that MariaDB takes. NULL is its answer if an operand is NULL.
type like struct {
	expression.BinaryExpressionStub
	// escape is nil without an ESCAPE clause.
	escape sql.Expression
	// parsed keeps the pattern where it is a literal.
	parsed *sync.Once
	tokens []likeToken
}

var (
	_ sql.Expression         = (*like)(nil)
	_ sql.CollationCoercible = (*like)(nil)
)

func newLike(e *expression.Like) sql.Expression {
	return &like{BinaryExpressionStub: e.BinaryExpressionStub, escape: e.Escape, parsed: new(sync.Once)}
}

// Children implements sql.Expression.
func (l *like) Children() []sql.Expression {
	if l.escape == nil {
		return l.BinaryExpressionStub.Children()
	}
	return []sql.Expression{l.LeftChild, l.RightChild, l.escape}
}

// WithChildren implements sql.Expression.
func (l *like) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(l.Children()) {
		return nil, sql.ErrInvalidChildrenNumber.New(l, len(children), len(l.Children()))
	}
	own := &like{parsed: new(sync.Once)}
	own.LeftChild, own.RightChild = children[0], children[1]
	if len(children) == 3 {
		own.escape = children[2]
	}
	return own, nil
}

// Type implements sql.Expression.
func (*like) Type(*sql.Context) sql.Type { return types.Boolean }

// CollationCoercibility implements sql.CollationCoercible.
func (l *like) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	lc, lw := sql.GetCoercibility(ctx, l.LeftChild)
	rc, rw := sql.GetCoercibility(ctx, l.RightChild)
	return sql.ResolveCoercibility(lc, lw, rc, rw)
}

// String implements sql.Expression.
func (l *like) String() string {
	if l.escape != nil {
		return fmt.Sprintf("%s LIKE %s ESCAPE %s", l.LeftChild, l.RightChild, l.escape)
	}
	return fmt.Sprintf("%s LIKE %s", l.LeftChild, l.RightChild)
}

// Eval implements sql.Expression.
func (l *like) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	text, null, err := textOf(ctx, l.LeftChild, row)
	if err != nil || null {
		return nil, err
	}
	collation, _ := l.CollationCoercibility(ctx)
	var tokens []likeToken
	if _, constant := l.RightChild.(*expression.Literal); !constant || l.escape != nil {
		if tokens, null, err = l.pattern(ctx, collation, row); err != nil || null {
			return nil, err
		}
	} else {
		l.parsed.Do(func() { l.tokens, null, err = l.pattern(ctx, collation, row) })
		if err != nil || l.tokens == nil {
			return nil, err
		}
		tokens = l.tokens
	}
	return matches(tokens, characters(text, collation)), nil
}

// textOf evaluates an operand to its text.
func textOf(ctx *sql.Context, e sql.Expression, row sql.Row) (text string, null bool, err error) {
	v, err := e.Eval(ctx, row)
	if err != nil || v == nil {
		return "", true, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return "", true, err
	}
	if s, ok := v.(string); ok {
		return s, false, nil
	}
	text, _, err = types.ConvertToCollatedString(ctx, v, e.Type(ctx))
	return text, false, err
}

// pattern is the right operand in tokens; never nil unless it is NULL.
func (l *like) pattern(ctx *sql.Context, collation sql.CollationID, row sql.Row) (tokens []likeToken, null bool, err error) {
	text, null, err := textOf(ctx, l.RightChild, row)
	if err != nil || null {
		return nil, null, err
	}
	escape, err := l.escapeRune(ctx, collation, row)
	if err != nil {
		return nil, false, err
	}
	return parsePattern(text, collation, escape), false, nil
}

// escapeRune is the escape character: a backslash unless the clause says another. An
// empty clause, and none with NO_BACKSLASH_ESCAPES, mean a NUL in collations of one
// byte per character, and in all others the backslash again (Item_func_like).
func (l *like) escapeRune(ctx *sql.Context, collation sql.CollationID, row sql.Row) (rune, error) {
	text, null, err := "", hasMode(ctx, "NO_BACKSLASH_ESCAPES"), error(nil)
	switch {
	case l.escape != nil:
		if text, null, err = textOf(ctx, l.escape, row); err != nil {
			return 0, err
		}
		if null {
			text = "\\"
		}
	case !null:
		text = "\\"
	}
	switch n := utf8.RuneCountInString(text); {
	case n > 1:
		return 0, mysqlerr.Newf(1210, "Incorrect arguments to ESCAPE")
	case n == 1:
		r, _ := utf8.DecodeRuneInString(text)
		return r, nil
	case collation.CharacterSet().MaxLength() > 1:
		return '\\', nil
	}
	return 0, nil
}

// likeToken is one character of a pattern.
type likeToken struct {
	kind   likeKind
	weight int32
}

type likeKind uint8

const (
	likeOne likeKind = iota // this character
	likeAny                 // _
	likeRun                 // %
)

// parsePattern divides a pattern; an escape character at its end is itself.
func parsePattern(pattern string, collation sql.CollationID, escape rune) []likeToken {
	decode, weigh := collation.CharacterSet().Encoder().NextRune, collation.Sorter()
	tokens := make([]likeToken, 0, len(pattern))
	for pattern != "" {
		r, n := decode(pattern)
		n = max(n, 1)
		pattern = pattern[n:]
		switch {
		case r == '%':
			if len(tokens) == 0 || tokens[len(tokens)-1].kind != likeRun {
				tokens = append(tokens, likeToken{kind: likeRun})
			}
			continue
		case r == escape && pattern != "":
			r, n = decode(pattern)
			pattern = pattern[max(n, 1):]
		case r == '_':
			tokens = append(tokens, likeToken{kind: likeAny})
			continue
		}
		tokens = append(tokens, likeToken{weight: weigh(r)})
	}
	return tokens
}

// characters are the weights of a text's characters.
func characters(text string, collation sql.CollationID) []int32 {
	decode, weigh := collation.CharacterSet().Encoder().NextRune, collation.Sorter()
	out := make([]int32, 0, len(text))
	for text != "" {
		r, n := decode(text)
		text = text[max(n, 1):]
		out = append(out, weigh(r))
	}
	return out
}

// matches goes back at a mismatch only to the last %: an earlier one cannot help.
// So it takes no more than len(tokens) times len(text) steps.
func matches(tokens []likeToken, text []int32) bool {
	t, c := 0, 0
	run, from := -1, 0
	for c < len(text) {
		switch {
		case t < len(tokens) && tokens[t].kind == likeRun:
			run, from = t, c
			t++
		case t < len(tokens) && (tokens[t].kind == likeAny || tokens[t].weight == text[c]):
			t++
			c++
		case run >= 0:
			from++
			t, c = run+1, from
		default:
			return false
		}
	}
	for t < len(tokens) && tokens[t].kind == likeRun {
		t++
	}
	return t == len(tokens)
}

// literalPrefix is what a pattern begins with before its first wildcard, escapes
// resolved.
func literalPrefix(pattern string, escape rune) string {
	var out strings.Builder
	escaped := false
	for i, r := range pattern {
		switch {
		case escaped:
			escaped = false
		case r == escape && i+utf8.RuneLen(r) < len(pattern):
			escaped = true
			continue
		case r == '%' || r == '_':
			return out.String()
		}
		out.WriteRune(r)
	}
	return out.String()
}
