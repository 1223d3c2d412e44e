package binlog

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// Recovery decides before it changes anything: Scan reads, and makes a Plan; the
// caller compares it with what the engines hold; Plan.Open carries it out.

// ScanSpec says what Scan is to look at.
type ScanSpec struct {
	// Engine is the position from which engines will replay: from its segment on,
	// every event is verified. Of the segments before, only header and end are. The zero
	// value verifies everything.
	Engine logpos.Pos
	// EngineState is the GTID state at Engine.
	EngineState *gtid.State
	// VerifyAll verifies every event of every segment.
	VerifyAll bool
	// Until ends the log there; the zero value does not.
	Until Until
	// Demoted says that Until is what --init-rpl-role=SLAVE asks for, and not an operator: the log of the server says so.
	Demoted bool
	// ProgressInterval is the time between two reports on a long scan; 0 means ProgressInterval.
	ProgressInterval time.Duration
}

// Plan is what Scan found, and what Open is going to do about it: plain data,
// nothing has been changed yet.
type Plan struct {
	// Recovered tells about the end of the log. With Damage it is the end of what is
	// valid before that, and State is not set.
	Recovered
	// Row is the row of the recovery table that decided: the last segment's, or the damaged one's. Cause is the fault
	// that the table names for it.
	Row, Cause string
	// Damage is why the log cannot be used: a *CorruptError or an ErrIndex; nil if it can.
	Damage error
	// First is where the log begins, zero if it is new, and FirstState the GTID state there.
	// Complete says that recovery needed nothing before First when that segment was made.
	First      logpos.Pos
	FirstState *gtid.State
	Complete   bool
	// Boundary says that ScanSpec.Engine is the end of a group, as far as that was looked at.
	Boundary bool
	// SetAside are the files that hold what lies after ScanSpec.Until; Open keeps them in
	// another directory.
	SetAside []string
	// Anew says that the log starts anew at ScanSpec.Engine: everything before is set aside, too.
	Anew bool
	// Reset is a RESET MASTER that was interrupted; Open goes on with it, and FinishReset ends
	// it. The engines' marks have to move to the new log's start in between. First and End are zero then.
	Reset *Reset

	o        Options
	dir      dir
	spec     ScanSpec
	segments []*segment // that stay
	unclosed []*segment // those of them that a rotation had left, and not closed yet
	remove   []string   // left over from something that was interrupted
	// nextTwice: the file of the next segment is a second name of the last one.
	nextTwice bool
	// nextDamaged: the file of the next segment may hold groups, and is damaged.
	nextDamaged bool
	// finish says how the last segment is closed.
	finish finish
	// lastNumber is the highest number of any segment.
	lastNumber uint64
	// copyLast: the last segment is set aside, and goes on as a copy of its part before the end.
	copyLast   bool
	reached    bool  // Until was found
	tornReason error // why the scan ended at the torn place
}

// finish is how the last segment becomes a closed one.
type finish int

const (
	finishNothing finish = iota // it is closed
	finishEnded                 // it has its STOP or ROTATE, and is only not cut or still marked
	finishCut                   // cut, ROTATE, and closed
)

// lastOnly is a position after every segment.
var lastOnly = logpos.Pos{Segment: 1<<64 - 1}

// Scan reads the log in o.Dir and decides how to recover it. It changes nothing. The
// error is that of a disk that cannot be read, or of an Until that does not exist
// (ErrPosition); damage is in the plan.
func Scan(o Options, spec ScanSpec) (*Plan, error) {
	o.EnsureDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{o: o, dir: o.dir(), spec: spec}
	p.State = gtid.NewState()
	reset, err := p.dir.readReset()
	switch {
	case errors.Is(err, ErrCorrupt):
		p.Damage = err
		return p, nil
	case err != nil:
		return nil, err
	case reset != nil:
		return p, p.planReset(reset)
	}
	p.dir.unnamed, p.nextTwice, err = p.dir.findUnnamed()
	switch {
	case errors.Is(err, ErrCorrupt) || errors.Is(err, ErrIndex):
		if p.Damage = err; spec.Until.IsZero() {
			return p, nil
		}
		p.nextDamaged = true
	case err != nil:
		return nil, err
	}
	var set fileSet
	if spec.Until.IsZero() {
		set, err = p.dir.reconcileFiles()
	} else {
		set, err = p.dir.reconcileUntil(spec.Engine.Segment)
	}
	if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrIndex) {
		return nil, err
	}
	if err != nil {
		p.Damage = err
	}
	p.remove = set.remove
	if len(set.segments) == 0 && errors.Is(err, ErrIndex) { // the files can still say where the log ends
		if set, err = p.dir.reconcileUntil(spec.Engine.Segment); err != nil {
			return nil, err
		}
	}
	for _, n := range slices.Concat(set.segments, set.later) {
		p.lastNumber = max(p.lastNumber, n)
	}
	if err := p.scanSegments(set); err != nil {
		return nil, err
	}
	if err := p.applyUntil(set); err != nil {
		return nil, err
	}
	return p, nil
}

