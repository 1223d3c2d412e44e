package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// document is an argument that is a document.
type document struct {
	arg  *eval.Expr // as text
	text eval.Func[[]byte]
	utf8 bool
	// chars are how many characters it has at most; width is the size of the longest.
	chars, width uint64
}

// documentOf takes an argument for a document. Of what only changes blanks the document is taken as it was: MariaDB neither checks nor
// formats it between two functions.
func documentOf(b *eval.Builder, x *eval.Expr) (document, error) {
	return textOf(b, unformatted(b, x))
}

// unformatted is the argument of JSON_COMPACT and its like, with the type that they have; any other expression is itself.
func unformatted(b *eval.Builder, x *eval.Expr) *eval.Expr {
	raw := x
	for raw.Name == "json_compact" || raw.Name == "json_loose" || raw.Name == "json_detailed" {
		raw = raw.Args[0]
	}
	if raw.Type.Class() == types.ClassTime {
		raw = b.ToText(raw)
	}
	if raw == x || raw.Type.Class() != types.ClassText || x.Type.Class() != types.ClassText {
		return x
	}
	return eval.New(x.Name, x.Type, eval.Of[[]byte](raw), x.Args...).As(x)
}

// textOf takes an argument for text that this package reads.
func textOf(b *eval.Builder, x *eval.Expr) (document, error) {
	t := b.ToText(x)
	d := document{arg: t, text: eval.Of[[]byte](t), chars: uint64(t.Type.Length), width: 1}
	if t.Null() {
		return d, nil
	}
	set := t.Type.Collation.Set()
	if d.utf8 = isUTF8(set); !supported(set) {
		return d, notIn(set)
	}
	if t.Type.Derivation != charset.Numeric {
		d.width = uint64(set.MaxLen())
	}
	return d, nil
}

func documentsOf(b *eval.Builder, xs []*eval.Expr) ([]document, error) {
	out := make([]document, len(xs))
	for i, x := range xs {
		var err error
		if out[i], err = documentOf(b, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func isUTF8(set *charset.Set) bool { return set.Name() == "utf8mb4" || set.Name() == "utf8mb3" }

// supported reports whether documents may be in the set: bytes below 0x80 are ASCII characters, wherever they are.
func supported(set *charset.Set) bool {
	return isUTF8(set) || set.MaxLen() == 1 && (set.ASCIIBytes() || set.Name() == "binary")
}

// collation is that of results which are made of the document; without one, that of the connection.
func (d *document) collation(b *eval.Builder) (*charset.Collation, charset.Derivation, bool) {
	if t := d.arg.Type; t.Collation != nil {
		return t.Collation, t.Derivation, t.ASCII
	}
	binary, _ := charset.SetByName("binary")
	return binary.Default(), charset.Ignorable, true
}

// textLike is the type of a result in the document's character set.
func (d *document) textLike(b *eval.Builder, chars uint64) types.Type {
	c, derivation, ascii := d.collation(b)
	return bounded(types.StringType(chars, c, derivation, ascii)).OrNull()
}

// octetsMax is the longest that functions over JSON claim to be, in bytes.
const octetsMax = 1 << 24

// bounded is a type with at most octetsMax.
func bounded(t types.Type) types.Type {
	if t.Bytes() >= octetsMax {
		t.Kind, t.Length, t.Octets = types.Longtext, octetsMax/uint32(t.Collation.Set().MaxLen()), octetsMax
	}
	return t
}

// jsonLike is textLike of a result that is JSON.
func (d *document) jsonLike(b *eval.Builder, chars uint64) types.Type {
	t := d.textLike(b, chars)
	t.JSON = true
	return t
}

// pathArgument is an argument that is a path: of a constant it is read when it is bound.
type pathArgument struct {
	text   eval.Func[[]byte]
	chars  uint64
	known  *path
	number int // which argument, from 1
}

func pathOf(b *eval.Builder, x *eval.Expr, number int) (pathArgument, error) {
	d, err := textOf(b, x)
	p := pathArgument{text: d.text, chars: d.chars, number: number}
	if err != nil || !x.Is(eval.Literal) {
		return p, err
	}
	if v := d.arg.Compute(b.Scratch); !v.Null {
		p.known = parsePath(append([]byte(nil), v.Text...))
	}
	return p, nil
}

func pathsOf(b *eval.Builder, xs []*eval.Expr, first int) ([]pathArgument, error) {
	out := make([]pathArgument, len(xs))
	for i, x := range xs {
		var err error
		if out[i], err = pathOf(b, x, first+i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// get is the path of a row; nil, with its condition added, if there is none.
func (p *pathArgument) get(f *eval.Frame, name string, wild bool) *path {
	at := p.quiet(f)
	if at == nil {
		return nil
	}
	if at.fault != fine {
		reportPath(f, name, p.number, at)
		return nil
	}
	if at.wild && !wild {
		addFault(f, types.Warning, mysqlerr.JSONPathNoWildcard, wildcard, name, p.number, 0)
		return nil
	}
	return at
}

// quiet is the path of a row, which may have a fault; nil for NULL.
func (p *pathArgument) quiet(f *eval.Frame) *path {
	if p.known != nil {
		return p.known
	}
	text, null := p.text(f)
	if null {
		return nil
	}
	return parsePath(text)
}

// getAll are the paths of a row; ok is false if one has a fault or is NULL.
func getAll(f *eval.Frame, name string, args []pathArgument, few []*path) (paths []*path, ok bool) {
	paths = few
	for i := range args {
		p := args[i].get(f, name, true)
		if p == nil {
			return nil, false
		}
		if p.several() {
			f.Diag.Fail(mysqlerr.NotYet("a path with several **"))
			return nil, false
		}
		paths = append(paths, p)
	}
	return paths, true
}

// polled calls f.Interrupted now and then, for what reads a document many times; it reports whether the statement is to end.
type polled struct {
	f     *eval.Frame
	calls uint32
	ended bool
}

func (p *polled) end() bool {
	if p.calls++; p.calls&1023 != 0 || p.f.Interrupted == nil || p.ended {
		return p.ended
	}
	p.ended = p.f.Interrupted() != nil
	return p.ended
}
