package semantics

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// maxRangeCharacters is how long a column may be whose LIKE gets a range: the
// upper end is as long as the column.
const maxRangeCharacters = 1024

// addPrefixRange adds to the LIKE conditions of a filter, whose pattern begins
// with literal characters, the range of the rows that begin so. The LIKE stays;
// the range is for the index.
func addPrefixRange(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	f, ok := n.(*plan.Filter)
	if !ok {
		return n, transform.SameTree, nil
	}
	switch f.Expression.(type) {
	case *expression.And, *expression.Like:
	default:
		return n, transform.SameTree, nil
	}
	conjuncts := expression.SplitConjunction(ctx, f.Expression)
	found := false
	for i, e := range conjuncts {
		l, ok := e.(*expression.Like)
		if !ok {
			continue
		}
		lower, upper := prefixRange(ctx, l)
		if upper == nil {
			continue
		}
		found = true
		e = expression.NewAnd(newLike(l), expression.NewLessThanOrEqual(l.LeftChild, upper))
		if lower != nil {
			e = expression.NewAnd(expression.NewGreaterThanOrEqual(l.LeftChild, lower), e)
		}
		conjuncts[i] = e
	}
	if !found {
		return n, transform.SameTree, nil
	}
	return plan.NewFilter(ctx, expression.JoinAnd(conjuncts...), f.Child), transform.NewTree, nil
}

// prefixRange gives nil if there is no range, or none that is surely right.
func prefixRange(ctx *sql.Context, l *expression.Like) (lower, upper sql.Expression) {
	column, isColumn := l.LeftChild.(*expression.GetField)
	pattern, isLiteral := l.RightChild.(*expression.Literal)
	if !isColumn || !isLiteral || l.Escape != nil {
		return nil, nil
	}
	text, isText := pattern.Value().(string)
	t, isString := column.Type(ctx).(sql.StringType)
	if !isText || !isString || t.Length() > maxRangeCharacters || !utf8.ValidString(text) {
		return nil, nil
	}
	own, _ := sql.GetCoercibility(ctx, column)
	lc, lw := sql.GetCoercibility(ctx, l.LeftChild)
	rc, rw := sql.GetCoercibility(ctx, l.RightChild)
	if c, _ := sql.ResolveCoercibility(lc, lw, rc, rw); c != own || !sortsByCharacter(own.Name()) {
		return nil, nil
	}
	prefix := literalPrefix(text, '\\')
	if prefix == "" {
		return nil, nil
	}
	fill := max(int(t.Length())-utf8.RuneCountInString(prefix), 1)
	upper = expression.NewLiteral(prefix+strings.Repeat(string(utf8.MaxRune), fill), pattern.Type(ctx))
	if low := below(prefix); low != "" {
		lower = expression.NewLiteral(low, pattern.Type(ctx))
	}
	return lower, upper
}

// sortsByCharacter leaves out collations in which two characters together may sort
// elsewhere than where the first one does (ch in Czech).
func sortsByCharacter(collation string) bool {
	for _, prefix := range []string{"general_ci", "bin", "unicode_ci", "unicode_520_ci", "uca1400_a", "0900_a", "0900_bin"} {
		if strings.HasPrefix(collation, "utf8mb4_"+prefix) {
			return true
		}
	}
	return false
}

// below is a text that sorts before every text with this prefix. The prefix itself
// does not: "a" and a tab sort before "a" where "a" is padded with blanks.
func below(prefix string) string {
	last, n := utf8.DecodeLastRuneInString(prefix)
	head := prefix[:len(prefix)-n]
	switch {
	case last == 'a' || last == 'A':
		return head + "9" + string(utf8.MaxRune)
	case last > '0' && last <= '9', last > 'A' && last <= 'Z', last > 'a' && last <= 'z':
		return head + string(last-1) + string(utf8.MaxRune)
	case last < ' ':
		return ""
	}
	return head
}
