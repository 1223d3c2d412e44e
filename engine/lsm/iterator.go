package lsm

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/duramendb/duramen/internal/invariants"
)

// iterator keeps the error of a value that could not be fetched.
type iterator struct {
	it      *pebble.Iterator
	stepper stepper
	err     error
	lent    invariants.Lent
	once    invariants.Once
}

func (i *iterator) First() bool            { i.lent.Recall(); return i.it.First() }
func (i *iterator) Last() bool             { i.lent.Recall(); return i.it.Last() }
func (i *iterator) SeekGE(key []byte) bool { defer i.lent.Recall(); return i.it.SeekGE(key) } // key may be its own
func (i *iterator) SeekLT(key []byte) bool { defer i.lent.Recall(); return i.it.SeekLT(key) }
func (i *iterator) Next() bool             { i.lent.Recall(); return i.stepper.next() }
func (i *iterator) Prev() bool             { i.lent.Recall(); return i.stepper.prev() }
func (i *iterator) Valid() bool            { return i.it.Valid() }
func (i *iterator) Key() []byte            { return i.lent.Lend(i.it.Key()) }

func (i *iterator) Value() []byte {
	v, err := i.it.ValueAndErr()
	if err != nil {
		i.err = fmt.Errorf("lsm: read value of %x: %w", i.it.Key(), err)
		return nil
	}
	return i.lent.Lend(v)
}

func (i *iterator) Error() error {
	if i.err != nil {
		return i.err
	}
	return i.it.Error()
}

func (i *iterator) Close() error {
	i.once.Happens("an iterator was closed")
	i.lent.Recall()
	if i.it == nil {
		return nil
	}
	err := i.it.Close()
	i.it = nil
	return err
}

// stepper moves an iterator to the next or previous key. Pebble does that by
// going over every version of the current key, one by one: a row that was updated a
// thousand times since the last flush costs a thousand steps. Where steps turn out to be that
// many, the stepper seeks past the key instead.
type stepper struct {
	it    *pebble.Iterator
	seeks int // this many keys are sought before steps are tried again
	key   []byte
}

const (
	// A seek costs as much as this many steps over versions, or a few times more.
	versionsMax = 16
	// seekRun is the number of keys that are sought after one with more versions than that.
	seekRun = 32
)

func (s *stepper) next() bool {
	if s.seeks > 0 && s.it.Valid() {
		s.seeks--
		s.key = append(append(s.key[:0], s.it.Key()...), 0)
		return s.it.SeekGE(s.key)
	}
	before := s.it.Stats().ForwardStepCount[pebble.InternalIterCall]
	ok := s.it.Next()
	if s.it.Stats().ForwardStepCount[pebble.InternalIterCall]-before > versionsMax {
		s.seeks = seekRun
	}
	return ok
}

func (s *stepper) prev() bool {
	if s.seeks > 0 && s.it.Valid() {
		s.seeks--
		s.key = append(s.key[:0], s.it.Key()...)
		return s.it.SeekLT(s.key)
	}
	before := s.it.Stats().ReverseStepCount[pebble.InternalIterCall]
	ok := s.it.Prev()
	if s.it.Stats().ReverseStepCount[pebble.InternalIterCall]-before > versionsMax {
		s.seeks = seekRun
	}
	return ok
}
