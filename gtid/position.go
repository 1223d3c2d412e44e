package gtid

import (
	"fmt"
	"maps"
)

// Position is the last GTID seen in each domain. A nil Position is empty and
// may be read.
type Position map[uint32]GTID

// ParsePosition reads a comma separated list with at most one GTID per
// domain. The empty string is the empty position.
func ParsePosition(s string) (Position, error) {
	list, err := parseList(s)
	if err != nil {
		return nil, err
	}
	p := make(Position, len(list))
	for _, g := range list {
		if _, dup := p[g.Domain]; dup {
			return nil, fmt.Errorf("%w: %q", ErrDuplicateDomain, s)
		}
		p[g.Domain] = g
	}
	return p, nil
}

// String is sorted by domain, separated by commas.
func (p Position) String() string { return formatList(p.List()) }

// List returns the position's GTIDs sorted by domain.
func (p Position) List() []GTID {
	list := make([]GTID, 0, len(p))
	for _, d := range sortedKeys(p) {
		list = append(list, p[d])
	}
	return list
}

// Update replaces the domain's entry by g, whatever it was.
func (p Position) Update(g GTID) { p[g.Domain] = g }

// Clone returns an independent copy, never nil.
func (p Position) Clone() Position {
	c := make(Position, len(p))
	maps.Copy(c, p)
	return c
}

// Equal reports whether both positions hold the same GTIDs.
func (p Position) Equal(q Position) bool { return maps.Equal(p, q) }