// scanSegments goes through the segments until the end, damage, or Until.
func (p *Plan) scanSegments(set fileSet) error {
	var prev *segmentStates // of the segment before, if it was read
	verifyFrom := p.spec.Engine.Segment
	if p.spec.VerifyAll {
		verifyFrom = 0
	}
	progress, err := p.newProgress(set.segments, verifyFrom)
	if err != nil {
		return err
	}
	for i, n := range set.segments {
		seg := &segment{n: n, name: p.dir.segmentName(n)}
		live := i == len(set.segments)-1 && p.Damage == nil && len(set.later) == 0
		listed := live || n < set.listed
		x := examination{dir: p.dir, seg: seg, live: live, listed: listed, prev: prev, progress: progress,
			whole: live || !listed || n >= verifyFrom || p.spec.Until.in(n)}
		if p.spec.Until.in(n) {
			x.until, x.untilGTID = p.spec.Until.Pos.Offset, p.spec.Until.GTID
		}
		if n == p.spec.Engine.Segment {
			x.boundary = p.spec.Engine.Offset
		}
		found, err := x.run()
		if err != nil {
			return err
		}
		p.Boundary = p.Boundary || n == p.spec.Engine.Segment && found.boundary
		p.take(seg, live, &found)
		p.reached = p.reached || errors.Is(found.stop, errReached) || p.spec.Until.within(n, &found)
		if found.damage != nil {
			p.Damage = found.damage
			return nil //nolint:nilerr // the plan says what is to be done about it
		}
		if p.reached {
			return nil
		}
		prev = nil
		if x.whole {
			prev = &segmentStates{found.list, found.state}
		}
	}
	return nil
}

// take notes what was found in a segment.
func (p *Plan) take(seg *segment, live bool, found *finding) {
	p.Row, p.Cause = found.row.label, found.row.cause
	if found.list == nil { // a broken header: the log ends with the segment before
		return
	}
	p.State = found.state
	p.End = logpos.At(seg.n, found.groupsEnd())
	if len(p.segments) == 0 {
		p.First, p.FirstState, p.Complete = logpos.At(seg.n, found.header.end), found.list, found.recoverFrom == seg.name
	}
	seg.first, seg.headerEnd, seg.samples = found.list, found.header.end, found.samples
	seg.sampled = !found.skimmed
	seg.size, seg.closed = found.limit, true
	p.segments = append(p.segments, seg)
	p.finish = finishNothing
	if !live && found.unclosed() {
		seg.size = found.evEnd
		p.unclosed = append(p.unclosed, seg)
	}
	if !live || found.damage != nil {
		return
	}
	p.Crashed = found.inUse
	if found.row.decision == torn {
		p.TornBytes, p.TornFile = int64(max(found.tail.dataEnd, found.evEnd)-found.unitEnd), seg.name
		p.tornReason = endReason(found.contents)
	}
	switch {
	case !found.ended:
		seg.size, p.finish = found.unitEnd, finishCut
	case found.inUse || found.limit > found.evEnd:
		seg.size, p.finish = found.evEnd, finishEnded
	}
}

// newProgress starts the report on the segments that will be read as a whole.
func (p *Plan) newProgress(segments []uint64, verifyFrom uint64) (*Progress, error) {
	var total int64
	for i, n := range segments {
		if n < verifyFrom && i < len(segments)-1 {
			continue
		}
		path := p.dir.path(p.dir.segmentName(n))
		fi, err := p.dir.fs.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("stat %s: %w", path, err)
		}
		total += fi.Size()
	}
	return NewProgress(p.o.Logger, "verifying the binary log", total, p.spec.ProgressInterval), nil
}

// ReplayBytes is about how much of the log lies after an engine's position.
func (p *Plan) ReplayBytes(engine logpos.Pos) int64 {
	var n int64
	for _, s := range p.segments {
		switch {
		case s.n == engine.Segment:
			n += int64(s.size) - int64(min(engine.Offset, s.size))
		case s.n > engine.Segment:
			n += int64(s.size)
		}
	}
	return n
}

// examination is the reading of one segment.
type examination struct {
	dir    dir
	seg    *segment
	live   bool           // the last one, which a crash may have torn
	listed bool           // it is the last one, or the index lists the one after it
	whole  bool           // read every event
	prev   *segmentStates // of the segment before; nil if that is not known

	until     uint64
	untilGTID gtid.GTID
	boundary  uint64
	progress  *Progress
}

// segmentStates is the GTID states at both ends of a segment.
type segmentStates struct{ start, end *gtid.State }

// leadsTo reports whether the next segment may begin with a state: with that at the end of this
// one, without any domains of which this one has nothing (FLUSH BINARY LOGS DELETE_DOMAIN_ID).
func (h *segmentStates) leadsTo(state *gtid.State) bool {
	if h == nil || h.end.Equal(state) {
		return true
	}
	end, start := h.end.Clone(), h.start.Clone()
	for domain := range end.Position() {
		if _, kept := state.Last(domain); kept {
			start.DropDomain(domain)
		}
	}
	dropped := end.Clone()
	for domain := range state.Position() {
		dropped.DropDomain(domain)
	}
	for domain := range dropped.Position() {
		end.DropDomain(domain)
	}
	for domain := range start.Position() {
		if _, ok := dropped.Last(domain); !ok {
			start.DropDomain(domain)
		}
	}
	return end.Equal(state) && dropped.Equal(start)
}

