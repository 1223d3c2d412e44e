package json

import (
	"bytes"
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

func overlaps(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_overlaps"
	ds, err := documentsOf(b, args)
	if err != nil {
		return nil, err
	}
	return eval.New(name, types.BoolType().OrNull(), func(f *eval.Frame) (int64, bool) {
		one, null := ds[0].text(f)
		if null {
			return 0, true
		}
		other, null := ds[1].text(f)
		if null {
			return 0, true
		}
		x, y := scanner{text: one, utf8: ds[0].utf8}, scanner{text: other, utf8: ds[1].utf8}
		o := overlap{poll: polled{f: f}}
		found := x.next() == tokenValue && y.next() == tokenValue && o.some(&x, &y)
		if x.fault != fine || y.fault != fine {
			if x.fault != fine {
				report(f, types.Warning, name, 1, &x)
			}
			if y.fault != fine {
				report(f, types.Warning, name, 2, &y)
			}
			return 0, false
		}
		return truth(found), o.poll.ended
	}, args...).With(eval.Bool), nil
}

// overlap is the work of JSON_OVERLAPS. Scanners have read the first token of the values that are compared.
type overlap struct{ poll polled }

// some reports whether two values have something in common: arrays an item, objects a key with the same value, an array and anything
// else that as an item.
func (o *overlap) some(x, y *scanner) bool {
	switch {
	case o.poll.end():
		return false
	case x.kind == object_ && y.kind == object_:
		a, b := *x, *y
		if ok := a.skip(); !b.skip() || !ok { // two objects have to be right to their ends
			x.fault, x.at, y.fault, y.at = a.fault, a.at, b.fault, b.at
			return false
		}
		return o.objects(x, y)
	case x.kind == array_ && y.kind == array_:
		return o.arrays(x, y)
	case x.kind == array_:
		return o.item(x, y)
	case y.kind == array_:
		return o.item(y, x)
	}
	return x.kind.scalar() && sameNearly(x, y)
}

// items calls visit for each item of the array that was opened, until that reports true; visit has a copy of the scanner.
func (o *overlap) items(list *scanner, visit func(item scanner) bool) bool {
	for {
		switch list.next() {
		case tokenFault, tokenClose:
			return false
		case tokenValue:
			if o.poll.end() || visit(*list) {
				return true
			}
			if !list.skip() {
				return false
			}
		}
	}
}

// item reports whether an array has an item that is the same as a value.
func (o *overlap) item(list, value *scanner) bool {
	found := false
	o.items(list, func(item scanner) bool {
		wanted := *value
		found = o.same(&item, &wanted)
		return found
	})
	return found
}

func (o *overlap) arrays(x, y *scanner) bool {
	found := false
	o.items(x, func(item scanner) bool {
		list := *y
		o.items(&list, func(other scanner) bool {
			wanted := item
			found = o.same(&wanted, &other)
			return found
		})
		return found // what is wrong with the other one is forgotten
	})
	return found
}

// objects reports whether an object has a key of another one, with the same value; of keys that are there twice the first one of x counts.
func (o *overlap) objects(x, y *scanner) bool {
	for {
		switch y.next() {
		case tokenFault, tokenClose:
			return false
		case tokenKey:
			key := y.text[y.start:y.end]
			if y.next() != tokenValue {
				return false
			}
			at, wanted := *x, *y
			if findKey(&at, key) && at.next() == tokenValue && o.same(&at, &wanted) {
				return true
			}
			if at.fault != fine {
				x.fault, x.at = at.fault, at.at
				return false
			}
			if o.poll.end() || !y.skip() {
				return false
			}
		}
	}
}

// same reports whether two values are the same: arrays item by item, objects in their normal form.
func (o *overlap) same(x, y *scanner) bool {
	switch {
	case x.kind != y.kind:
		return false
	case x.kind == array_:
		return o.inOrder(x, y)
	case x.kind == object_:
		a, b := *x, *y
		if !a.skip() || !b.skip() {
			return false
		}
		var v, w normalizer
		v.value(opened(a.text[a.start:a.end], true))
		w.value(opened(b.text[b.start:b.end], true))
		return bytes.Equal(v.dst, w.dst)
	}
	return sameNearly(x, y)
}

// inOrder reports whether the items of two arrays are the same. MariaDB is content if the second one ends first.
func (o *overlap) inOrder(x, y *scanner) bool {
	for {
		s, t := x.next(), y.next()
		if s != tokenValue || t != tokenValue {
			return t == tokenClose
		}
		a, b := *x, *y
		if o.poll.end() || !o.same(&a, &b) || !x.skip() || !y.skip() {
			return false
		}
	}
}

// nearly is how much numbers may differ for JSON_OVERLAPS.
const nearly = 1e-12

// sameNearly reports whether two scalars are the same: strings as they are written, numbers as DOUBLE.
func sameNearly(x, y *scanner) bool {
	if x.kind != number_ || y.kind != number_ {
		return sameScalar(x, y)
	}
	return math.Abs(float(x.text[x.start:x.end])-float(y.text[y.start:y.end])) < nearly
}
