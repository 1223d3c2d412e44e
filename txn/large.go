package txn

import (
	"fmt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn/spill"
)

// place decides how the transaction is handed to the committer: as bytes, or, if
// it is a large one, as a file of events and an import. head is what precedes the events of
// the log.
func (f *flight) place(head []byte) (err error) {
	t, r := f.t, &f.req
	if t.log.InFile() {
		t.m.spills.diskUses.Add(1)
	}
	big := t.writes.set.big
	if !t.log.MayUseFile() || big == nil && int64(t.log.End()) <= t.m.sizes.threshold.Load() {
		r.Events, err = t.log.Events(head)
		return err
	}
	f.large = true
	if r.Events, r.File, err = t.log.MoveToFile(head, r.LocalOnly); err != nil || big == nil {
		return err
	}
	if r.Import, err = f.buildImport(big); err != nil {
		return fmt.Errorf("prepare the changes of a large transaction: %w", err)
	}
	return nil
}

// buildImport writes the newest version of every key into an import.
func (f *flight) buildImport(big *spill.Set) (engine.Import, error) {
	m := f.t.m
	imp, err := m.importer.NewImport(m.space.Dir())
	if err != nil {
		return nil, err
	}
	w := big.Walk()
	for w.First(); w.Valid() && err == nil; w.Next() {
		switch v := w.Version(); v.Kind {
		case spill.Put:
			err = imp.Set(v.Key, v.Value)
		case spill.Delete:
			err = imp.Delete(v.Key)
		case spill.Shadow:
		}
	}
	if err == nil {
		err = w.Err()
	}
	if err == nil {
		err = imp.Finish()
	}
	if err != nil {
		imp.Discard()
		return nil, err
	}
	return imp, nil
}
