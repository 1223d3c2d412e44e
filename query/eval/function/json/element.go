package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types/charset"
)

// Element writes the values of an expression into JSON that is made of many rows.
type Element struct {
	m   member
	set *charset.Set
}

// ElementOf is how an expression becomes an element of JSON in a character set. Error 1235 says that there is no JSON in it.
func ElementOf(b *eval.Builder, x *eval.Expr, set *charset.Set) (*Element, error) {
	if !supported(set) {
		return nil, notIn(set)
	}
	return &Element{memberOf(b, x, set), set}, nil
}

// Append appends the value for the frame's row: null for NULL.
func (e *Element) Append(f *eval.Frame, dst []byte) []byte { return e.m.append(f, dst, e.set) }

// AppendString appends text, which is in a character set, as a string.
func (e *Element) AppendString(dst []byte, from *charset.Set, text []byte) []byte {
	return append(appendQuoted(append(dst, '"'), e.set, from, text), '"')
}
