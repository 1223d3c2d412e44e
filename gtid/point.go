package gtid

import (
	"fmt"
	"strings"
)

// Point is what is known in GTIDs about a place in a log: its state, and how far this server was as a replica (gtid_slave_pos, gtid_executed).
type Point struct {
	State *State
	// Replicated is the last GTID of each domain that came by replication, or what SET GLOBAL gtid_slave_pos said after it. nil is empty.
	Replicated Position
	// Executed are the MySQL GTIDs of the groups that came from MySQLs, and what SET GLOBAL gtid_purged said. nil is empty.
	Executed Set
}

// partMark begins the second and the third part of a point's text. What is empty is left out, from the end.
const partMark = "|"

// NewPoint is the point where nothing has been logged.
func NewPoint() Point { return Point{State: NewState()} }

// ParsePoint reads what String wrote.
func ParsePoint(text string) (Point, error) {
	first, rest, _ := strings.Cut(text, partMark)
	second, third, more := strings.Cut(rest, partMark)
	state, err := ParseState(first)
	if err != nil {
		return Point{}, err
	}
	p := Point{State: state}
	if second != "" {
		if p.Replicated, err = ParsePosition(second); err != nil {
			return Point{}, err
		}
	}
	switch {
	case third != "":
		p.Executed, err = ParseSet(third)
	case more:
		err = fmt.Errorf("%w: %q ends with an empty part", ErrSyntax, text)
	}
	return p, err
}

// String is the text that an engine keeps in its mark: the state's, behind it the position, and behind that the set:
//
//	0-1-5                               nothing came by replication
//	0-1-5|0-1-3                         from a MariaDB (as all versions write it)
//	0-1-5|0-1-3|<uuid>:1-77             from a MySQL; the second part may be empty
func (p Point) String() string {
	text := p.State.String()
	if len(p.Replicated)+len(p.Executed) > 0 {
		text += partMark + p.Replicated.String()
	}
	if len(p.Executed) > 0 {
		text += partMark + p.Executed.String()
	}
	return text
}

// At is the place in the log of the point, as another state has it: what came by replication stays.
func (p Point) At(state *State) Point {
	return Point{State: state, Replicated: p.Replicated.Clone(), Executed: p.Executed.Clone()}
}

// Execute records that the group that was logged last is the one that a MySQL calls g.
func (p *Point) Execute(g MySQL) {
	if p.Executed == nil {
		p.Executed = Set{}
	}
	p.Executed.Add(g)
}

// SetExecuted takes a change of the set that is not a group's: SET GLOBAL gtid_purged.
func (p *Point) SetExecuted(c ExecutedChange) {
	next := c.Set.Clone()
	if c.Merge {
		next.Union(p.Executed)
	}
	p.Executed = next
}

// ExecutedChange is a change of Point.Executed: it becomes Set, or, with Merge, gets it in addition.
type ExecutedChange struct {
	Set   Set
	Merge bool
}

// String is what ParseExecutedChange reads.
func (c ExecutedChange) String() string {
	if c.Merge {
		return mergeMark + c.Set.String()
	}
	return c.Set.String()
}

// ParseExecutedChange reads what ExecutedChange.String wrote, and values of gtid_purged.
func ParseExecutedChange(text string) (ExecutedChange, error) {
	list, merge := strings.CutPrefix(strings.TrimSpace(text), mergeMark)
	set, err := ParseSet(list)
	return ExecutedChange{Set: set, Merge: merge}, err
}

// Update records that g was logged; replicated says that it came by replication.
func (p *Point) Update(g GTID, replicated bool) {
	p.State.Update(g)
	if !replicated {
		return
	}
	if p.Replicated == nil {
		p.Replicated = Position{}
	}
	p.Replicated.Update(g)
}

// Reposition takes a change of the position that is not a group's: SET GLOBAL gtid_slave_pos, or GTIDs that have gone by without being logged.
func (p *Point) Reposition(r Reposition) {
	if !r.Merge {
		p.Replicated = r.Pos.Clone()
		return
	}
	next := p.Replicated.Clone()
	for _, g := range r.Pos {
		if g.Seq > next[g.Domain].Seq {
			next.Update(g)
		}
	}
	p.Replicated = next
}

// Reposition is a change of Point.Replicated: it becomes Pos, or, with Merge, the domains in Pos become what that says
// if that is later.
type Reposition struct {
	Pos   Position
	Merge bool
}

// mergeMark begins the text of a Reposition or an ExecutedChange with Merge.
const mergeMark = "+"

// String is what ParseReposition reads.
func (r Reposition) String() string {
	if r.Merge {
		return mergeMark + r.Pos.String()
	}
	return r.Pos.String()
}

// ParseReposition reads what Reposition.String wrote.
func ParseReposition(text string) (Reposition, error) {
	list, merge := strings.CutPrefix(text, mergeMark)
	pos, err := ParsePosition(list)
	return Reposition{Pos: pos, Merge: merge}, err
}

// StateText is the part of a point's text that is its state.
func StateText(point string) string {
	state, _, _ := strings.Cut(point, partMark)
	return state
}
