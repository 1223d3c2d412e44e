package gtid

import "maps"

// State is a binlog state: for every domain the last sequence number of every
// server, and which of the servers wrote last. The zero value is not usable,
// NewState is.
type State struct {
	domains map[uint32]*domainState
}

type domainState struct {
	last    GTID
	servers map[uint32]uint64
}

// NewState returns an empty state.
func NewState() *State { return &State{domains: map[uint32]*domainState{}} }

// StateFromList builds the state that List described: entries are applied in
// order, so of each domain the last entry becomes the domain's last GTID.
func StateFromList(list []GTID) *State {
	s := NewState()
	for _, g := range list {
		s.Update(g)
	}
	return s
}

// ParseState reads the text form of gtid_binlog_state. As in MariaDB, of each
// domain the last entry listed is the last one logged.
func ParseState(text string) (*State, error) {
	list, err := parseList(text)
	if err != nil {
		return nil, err
	}
	return StateFromList(list), nil
}

// Update records that g was logged after everything recorded before. It does
// not insist on rising sequence numbers: that is the caller's
// gtid_strict_mode.
func (s *State) Update(g GTID) {
	d := s.domains[g.Domain]
	if d == nil {
		d = &domainState{servers: map[uint32]uint64{}}
		s.domains[g.Domain] = d
	}
	d.last = g
	d.servers[g.Server] = g.Seq
}

// Last returns the GTID logged last in the domain.
func (s *State) Last(domain uint32) (GTID, bool) {
	d := s.domains[domain]
	if d == nil {
		return GTID{}, false
	}
	return d.last, true
}

// Lookup returns the last sequence number that the server logged in the domain.
func (s *State) Lookup(domain, server uint32) (seq uint64, ok bool) {
	d := s.domains[domain]
	if d == nil {
		return 0, false
	}
	seq, ok = d.servers[server]
	return seq, ok
}

// Contains reports whether g lies at or before what its server last logged in
// its domain. The log may have holes, so this does not prove that g itself is there.
func (s *State) Contains(g GTID) bool {
	seq, ok := s.Lookup(g.Domain, g.Server)
	return ok && g.Seq <= seq
}

// MaxSeq returns the highest sequence number of any server in the domain:
// the next local transaction gets a higher one.
func (s *State) MaxSeq(domain uint32) uint64 {
	var highest uint64
	if d := s.domains[domain]; d != nil {
		for _, seq := range d.servers {
			highest = max(highest, seq)
		}
	}
	return highest
}

// Len is the number of (domain, server) pairs.
func (s *State) Len() int {
	n := 0
	for _, d := range s.domains {
		n += len(d.servers)
	}
	return n
}

// DropDomain forgets a domain (FLUSH BINARY LOGS DELETE_DOMAIN_ID).
func (s *State) DropDomain(domain uint32) { delete(s.domains, domain) }

// Position returns the last GTID of each domain (gtid_binlog_pos).
func (s *State) Position() Position {
	p := make(Position, len(s.domains))
	for id, d := range s.domains {
		p[id] = d.last
	}
	return p
}

// List returns all entries as a GTID_LIST event holds them: domain by domain,
// each domain's last GTID after its others. Domains and servers are sorted,
// so that equal states give equal lists.
func (s *State) List() []GTID {
	list := make([]GTID, 0, s.Len())
	for _, id := range sortedKeys(s.domains) {
		d := s.domains[id]
		for _, server := range sortedKeys(d.servers) {
			if server != d.last.Server {
				list = append(list, GTID{Domain: id, Server: server, Seq: d.servers[server]})
			}
		}
		list = append(list, d.last)
	}
	return list
}

// String is List separated by commas (gtid_binlog_state); ParseState reads it.
func (s *State) String() string { return formatList(s.List()) }

// Clone returns an independent copy.
func (s *State) Clone() *State {
	c := &State{domains: make(map[uint32]*domainState, len(s.domains))}
	for id, d := range s.domains {
		c.domains[id] = &domainState{last: d.last, servers: maps.Clone(d.servers)}
	}
	return c
}

// Equal reports whether both states hold the same entries with the same last
// GTID in each domain.
func (s *State) Equal(t *State) bool {
	return maps.EqualFunc(s.domains, t.domains, func(a, b *domainState) bool {
		return a.last == b.last && maps.Equal(a.servers, b.servers)
	})
}
