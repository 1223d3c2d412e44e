package grammar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/dialecttest"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// TestWalk: Walk visits what a statement has, in the order of the text, and Rewrite changes nothing by itself.
func TestWalk(t *testing.T) {
	accepted(t, func(text string, _ grammar.Options, s tree.Statement) {
		require.NoError(t, dialecttest.CheckWalk(s, len(text)), "%s", text)
	})
}

// TestRewriteNames changes each name of each statement, and nothing else: the tree that was there stays as it is, and the parts without
// names are the same nodes.
func TestRewriteNames(t *testing.T) {
	const mark = "~"
	accepted(t, func(text string, _ grammar.Options, s tree.Statement) {
		before := tree.String(s)
		names := 0
		renamed := tree.Rewrite(s, func(n tree.Node) tree.Node {
			if name, ok := n.(*tree.Ident); ok {
				names++
				return &tree.Ident{Span: name.Span, Text: name.Text + mark}
			}
			return n
		})
		require.Equal(t, before, tree.String(s), "%s", text)
		old := nodesOf(s)
		marked := 0
		for n := range nodesOf(renamed) {
			if name, ok := n.(*tree.Ident); ok {
				require.True(t, strings.HasSuffix(name.Text, mark), "%s: %s", text, name.Text)
				marked++
				continue
			}
			require.Equal(t, !hasNames(n), old[n], "%s: %T", text, n)
		}
		require.Equal(t, names, marked, "%s", text)
	})
}

func nodesOf(s tree.Node) map[tree.Node]bool {
	all := map[tree.Node]bool{}
	tree.Walk(s, func(n tree.Node) bool {
		all[n] = true
		return true
	})
	return all
}

func hasNames(n tree.Node) (has bool) {
	tree.Walk(n, func(n tree.Node) bool {
		_, is := n.(*tree.Ident)
		has = has || is
		return !has
	})
	return has
}
