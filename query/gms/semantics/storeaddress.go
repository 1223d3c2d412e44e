package semantics

import (
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// storeAddress stores a text, or bytes, in a UUID, INET4 or INET6.
func (t *target) storeAddress(v any, typ *schema.Address) (any, error) {
	text, ok := v.(string)
	if b, is := v.([]byte); is {
		if out, ok := typ.OfBytes(b); ok {
			return out, nil
		}
		text, ok = string(b), true
	}
	if !ok {
		return nil, mysqlerr.NotYet("this value in a column of type " + typ.String())
	}
	if out, ok := typ.Parse(text); ok {
		return out, nil
	}
	if err := t.misfit(t.wrongTime(typ.String(), types.CutBytes(text))); err != nil {
		return nil, err
	}
	if t.column.Nullable {
		return nil, nil
	}
	return typ.Zero(), nil
}
