package eval

import (
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// memberText is an ENUM or SET as text: the member, or the members that are in it with commas between them.
func memberText(x *Expr) *Expr {
	t := x.Type
	t.Kind, t.Members = types.Varchar, nil
	members, set := x.Type.Members.Texts, x.Type.Collation.Set()
	if x.Type.Kind == types.Enum {
		return Map1("", t, func(_ *Frame, n int64) ([]byte, bool) {
			if n < 1 || n > int64(len(members)) {
				return []byte{}, false
			}
			return members[n-1], false
		}, x).As(x)
	}
	ascii, _ := charset.SetByName("ascii")
	comma, _ := charset.Convert(nil, set, ascii, []byte{','})
	size := 0
	for _, m := range members {
		size += len(m) + len(comma)
	}
	return Map1("", t, func(f *Frame, n int64) ([]byte, bool) {
		out := f.Buffer(size)
		for i, m := range members {
			if uint64(n)>>i&1 == 1 {
				if len(out) > 0 {
					out = append(out, comma...)
				}
				out = append(out, m...)
			}
		}
		return out, false
	}, x).As(x)
}

// Members is an ENUM or SET as text, in its own collation.
func (b *Builder) Members(x *Expr) *Expr { return memberText(x) }
