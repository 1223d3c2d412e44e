package info

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// collationLength is the length of CHARSET and COLLATION, in characters.
const collationLength = 64

var collations = []eval.Def{
	{Name: "CHARSET", Min: 1, Max: 1, Bind: about("charset", func(c *charset.Collation) string { return c.Set().Name() })},
	{Name: "COLLATION", Min: 1, Max: 1, Bind: about("collation", (*charset.Collation).Name)},
	{Name: "COERCIBILITY", Min: 1, Max: 1, Bind: func(_ *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		level := int64(args[0].Type.Derivation)
		return eval.New("coercibility", types.LongType(10), func(*eval.Frame) (int64, bool) { return level, false }, args...), nil
	}},
}

// about binds what is said of an argument's collation: the argument is not computed. What is no text counts as binary.
func about(name string, say func(*charset.Collation) string) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(_ *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		c := setNamed("binary").Default()
		switch t := args[0].Type; {
		case t.Collation != nil:
			c = t.Collation
		case t.Kind.Address():
			c = setNamed("latin1").Default()
		}
		text := []byte(say(c))
		t := types.StringType(collationLength, system, charset.Coercible, false).OrNull()
		return eval.New(name, t, func(*eval.Frame) ([]byte, bool) { return text, false }, args...), nil
	}
}
