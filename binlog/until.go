package binlog

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Until is a place in the log at which recovery is told to end it: a position,
// which is taken back to the end of the last transaction before it, or the
// transaction that is to be the last one. The zero value is no place.
type Until struct {
	Pos  logpos.Pos
	GTID gtid.GTID
}

// IsZero reports whether u is no place.
func (u Until) IsZero() bool { return u == Until{} }

// in reports whether the place can be in segment n.
func (u Until) in(n uint64) bool { return u.GTID != gtid.GTID{} || u.Pos.Segment == n }

// within reports whether u is a position in segment n, after its last group, but not after its end.
func (u Until) within(n uint64, found *finding) bool {
	return u.Pos.Segment == n && found.damage == nil && found.ended && u.Pos.Offset <= found.limit
}

// ParseUntil reads "file:offset" or a GTID "domain-server-sequence".
func ParseUntil(text, basename string) (Until, error) {
	o := Options{Basename: basename}
	o.EnsureDefaults()
	if g, err := gtid.Parse(text); err == nil && g.Seq > 0 {
		return Until{GTID: g}, nil
	}
	name, digits, ok := strings.Cut(text, ":")
	d := o.dir()
	n, isSegment := d.parseSegmentName(name)
	offset, err := strconv.ParseUint(digits, 10, 64)
	if !isSegment || !ok || err != nil || offset == 0 {
		return Until{}, fmt.Errorf("%q is neither file:offset (%s:4711) nor a GTID (0-1-4711)", text, d.segmentName(1))
	}
	return Until{Pos: logpos.At(n, offset)}, nil
}

// text is u as an operator writes it.
func (u Until) text(basename string) string {
	if u.GTID != (gtid.GTID{}) {
		return u.GTID.String()
	}
	return u.Pos.In(basename)
}

// applyUntil turns the plan into one that ends the log at Until.
func (p *Plan) applyUntil(set fileSet) error {
	u := p.spec.Until
	switch {
	case u.IsZero():
		return nil
	case !p.reached && p.Damage != nil:
		if u.Pos == p.spec.Engine && p.spec.EngineState != nil {
			p.beginAnew(set)
		}
		return nil
	case !p.reached:
		return fmt.Errorf("%w: %s: the log ends at %s", ErrPosition, u.text(p.dir.basename), p.End.In(p.dir.basename))
	}
	p.Damage = nil
	last := p.segments[len(p.segments)-1]
	path := p.dir.path(last.name)
	f, s, err := p.dir.openScanner(last.name)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	rest, err := p.rest(s)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if rest != restEnd {
		last.size, p.finish = p.End.Offset, finishCut
	}
	p.TornBytes, p.TornFile, p.copyLast = 0, "", rest == restData
	if p.copyLast {
		p.SetAside = append(p.SetAside, last.name)
	}
	if p.nextDamaged {
		p.SetAside = append(p.SetAside, p.dir.nextName())
	}
	p.unclosed = slices.DeleteFunc(p.unclosed, func(s *segment) bool { return s.n >= last.n })
	for _, n := range slices.Concat(set.segments, set.later) {
		if n > last.n || slices.Contains(set.later, n) {
			p.SetAside = append(p.SetAside, p.dir.segmentName(n))
		}
	}
	return nil
}

// rest tells what the last segment has after the end of the plan's log.
func (p *Plan) rest(s *scanner) (restFact, error) {
	s.seek(p.End.Offset)
	ev, _, err := s.next()
	if err == nil && closes(ev) && s.off == s.limit && p.finish == finishNothing {
		return restEnd, nil
	}
	if errors.Is(err, io.EOF) {
		return restZeros, nil
	}
	t, err := scanTail(s.f, p.End.Offset, s.limit)
	if err != nil || t.dataEnd == p.End.Offset {
		return restZeros, err
	}
	if p.finish == finishEnded {
		return restEnd, nil
	}
	return restData, nil
}

type restFact int

const (
	restZeros restFact = iota
	restEnd            // the event that closes the file
	restData
)

// beginAnew gives up the whole log, and begins a new one where the engines
// are: all that lies before is in them.
func (p *Plan) beginAnew(set fileSet) {
	p.Anew, p.Damage, p.segments, p.unclosed, p.finish = true, nil, nil, nil, finishNothing
	p.State, p.End, p.Boundary = p.spec.EngineState, p.spec.Engine, true
	p.SetAside = nil
	if p.nextDamaged {
		p.SetAside = append(p.SetAside, p.dir.nextName())
	}
	for _, n := range slices.Concat(set.segments, set.later) {
		p.SetAside = append(p.SetAside, p.dir.segmentName(n))
	}
	p.First, p.FirstState, p.Complete = logpos.Pos{}, nil, true
}