// finding is what an examination found.
type finding struct {
	contents
	tail   tail
	limit  uint64 // size of the file
	row    *row
	damage error
	// skimmed says that only header and end were read.
	skimmed bool
}

// unclosed says that a segment, not the last one, has all its events, and is only not cut or still marked.
func (f *finding) unclosed() bool {
	return f.damage == nil && f.ended && !errors.Is(f.stop, errReached) && (f.inUse || f.limit > f.evEnd)
}

func (x *examination) run() (found finding, err error) {
	path := x.dir.path(x.seg.name)
	f, s, err := x.dir.openScanner(x.seg.name)
	if err != nil {
		return found, err
	}
	defer f.Close() // it was only read
	found.limit = s.limit
	if !x.whole {
		done, err := x.skim(f, s, &found)
		if err != nil || done {
			return found, err
		}
		s.off = 0
	}
	found.contents, err = segmentScan{s: s, path: path, until: x.until, untilGTID: x.untilGTID, boundary: x.boundary, progress: x.progress}.run()
	var ce *CorruptError
	if errors.As(err, &ce) {
		found.row = rowFor(facts{factHeader: found.list != nil})
		found.damage = &CorruptError{File: path, Offset: ce.Offset, Reason: ce.Reason, Row: found.row.label, Cause: found.row.cause}
		return found, nil
	}
	if err != nil {
		return found, err
	}
	if !errors.Is(found.stop, errReached) {
		if found.tail, err = scanTail(f, found.evEnd, s.limit); err != nil {
			return found, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return found, x.decide(f, &found)
}

// skim looks at header and end of a closed segment. done is false if something is wrong, which
// the whole scan then locates.
func (x *examination) skim(f io.ReaderAt, s *scanner, found *finding) (done bool, err error) {
	h, err := readHeader(s, x.dir.path(x.seg.name))
	if errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	closing, err := x.dir.checkEnd(f, x.seg.n, h.end, s.limit)
	if errors.Is(err, errNoEnd) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", x.dir.path(x.seg.name), err)
	}
	if h.inUse || !x.prev.leadsTo(h.list) {
		return false, nil
	}
	found.contents = contents{header: h, state: h.list, unitEnd: s.limit, evStart: closing, evEnd: s.limit, ended: true, stop: io.EOF}
	found.row = rowFor(facts{factListed: true, factHeader: true, factOrder: true, factChained: true, factClosed: true})
	found.skimmed = true
	return true, nil
}

// decide finds the row of a segment that was read.
func (x *examination) decide(f io.ReaderAt, found *finding) error {
	facts := factsOf(found.contents, found.tail)
	facts[factLive], facts[factChained], facts[factListed] = x.live, x.prev.leadsTo(found.list), x.listed
	switch {
	case errors.Is(found.stop, errReached): // the rest of the file is not looked at
		facts[factLive], facts[factListed], facts[factInUse] = true, true, true
		facts[factClosed], facts[factInside], facts[factRest], facts[factData], facts[factVouched] = false, false, false, false, false
	case !x.live && found.ended && !facts[factData]:
		_, err := x.dir.checkEnd(f, x.seg.n, found.header.end, found.evEnd)
		if err != nil && !errors.Is(err, errNoEnd) {
			return err
		}
		facts[factClosed] = err == nil // otherwise it goes on to another file than the next
	}
	x.conclude(facts, found)
	return nil
}

// conclude does what the table says about the facts; damage gets a place and a reason.
func (x *examination) conclude(f facts, found *finding) {
	found.row = rowFor(f)
	if found.row.decision != damaged {
		return
	}
	ce := &CorruptError{File: x.dir.path(x.seg.name), Offset: found.evEnd, Row: found.row.label, Cause: found.row.cause}
	switch {
	case !f[factChained]:
		ce.Offset, ce.Reason = found.listAt, fmt.Errorf("its GTID list is %q, but the file before ends with %q: it is not the file that was written here", found.list, x.prev.end)
	case !f[factLive] && f[factListed] && f[factInUse]:
		ce.Offset, ce.Reason = flagsOffset, errors.New("marked as in use, but a later file exists")
	case found.ended && !f[factClosed]:
		ce.Offset, ce.Reason = found.evStart, errNoEnd
	case !f[factLive] && found.ended:
		ce.Reason = errors.New("there is data after the event that ends the file")
	case !f[factLive]:
		ce.Reason = fmt.Errorf("the file was closed, but is not valid here: %w", endReason(found.contents))
	default:
		ce.Reason = damageReason(found.contents, found.tail)
	}
	found.damage = ce
}
