package txn

import (
	"bytes"

	"github.com/tidwall/btree"

	"github.com/duramendb/duramen/engine"
)

// source is one of the sorted inputs of a merged walk.
type source interface {
	valid() bool
	key() []byte
	// value is nil for a key that is deleted in this source.
	value() []byte
	seq() uint64
	// first positions at the beginning of the walk, in its direction; next moves on.
	first()
	next()
	err() error
	close() error
}

// treeSource walks a tree of writes between two keys.
type treeSource struct {
	it           btree.IterG[write]
	lower, upper []byte
	reverse      bool
	seqAll       uint64 // of all writes, or 0 if each has its own
	ok           bool
	cur          write
}

func newTreeSource(tree *writeTree, seqAll uint64, lower, upper []byte, reverse bool) *treeSource {
	return &treeSource{it: tree.Iter(), lower: lower, upper: upper, reverse: reverse, seqAll: seqAll}
}

func (s *treeSource) first() {
	switch {
	case !s.reverse:
		s.ok = s.it.Seek(write{key: s.lower})
	case s.upper == nil:
		s.ok = s.it.Last()
	case s.it.Seek(write{key: s.upper}):
		s.ok = s.it.Prev()
	default:
		s.ok = s.it.Last()
	}
	s.load()
}

func (s *treeSource) next() {
	if s.reverse {
		s.ok = s.it.Prev()
	} else {
		s.ok = s.it.Next()
	}
	s.load()
}

func (s *treeSource) load() {
	if !s.ok {
		return
	}
	s.cur = s.it.Item()
	if s.reverse {
		s.ok = bytes.Compare(s.cur.key, s.lower) >= 0
	} else {
		s.ok = s.upper == nil || bytes.Compare(s.cur.key, s.upper) < 0
	}
}

func (s *treeSource) valid() bool   { return s.ok }
func (s *treeSource) key() []byte   { return s.cur.key }
func (s *treeSource) value() []byte { return s.cur.value }
func (s *treeSource) err() error    { return nil }
func (s *treeSource) close() error  { return nil }

func (s *treeSource) seq() uint64 {
	if s.seqAll != 0 {
		return s.seqAll
	}
	return s.cur.seq
}

// engineSource walks an engine's iterator.
type engineSource struct {
	it      engine.Iterator
	reverse bool
	ok      bool
}

func (s *engineSource) first() {
	if s.reverse {
		s.ok = s.it.Last()
	} else {
		s.ok = s.it.First()
	}
}

func (s *engineSource) next() {
	if s.reverse {
		s.ok = s.it.Prev()
	} else {
		s.ok = s.it.Next()
	}
}

func (s *engineSource) valid() bool  { return s.ok }
func (s *engineSource) key() []byte  { return s.it.Key() }
func (s *engineSource) seq() uint64  { return 0 }
func (s *engineSource) err() error   { return s.it.Error() }
func (s *engineSource) close() error { return s.it.Close() }

func (s *engineSource) value() []byte {
	if v := s.it.Value(); v != nil {
		return v
	}
	return emptyValue
}

var emptyValue = []byte{}

// merged walks several sources at once. Of a key that is in more than one the
// newest write counts, and if that is a delete the key is left out.
//
// With both set, it returns the newest write and the engine's own entry: a
// secondary index read through an older read view may hold, under the same
// key, an entry of its own and one that the transaction wrote. Deletes then hide nothing:
// the caller checks entries against their rows.
type merged struct {
	sources []source
	reverse bool
	both    bool
	started bool
	current source
	// alone is the engine when it is the only source: it holds no deletes, and nothing hides its keys.
	alone *engineSource
	// newest is the highest seq that decided about a key so far, own writes
	// aside: pending writes that were returned, or that hid a key.
	newest uint64
}

// next moves to the next key.
func (m *merged) next() bool {
	switch {
	case !m.started:
		m.started = true
		for _, s := range m.sources {
			s.first()
		}
		if len(m.sources) == 1 {
			m.alone, _ = m.sources[0].(*engineSource)
		}
	case m.current == nil:
	case m.alone != nil:
		m.alone.next()
	default:
		m.advance()
	}
	if m.alone != nil {
		m.current = nil
		if m.alone.ok {
			m.current = m.alone
		}
		return m.alone.ok
	}
	for {
		m.current = m.pick()
		if m.current == nil {
			return false
		}
		if seq := m.current.seq(); seq != ownSeq {
			m.newest = max(m.newest, seq)
		}
		if m.current.value() != nil {
			return true
		}
		m.advance()
	}
}

// pick finds the source with the next key, the newest if there are several.
func (m *merged) pick() source {
	var best source
	for _, s := range m.sources {
		if !s.valid() {
			continue
		}
		if best == nil {
			best = s
			continue
		}
		c := bytes.Compare(s.key(), best.key())
		if m.reverse {
			c = -c
		}
		if c < 0 || c == 0 && s.seq() > best.seq() {
			best = s
		}
	}
	return best
}

// advance moves every source past the current key.
func (m *merged) advance() {
	cur := m.current
	if len(m.sources) > 1 {
		for _, s := range m.sources {
			if s == cur || !s.valid() || !bytes.Equal(s.key(), cur.key()) {
				continue
			}
			if m.both && (cur.value() == nil || !bytes.Equal(s.value(), cur.value())) {
				continue
			}
			s.next()
		}
	}
	cur.next()
}

func (m *merged) fromEngine() bool { return m.current.seq() == 0 }

func (m *merged) err() error {
	for _, s := range m.sources {
		if err := s.err(); err != nil {
			return err
		}
	}
	return nil
}

func (m *merged) close() error {
	var first error
	for _, s := range m.sources {
		if err := s.close(); err != nil && first == nil {
			first = err
		}
	}
	m.sources = nil
	return first
}
