package bind

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Assigned are the user variables that a tree sets, by their names in lower case; nil for none.
func Assigned(n tree.Node) map[string]bool {
	var out map[string]bool
	tree.Walk(n, func(n tree.Node) bool {
		if set, ok := n.(*tree.AssignVariable); ok {
			if out == nil {
				out = map[string]bool{}
			}
			out[strings.ToLower(set.Name)] = true
		}
		return true
	})
	return out
}

// userVariable is @name, with the type of the value that it has before the statement. Its value is that, too, unless the statement sets it.
func (b *Binder) userVariable(n *tree.UserVariable) (*eval.Expr, error) {
	if t, ok := b.Loaded[strings.ToLower(n.Name)]; ok {
		return b.ReadVariable(n.Name, t), nil
	}
	v, t, ok := b.Scratch.Session.UserVariable(n.Name)
	if !ok {
		return nil, Refusal("a user variable of this kind")
	}
	name := strings.ToLower(n.Name)
	if !b.Assigned[name] {
		return b.Variable(n.Name, v, t), nil
	}
	if c := b.collations[name]; c != nil && t.Class() == types.ClassText { // the statement has said of which character set it is
		const most = 1<<24 - 1
		t.Collation, t.Length, t.Octets = c, min(t.Length, most), min(t.Octets, most)
	}
	x := b.ReadVariable(n.Name, t)
	if b.Early != nil && b.Aggregates != nil {
		return b.Early(x)
	}
	return x, nil
}

// assignment is @name := x.
func (b *Binder) assignment(n *tree.AssignVariable) (*eval.Expr, error) {
	if b.Assigned == nil {
		return nil, Refusal("a user variable that is set here")
	}
	x, err := b.Expr(n.Value)
	if err != nil {
		return nil, err
	}
	if x.Type.Kind == types.Bit || x.Type.Kind.Address() {
		return nil, Refusal("a user variable that becomes a " + x.Type.Name())
	}
	_, kept := b.VariableValue(x)
	c := kept.Collation
	if c == nil {
		c = latin1()
	}
	if b.collations == nil {
		b.collations = map[string]*charset.Collation{}
	}
	b.collations[strings.ToLower(n.Name)] = c
	return b.SetVariable(n.Name, x), nil
}

// latin1 is the collation of numbers.
func latin1() *charset.Collation {
	set, _ := charset.SetByName("latin1")
	return set.Default()
}
