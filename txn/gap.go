package txn

import (
	"bytes"
	"errors"

	"github.com/duramendb/duramen/catalog"
)

// gap is a range of primary keys that no row of a table has. Rows that come in the order of their keys, as those of a file and of a long INSERT
// do, lie in one: there is no need to look for each of these keys, in what the transaction has written itself and in the engine.
//
// What is known of a gap is true as long as no other transaction has made its rows known: each counts itself in Manager.sequenced before it gives up
// the locks of its keys. So whoever holds the lock of a key, and finds the count as it was when the gap was looked for, knows that nobody has
// taken the key since. The transaction's own new keys are all asked for here, and end the gap from below.
type gap struct {
	last []byte // the key that was asked for before
	// upper is the end of the gap, which begins behind last; nil: there is none.
	upper     []byte
	sequenced uint64 // Manager.sequenced when it was looked for
	used      int    // keys that were found in it
	ordered   int    // keys that have come in order without one
	wait      int    // how many have to, before it is looked for; it grows while others change rows all the time
}

// Looking for a gap costs as much as looking for some keys. So it is done when that many have come in order.
const (
	gapWaitMin = 16
	gapWaitMax = 4096
)

// has reports whether it is known that no row has key. The transaction has locked it.
func (g *gap) has(t *Txn, tbl *catalog.Table, key []byte) (bool, error) {
	ordered := bytes.Compare(key, g.last) > 0
	g.last = append(g.last[:0], key...)
	if !ordered {
		g.upper, g.ordered = nil, 0
		return false, nil
	}
	if g.upper != nil {
		if g.sequenced == t.m.sequenced.Load() && bytes.Compare(key, g.upper) < 0 {
			g.used++
			return true, nil
		}
		if g.upper, g.ordered = nil, 0; g.used < g.wait {
			g.wait = min(2*g.wait, gapWaitMax)
		} else {
			g.wait = t.m.gapWait
		}
	}
	if g.ordered++; g.ordered < max(g.wait, t.m.gapWait) {
		return false, nil
	}
	g.ordered, g.used, g.wait = 0, 0, max(g.wait, t.m.gapWait)
	return g.find(t, tbl, key)
}

// find looks for the gap that key lies in; false if a row has that key, or if what the engine has is not all.
func (g *gap) find(t *Txn, tbl *catalog.Table, key []byte) (bool, error) {
	g.sequenced = t.m.sequenced.Load()
	if t.m.pending.count.Load() > 0 {
		return false, nil
	}
	_, upper := tbl.Span(-1)
	if own, _ := t.writes.now(); own != nil {
		s := own.source(key, upper, false)
		if s.first(); s.valid() {
			upper = bytes.Clone(s.key())
		}
		err := errors.Join(s.err(), s.close())
		own.release()
		if err != nil {
			return false, err
		}
	}
	it, err := t.m.cfg.Engine.NewIter(key, upper)
	if err != nil {
		return false, err
	}
	if it.First() {
		upper = bytes.Clone(it.Key())
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return false, err
	}
	if bytes.Equal(key, upper) {
		return false, nil
	}
	g.upper = upper
	return true, nil
}
