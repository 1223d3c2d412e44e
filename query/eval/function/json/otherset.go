package json

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// inOtherSets lets functions have arguments in sets of several bytes that are not Unicode (sjis, gbk ...), whose second bytes may be those of quotes and
// brackets: they are read as UTF-8, and what is made of them becomes their set's again.
func inOtherSets(defs []eval.Def) []eval.Def {
	for i := range defs {
		def := defs[i]
		defs[i].Bind = func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
			c, err := otherSet(args)
			if c == nil || err != nil {
				if err == nil {
					return def.Bind(b, args)
				}
				return nil, err
			}
			if c.Set().Name() == "sjis" && slices.ContainsFunc(args, func(x *eval.Expr) bool { return !x.Null() && x.Type.Class() != types.ClassText }) {
				return nil, mysqlerr.Never("JSON in sjis, and numbers") // which MariaDB writes as text
			}
			utf8mb4, _ := charset.SetByName("utf8mb4")
			converted := make([]*eval.Expr, len(args))
			for i, x := range args {
				if converted[i] = x; isOther(x) {
					converted[i] = b.ToSet(x, utf8mb4)
				}
			}
			x, err := def.Bind(b, converted)
			if err != nil || x.Type.Collation != utf8mb4.Default() || def.Name == "JSON_TYPE" {
				return x, err
			}
			t := x.Type
			t.Collation = c
			switch {
			case t.Octets == octetsMax:
				t.Length = octetsMax / uint32(c.Set().MaxLen())
			case def.Name == "JSON_SEARCH": // whose length counts bytes
				t.Length, t.Octets = t.Length/uint32(utf8mb4.MaxLen())*uint32(c.Set().MaxLen()), 0
			default:
				t.Octets = 0
			}
			return eval.Map1("", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
				if !f.Room(uint64(len(s))) {
					return nil, true
				}
				out, _ := charset.Convert(f.Buffer(len(s)), c.Set(), utf8mb4, s)
				return out, false
			}, x).As(x), nil
		}
	}
	return defs
}

// isOther reports whether an argument is text in such a set.
func isOther(x *eval.Expr) bool {
	if x.Null() || x.Type.Class() != types.ClassText || x.Type.Collation == nil {
		return false
	}
	set := x.Type.Collation.Set()
	return set.MaxLen() > 1 && !set.Unicode()
}

// otherSet is the collation of arguments in such a set; nil if there are none. Beside them only ASCII is understood: MariaDB compares bytes of
// different sets.
func otherSet(args []*eval.Expr) (*charset.Collation, error) {
	var c *charset.Collation
	for _, x := range args {
		if isOther(x) {
			if c == nil {
				c = x.Type.Collation
			}
			if x.Type.Collation.Set() != c.Set() {
				return nil, mysqlerr.Never("JSON in character sets " + c.Set().Name() + " and " + x.Type.Collation.Set().Name())
			}
		}
	}
	if c == nil {
		return nil, nil
	}
	for _, x := range args {
		if !isOther(x) && x.Type.Class() == types.ClassText && !x.Null() && !x.Type.ASCII {
			return nil, mysqlerr.Never("JSON in character set " + c.Set().Name() + " and other text")
		}
	}
	return c, nil
}
