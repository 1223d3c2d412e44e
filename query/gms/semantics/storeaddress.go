package semantics

import (
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// storeAddress stores a text in a UUID, INET4 or INET6. Only LOAD DATA does so here.
func (t *target) storeAddress(v any, typ *schema.Address) (any, error) {
	text, ok := v.(string)
	if b, is := v.([]byte); is {
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
