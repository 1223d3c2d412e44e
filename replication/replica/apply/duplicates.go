package apply

import (
	"context"
	"sync"

	"github.com/duramendb/duramen/gtid"
)

// Duplicates has the appliers of a server apply each GTID once, where several connections bring the same domains: gtid_ignore_duplicates. As in
// MariaDB (rpl_slave_state::check_duplicate_gtid) sequence numbers alone decide, and a domain is one applier's while groups of it are under way there:
//
//   - A group whose number is not after the highest one that is durable here is left out.
//   - Any other group of a domain that another applier has is held back, until its number is among the durable ones, or the domain is free. The
//     domain's owner may fail: then the other applier goes on with exactly the first group that is missing.
//
// Nobody waits for a domain within a group: an applier that waits has nothing but groups under way, which end without it. So appliers that have
// each other's domains do not wait for each other for ever.
type Duplicates struct {
	position func() gtid.Position
	mu       struct {
		sync.Mutex
		appliers int
		domains  map[uint32]*shared
	}
}

// shared is what several appliers know of a domain.
type shared struct {
	highest uint64 // sequence number of a replicated group that is durable
	owner   *Applier
	groups  int // of the owner, which are under way; 0: there is no owner
	// changed is closed when the domain changes; nil if nobody waits for that.
	changed chan struct{}
}

// NewDuplicates is for all appliers of a server. position is gtid_slave_pos, which is asked for when the first applier begins: it is set by nobody
// else while one is there.
func NewDuplicates(position func() gtid.Position) *Duplicates { return &Duplicates{position: position} }

// enter adds an applier.
func (d *Duplicates) enter() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.appliers++; d.mu.appliers > 1 {
		return
	}
	d.mu.domains = map[uint32]*shared{}
	for _, g := range d.position() {
		d.mu.domains[g.Domain] = &shared{highest: g.Seq}
	}
}

// leave removes an applier that has nothing under way.
func (d *Duplicates) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.appliers--
}

// claim makes a group one that a has under way; false if it is durable already, by whatever connection. waits is called before it waits.
func (d *Duplicates) claim(ctx context.Context, a *Applier, g gtid.GTID, waits func()) (mine bool, err error) {
	for {
		mine, changed := d.tryClaim(a, g)
		if changed == nil {
			return mine, nil
		}
		waits()
		select {
		case <-changed:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// tryClaim is claim without the wait: changed is not nil where one is needed.
func (d *Duplicates) tryClaim(a *Applier, g gtid.GTID) (mine bool, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.domainLocked(g.Domain)
	switch {
	case g.Seq <= s.highest:
		return false, nil
	case s.groups > 0 && s.owner != a:
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		return false, s.changed
	}
	s.owner = a
	s.groups++
	return true, nil
}

// release ends what claim has begun: the group is durable, or was rolled back.
func (d *Duplicates) release(g gtid.GTID, durable bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.domainLocked(g.Domain)
	if s.groups--; s.groups == 0 {
		s.owner = nil
	}
	s.changes(g, durable)
}

// note says that a group is durable that was not claimed: of a connection without GTIDs.
func (d *Duplicates) note(g gtid.GTID, durable bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.domainLocked(g.Domain).changes(g, durable)
}

func (d *Duplicates) domainLocked(domain uint32) *shared {
	s := d.mu.domains[domain]
	if s == nil {
		s = &shared{}
		d.mu.domains[domain] = s
	}
	return s
}

// changes wakes those who wait for the domain. The caller holds mu.
func (s *shared) changes(g gtid.GTID, durable bool) {
	if durable {
		s.highest = max(s.highest, g.Seq)
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}
