// Package info is the functions of SQL about the session and the server, about network addresses, and those that encrypt and hash.
//
// Not here are ENCRYPT, which is crypt(3), and the functions of Galera.
package info

import (
	"errors"
	"slices"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Functions are those called by name.
var Functions = slices.Concat(session, collations, hashes, ciphers, desCiphers, compressed, addresses, locks, waiting, constants, servers, histograms)

func setNamed(name string) *charset.Set {
	s, _ := charset.SetByName(name)
	return s
}

// system is the collation of what the server says of itself.
var system = setNamed("utf8mb3").Default()

// binaryText is the type of a binary string that a function makes.
func binaryText(bytes uint64) types.Type {
	return types.StringType(bytes, setNamed("binary").Default(), charset.Coercible, false).OrNull()
}

// longTextBytes is the length of a text of which no more is known (MAX_BLOB_WIDTH).
const longTextBytes = 1 << 24

// longText is the type of a text of any length.
func longText(c *charset.Collation, d charset.Derivation) types.Type {
	t := types.StringType(longTextBytes/uint64(c.Set().MaxLen()), c, d, false).OrNull()
	t.Kind, t.Octets = types.Longtext, longTextBytes
	return t
}

// byteLength is the number of bytes that an argument has at most, as text.
func byteLength(x *eval.Expr) uint64 {
	if x.Type.Collation == nil || x.Type.Class() != types.ClassText {
		return uint64(x.Type.Length)
	}
	return uint64(x.Type.Length) * uint64(x.Type.Collation.Set().MaxLen())
}

// asciiText makes a node whose row form writes ASCII, as text of the connection.
func asciiText(b *eval.Builder, name string, t types.Type, row eval.Func[[]byte], args ...*eval.Expr) *eval.Expr {
	t.ASCII = true
	set := t.Collation.Set()
	if set.ASCIIBytes() {
		return eval.New(name, t, row, args...)
	}
	from := setNamed("ascii")
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		s, null := row(f)
		if null {
			return nil, true
		}
		out, _ := charset.Convert(f.Buffer(len(s)*set.MaxLen()), set, from, s)
		return out, false
	}, args...)
}

// do asks the session; an error of it makes the statement fail.
func do(f *eval.Frame, what string, args ...types.Value) (types.Value, bool) {
	v, err := f.Session.Do(f, what, args)
	if err != nil {
		fail(f, err)
		return types.Value{}, true
	}
	return v, v.Null
}

func fail(f *eval.Frame, err error) {
	var e *mysqlerr.Error
	if !errors.As(err, &e) {
		e = mysqlerr.Newf(mysqlerr.UnknownError, "%v", err).WithCause(err)
	}
	f.Diag.Fail(e)
}

// interrupted reports whether the statement is to end, and makes it fail then.
func interrupted(f *eval.Frame) bool {
	if f.Interrupted == nil {
		return false
	}
	err := f.Interrupted()
	if err != nil {
		fail(f, err)
	}
	return err != nil
}

// constantInt is the value of a constant argument. MariaDB computes it when it settles the type, and again for each row: conditions
// come twice.
func constantInt(b *eval.Builder, x *eval.Expr) (v int64, null, constant bool) {
	if !x.Is(eval.Constant) {
		return 0, false, false
	}
	v, null = eval.Of[int64](x)(b.Scratch)
	return v, null, true
}
