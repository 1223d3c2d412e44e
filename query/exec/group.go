package exec

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/types"
)

// groups are the groups of rows, in the order in which they were met.
type groups struct {
	keys   []*key.Writer
	byKey  map[string]int
	list   []group
	states []aggregate.States
	charge int64 // bytes of the states that were charged
	at     int   // the group that is seen
}

// group is one group. Columns that are not the same for all its rows are shown as those of the first one.
type group struct {
	key   []byte
	image []byte
	kept  []types.Value
	// accepted is the first row's number among those that WHERE has accepted.
	accepted uint64
}

// groupBytes is what a group takes beside its bytes.
const groupBytes = 152

// group reads all rows and puts them together.
func (s *selection) group() error {
	g := &s.groups
	for i, x := range s.p.Group.Keys {
		w, err := key.New(x, s.p.Group.Descending[i])
		if err != nil {
			return err
		}
		g.keys = append(g.keys, w)
	}
	g.byKey = map[string]int{}
	for _, fn := range s.p.Group.Aggregates {
		states := fn.States()
		if k, ok := states.(aggregate.Keeper); ok && s.p.Temporary {
			k.Kept()
		}
		g.states = append(g.states, states)
	}
	s.f.Aggregates = make([]types.Value, len(g.states))
	if !s.p.Group.Keyed && !s.add(nil, nil) {
		return s.f.Diag.Failed()
	}
	for i, end := range s.p.Group.Ends {
		if end == nil {
			continue
		}
		if err := s.end(i, end); err != nil {
			return err
		}
	}
	if !s.p.Group.NoRows {
		if err := s.each(s.collect); err != nil {
			return err
		}
	}
	slices.SortFunc(g.list, func(a, b group) int { return bytes.Compare(a.key, b.key) })
	return nil
}

// end finds the least or greatest value at an end of an index.
func (s *selection) end(fn int, end *plan.Access) (err error) {
	all := s.source
	s.source.access = *end
	err = s.each(func() error {
		states := s.groups.states[fn]
		states.Add(s.f, 0)
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		if states.Result(s.f, 0).Null {
			return nil
		}
		return errEnough
	})
	err = errors.Join(err, s.source.close())
	s.source = all
	return err
}

// collect adds the frame's row to its group.
func (s *selection) collect() error {
	g := &s.groups
	at, known := 0, true // the only group
	if s.scratch = s.scratch[:0]; s.p.Group.Keyed {
		for _, w := range g.keys {
			s.scratch = w.Append(s.scratch, s.f)
		}
		at, known = g.byKey[string(s.scratch)]
	}
	switch {
	case !known:
		at = len(g.list)
		if !s.add(s.scratch, s.image()) {
			return s.f.Diag.Failed()
		}
		for _, x := range s.p.Group.Constants {
			x.Compute(s.f)
		}
		g.list[at].accepted = s.f.Accepted
	case g.list[at].image == nil:
		g.list[at].image, g.list[at].accepted = bytes.Clone(s.image()), s.f.Accepted
	}
	if s.p.Kept != nil && !s.p.KeptLate && g.list[at].kept == nil && !s.keepGroup(at) {
		return s.f.Diag.Failed()
	}
	for _, i := range s.p.Group.Adding {
		g.states[i].Add(s.f, at)
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
	}
	return nil
}

// add makes a group.
func (s *selection) add(key, image []byte) bool {
	g := &s.groups
	key = bytes.Clone(key)
	g.byKey[string(key)] = len(g.list)
	g.list = append(g.list, group{key: key, image: bytes.Clone(image)})
	bytes := int64(0)
	for _, st := range g.states {
		st.Grow(len(g.list))
		bytes += st.Bytes()
	}
	grown := bytes - g.charge
	g.charge = bytes
	return s.charge(grown + int64(2*len(key)+len(image)) + groupBytes)
}

// see makes a group the one that the frame shows.
func (s *selection) see(at int) {
	g := &s.groups
	g.at = at
	s.set(g.list[at].image)
	n := g.byKey[string(g.list[at].key)] // its place before they were sorted
	for i, st := range g.states {
		s.f.Aggregates[i] = st.Result(s.f, n)
	}
	s.f.Accepted = max(g.list[at].accepted, 1)
	if s.p.Kept != nil && (g.list[at].kept != nil || s.keepGroup(at)) {
		s.f.Kept = g.list[at].kept
	}
}

// eachGroup calls f for every group that HAVING asks for.
func (s *selection) eachGroup(f func() error) error {
	if s.cut {
		return nil // what is not computed of all rows is not shown
	}
	for at := range s.groups.list {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		s.f.Reset()
		s.see(at)
		ok := s.had()
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		if !ok {
			continue
		}
		switch err := f(); {
		case errors.Is(err, errEnough):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}
