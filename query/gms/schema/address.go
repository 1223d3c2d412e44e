package schema

import (
	"bytes"
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	ours "github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/row"
)

// Address is the type of a UUID, INET4 or INET6 column, which go-mysql-server does not have. To it the values are texts, as MariaDB writes them:
// it defines tables with such columns and copies their rows, and does not compare their values (see package tables).
type Address struct {
	sql.StringType
	Kind ours.Kind
}

// addresses are the types by their names.
var addresses = map[string]*Address{"uuid": newAddress(ours.UUID, 36), "inet4": newAddress(ours.Inet4, 15), "inet6": newAddress(ours.Inet6, 39)}

func newAddress(k ours.Kind, length int64) *Address {
	return &Address{StringType: types.MustCreateString(sqltypes.Char, length, sql.Collation_ascii_bin), Kind: k}
}

// AddressOf is the type of a name.
func AddressOf(name string) (*Address, bool) {
	t, ok := addresses[name]
	return t, ok
}

// size is how many bytes a value has.
func (t *Address) size() int {
	if t.Kind == ours.Inet4 {
		return 4
	}
	return 16
}

// String implements sql.Type.
func (t *Address) String() string { return t.Kind.String() }

// Equals implements sql.Type.
func (t *Address) Equals(other sql.Type) bool {
	o, ok := other.(*Address)
	return ok && o.Kind == t.Kind
}

// Promote implements sql.Type.
func (t *Address) Promote() sql.Type { return t }

// Zero implements sql.Type.
func (t *Address) Zero() any {
	return string(assign.AppendAddress(nil, t.Kind, make([]byte, t.size())))
}

// Convert implements sql.Type.
func (t *Address) Convert(ctx context.Context, v any) (any, sql.ConvertInRange, error) {
	if v == nil {
		return nil, sql.InRange, nil
	}
	b, err := t.toStore(ctx, v)
	if err != nil {
		return nil, sql.Overflow, err
	}
	text, err := t.fromStore(b)
	return text, sql.InRange, err
}

// OfBytes is the text of a binary string that has as many bytes as a value.
func (t *Address) OfBytes(b []byte) (text string, ok bool) {
	if len(b) != t.size() {
		return "", false
	}
	return string(assign.AppendAddress(nil, t.Kind, assign.KeptAddress(t.Kind, b))), true
}

// AppendKey appends bytes in the order in which values are compared; ok is false for a text that is none.
func (t *Address) AppendKey(dst []byte, text string) (_ []byte, ok bool) {
	b, ok := assign.ParseAddress(nil, t.Kind, []byte(text))
	if !ok {
		return dst, false
	}
	if t.Kind == ours.UUID {
		return row.AppendUUIDKey(dst, b), true
	}
	return append(dst, b...), true
}

// Compare implements sql.Type.
func (t *Address) Compare(_ context.Context, a, b any) (int, error) {
	if some, c := types.CompareNulls(a, b); some {
		return c, nil
	}
	x, ok := a.(string)
	y, also := b.(string)
	if !ok || !also {
		return 0, wrongType(a, t.String())
	}
	v, ok := t.AppendKey(nil, x)
	w, also := t.AppendKey(nil, y)
	if !ok || !also {
		return 0, t.incorrect(x)
	}
	return bytes.Compare(v, w), nil
}

// Parse reads a text; ok is false if it is no value of the type.
func (t *Address) Parse(text string) (canonical string, ok bool) {
	b, ok := assign.ParseAddress(nil, t.Kind, []byte(text))
	return string(assign.AppendAddress(nil, t.Kind, b)), ok
}

func (t *Address) incorrect(v any) error { return fmt.Errorf("Incorrect %s value: '%v'", t, v) }

func (t *Address) toStore(_ context.Context, v any) (any, error) {
	var text []byte
	switch v := v.(type) {
	case string:
		text = []byte(v)
	case []byte: // of a binary string
		if len(v) == t.size() {
			return v, nil
		}
		text = v
	default:
		return nil, t.incorrect(v)
	}
	b, ok := assign.ParseAddress(nil, t.Kind, text)
	if !ok {
		return nil, t.incorrect(string(text))
	}
	return b, nil
}

func (t *Address) fromStore(v any) (any, error) {
	b, ok := v.([]byte)
	if !ok || len(b) != t.size() {
		return nil, wrongType(v, t.String())
	}
	return string(assign.AppendAddress(nil, t.Kind, b)), nil
}
