package assign

import (
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

func addressSize(k types.Kind) int {
	if k == types.Inet4 {
		return 4
	}
	return 16
}

// address is a UUID, INET4 or INET6 column. It takes texts and its own kind; of all else there is a Mismatch, and a zero.
type address struct{ field }

func (a *address) numeric() bool { return false }

// none is what there is of a text that is no address.
func (a *address) none(c *Context, what string) types.Value {
	a.wrong(c, a.Kind.String(), what)
	if a.Nullable {
		return types.Value{Null: true}
	}
	return a.Implicit()
}

// zero is what there is of a number or time.
func (a *address) zero(c *Context, what string) types.Value {
	a.wrong(c, a.Kind.String(), what)
	return a.Implicit()
}

func (a *address) int(c *Context, n int64, unsigned bool) types.Value {
	return a.zero(c, string(appendInt(nil, n, unsigned)))
}

func (a *address) float(c *Context, f float64) types.Value {
	return a.zero(c, string(floattext.Append(nil, f, false)))
}

func (a *address) dec(c *Context, d decimal.Dec) types.Value { return a.zero(c, string(d.Append(nil))) }

func (a *address) time(c *Context, v temporal.Value, _ int) types.Value {
	return a.zero(c, shownTime(v))
}

func (a *address) text(c *Context, s []byte, set *charset.Set) types.Value {
	size := addressSize(a.Kind)
	if set.Name() == "binary" {
		switch {
		case len(s) == size && a.Kind == types.UUID:
			return types.Value{Text: keptUUID(c.buffer(size), s)}
		case len(s) == size:
			return types.Value{Text: s}
		}
		return a.none(c, types.Shown(set, s))
	}
	out, ok := ParseAddress(c.buffer(size), a.Kind, plain(c, set, s))
	if !ok {
		return a.none(c, types.Shown(set, s))
	}
	return types.Value{Text: out}
}

// addresses is the assignment to or from such a column.
func (a *Assigner) addresses(s storer, from types.Type) {
	to := a.column
	if from.Kind == to.Kind {
		a.store = func(c *Context, v types.Value) types.Value {
			if to.Kind == types.UUID { // CAST has them as they are
				v.Text = keptUUID(c.buffer(uuidSize), v.Text)
			}
			return v
		}
		return
	}
	if from.Kind.Address() {
		if !to.Kind.IsString() && to.Kind != types.Enum && to.Kind != types.Set {
			a.mismatch(from)
		}
		if to.Binary() {
			a.store = func(c *Context, v types.Value) types.Value { return s.text(c, v.Text, binarySet) }
			return
		}
		kind := from.Kind
		a.store = func(c *Context, v types.Value) types.Value {
			return s.text(c, AppendAddress(c.buffer(addressTextMax), kind, v.Text), asciiSet)
		}
		return
	}
	switch {
	case from.Kind == types.Enum, from.Kind == types.Set:
		a.store = memberNames(s, from)
		return
	case !from.Kind.IsString():
		a.mismatch(from)
	}
	a.store = byClass(s, from)
}

func (a *Assigner) mismatch(from types.Type) {
	to := a.column
	a.Mismatch = mysqlerr.Newf(mysqlerr.IllegalParameterTypes, "Cannot cast '%s' as '%s' in assignment of `%s`.`%s`.`%s`",
		from.Name(), to.Type.Name(), to.Database, to.Table, to.Name)
}
