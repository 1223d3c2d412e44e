package btree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/errors/oserror"
	bolt "go.etcd.io/bbolt"
)

// A debt is what the base has taken over but not worked in: ranges of many keys that are to be deleted, and a run that is
// to come on top. One transaction of bbolt for all of it would need memory for all of its pages. So the transaction that
// makes it durable writes down the debt, and others pay it off in parts. Readers have it as a layer above the base.
//
// Debts are paid in their order, and a layer that has something for the keys of a debt waits until that is paid.
//
// They are the value of "debts" in the bucket "state":
//
//	uvarint n | n times: name of the run's file, empty for none | key up to which it was paid | 0: spans, 1: run |
//	                     uvarint n | n times: lower | upper
//
// Names and keys have their length, as uvarint, in front.
type debt struct {
	// paid is where the next part begins, in the spans or in the run.
	paid []byte
	// cleared says that the spans are done.
	cleared bool
}

var debtsKey = []byte("debts")

const (
	runFilePrefix = "run-"
	// partBytes is how much of a debt one transaction pays, besides Options.partKeys.
	partBytes = 16 << 20
)

func runName(n uint64) string { return fmt.Sprintf("%s%06d", runFilePrefix, n) }

// putDebts writes down the debts among the layers.
func putDebts(tx *bolt.Tx, layers []*layer) error {
	var b []byte
	n := 0
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		if l.debt == nil {
			continue
		}
		n++
		file := ""
		if l.run != nil {
			file = l.run.name
		}
		b = appendString(appendString(b, []byte(file)), l.debt.paid)
		if l.debt.cleared {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(len(l.delta.spans)))
		for _, s := range l.delta.spans {
			b = appendString(appendString(b, s.lower), s.upper)
		}
	}
	state := tx.Bucket(stateBucket)
	if n == 0 {
		return state.Delete(debtsKey)
	}
	return state.Put(debtsKey, sealed(debtsKey, append(binary.AppendUvarint(nil, uint64(n)), b...)))
}

// readDebts finds them in the file, oldest first, with the names of their runs.
func readDebts(b *base) (debts []*layer, runs []string, err error) {
	v, ok, err := b.stateOf(debtsKey)
	if !ok || err != nil {
		return nil, nil, err
	}
	d := decoder{b: append([]byte{}, v...)}
	for range d.number() {
		file, paid, phase := string(d.string()), d.string(), d.bytes(1)
		var s spans
		for range d.number() {
			s = append(s, span{lower: d.string(), upper: d.string()})
			if d.failed {
				break
			}
		}
		if d.failed {
			break
		}
		debts = append(debts, &layer{delta: &delta{spans: s}, debt: &debt{paid: paid, cleared: phase[0] == 1}})
		runs = append(runs, file)
	}
	if d.failed || len(d.b) > 0 {
		return nil, nil, fmt.Errorf("%w: debts %x", ErrCorrupt, v)
	}
	return debts, runs, nil
}

// openDebts adds the debts in the file to a version that is nobody's yet. Who gives it up after an error has nothing to
// release but the base.
func openDebts(o *Options, v *version) error {
	debts, runs, err := readDebts(v.base)
	if err != nil {
		return err
	}
	for i, l := range debts {
		v.layers = append([]*layer{l}, v.layers...)
		if runs[i] == "" {
			continue
		}
		if l.run, err = openRun(o.FS, o.FS.PathJoin(o.Dir, runs[i])); err != nil {
			v.releaseLayers()
			v.layers = nil
			if oserror.IsNotExist(err) {
				err = fmt.Errorf("%w: %w", ErrCorrupt, err)
			}
			return err
		}
		l.run.refs.Add(1)
		v.base.hold(l.run)
	}
	return nil
}

func (v *version) releaseLayers() {
	for _, l := range v.layers {
		if l.run != nil {
			l.run.release()
		}
	}
}

// removeRuns removes the files of runs that are no debts: of imports that no checkpoint has taken over, and of debts that were
// paid. It finds the numbers that are taken.
func (e *Engine) removeRuns(v *version) error {
	fs := e.opts.FS
	names, err := fs.List(e.opts.Dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !strings.HasPrefix(n, runFilePrefix) {
			continue
		}
		var number uint64
		if _, err := fmt.Sscanf(n, runFilePrefix+"%d", &number); err == nil && number > e.numbers.Load() {
			e.numbers.Store(number)
		}
		if slices.ContainsFunc(v.layers, func(l *layer) bool { return l.run != nil && l.run.name == n }) {
			continue
		}
		if err := fs.Remove(fs.PathJoin(e.opts.Dir, n)); err != nil {
			return err
		}
	}
	return nil
}

// pay pays a part of the oldest debt. e.checkpoint is held.
func (e *Engine) pay(l *layer) error {
	v := e.now.Load()
	p := payment{budget: e.opts.partKeys, bytes: partBytes, paid: l.debt.paid, cleared: l.debt.cleared}
	var rest *layer
	err := e.commit(v.base, func(tx *bolt.Tx) error {
		done, err := p.part(tx, v.base, l)
		if err != nil {
			return err
		}
		if !done {
			next := *l
			next.debt = &debt{paid: p.paid, cleared: p.cleared}
			rest = &next
		}
		return putDebts(tx, v.replace(l, rest))
	})
	if err != nil {
		return err
	}
	if err := e.publish(nil, func(now *version) { now.layers = now.replace(l, rest) }); err != nil {
		return err
	}
	if rest != nil || l.run == nil {
		return nil
	}
	l.run.release()
	if err := e.opts.FS.Remove(e.opts.FS.PathJoin(e.opts.Dir, l.run.name)); err != nil {
		e.opts.Logger.Warn("cannot remove a file that is not needed any more: the next start does", "engine", name, "file", l.run.name, "error", err)
	}
	return nil
}

// payment is what one transaction pays.
type payment struct {
	budget, bytes int
	paid          []byte
	cleared       bool
}

// spend counts a key. It is false when enough has been done.
func (p *payment) spend(key, value []byte) bool {
	if p.budget <= 0 || p.bytes <= 0 {
		p.paid = append([]byte{}, key...)
		return false
	}
	p.budget--
	p.bytes -= len(key) + len(value)
	return true
}

// part reports whether the debt is paid.
func (p *payment) part(tx *bolt.Tx, before *base, l *layer) (done bool, err error) {
	rows, err := writeTo(tx, before)
	if err != nil {
		return false, err
	}
	if !p.cleared {
		c := before.cursor()
		defer before.putBack(c)
		for _, s := range l.delta.spans {
			from := s.lower
			if string(p.paid) > string(from) {
				from = p.paid
			}
			for k, v := c.seek(from); k != nil && string(k) < string(s.upper); k, v = c.next() {
				if !p.spend(k, v) {
					return false, nil
				}
				if err := rows.delete(k); err != nil {
					return false, err
				}
			}
			if c.err != nil {
				return false, c.err
			}
		}
		p.cleared, p.paid = true, nil
	}
	if l.run == nil {
		return true, nil
	}
	it := runIter{r: l.run}
	for it.seekGE(p.paid); it.valid(); it.next() {
		en := it.entry()
		if !p.spend(en.key, en.value) {
			return false, nil
		}
		if en.deleted {
			err = rows.delete(en.key)
		} else {
			err = rows.put(en.key, sealed(en.key, en.value))
		}
		if err != nil {
			return false, errors.Join(it.err, err)
		}
	}
	return it.err == nil, it.err
}
