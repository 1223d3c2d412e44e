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
//
// Asking Pebble how many versions it went over costs as much as a third of a step: it returns a copy of a large struct. So that is asked
// after the first step, and then less and less often while the answer is good.
type stepper struct {
	it    *pebble.Iterator
	seeks int // this many keys are sought before steps are tried again
	key   []byte

	// unchecked steps were made since Pebble was asked; at interval it is time to ask again.
	unchecked, interval int
	// versions is how many it had gone over then, in either direction.
	versions int
}

const (
	// A seek costs as much as this many steps over versions, or a few times more.
	versionsMax = 16
	// seekRun is the number of keys that are sought after some with more versions than that.
	seekRun = 32
	// intervalMax bounds what is lost at the beginning of a run of keys with many versions.
	intervalMax = 16
)

func (s *stepper) next() bool {
	if s.seeks > 0 && s.it.Valid() {
		s.key = append(append(s.key[:0], s.it.Key()...), 0)
		ok := s.it.SeekGE(s.key)
		s.sought()
		return ok
	}
	ok := s.it.Next()
	s.stepped()
	return ok
}

func (s *stepper) prev() bool {
	if s.seeks > 0 && s.it.Valid() {
		s.key = append(s.key[:0], s.it.Key()...)
		ok := s.it.SeekLT(s.key)
		s.sought()
		return ok
	}
	ok := s.it.Prev()
	s.stepped()
	return ok
}

// sought counts a seek. When there were enough, the next step is looked at again.
func (s *stepper) sought() {
	if s.seeks--; s.seeks == 0 {
		s.versions, s.unchecked, s.interval = s.wentOver(), 0, 0
	}
}

func (s *stepper) stepped() {
	if s.unchecked++; s.unchecked >= s.interval {
		s.check()
	}
}

// check chooses between steps and seeks by what was gone over since the last check: by steps, and by a seek in between that had to skip
// something as well.
func (s *stepper) check() {
	now := s.wentOver()
	if now-s.versions > s.unchecked*versionsMax {
		s.seeks = seekRun
	}
	s.versions, s.unchecked = now, 0
	s.interval = min(2*s.interval+1, intervalMax)
}

func (s *stepper) wentOver() int {
	stats := s.it.Stats()
	return stats.ForwardStepCount[pebble.InternalIterCall] + stats.ReverseStepCount[pebble.InternalIterCall]
}
