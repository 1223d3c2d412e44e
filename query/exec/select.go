package exec

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/key"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/row"
)

// Select gives the rows of a SELECT of one table, or of none, in their order, to emit: the frame's row is the one to show then, and what emit gets of it lives
// until it returns. An error of emit ends it.
func Select(ctx context.Context, p *plan.Select, reads Reads, f *eval.Frame, emit func() error) (err error) {
	s := selections.Get().(*selection)
	*s = selection{p: p, f: f, ctx: ctx, emit: emit, collects: reads.First, room: s.room}
	if err := s.run(reads); err != nil {
		return err
	}
	*s = selection{room: s.room.again()}
	selections.Put(s)
	return nil
}

// selections are used again. One that has failed is not: who has called it may look at its rows still.
var selections = sync.Pool{New: func() any { return new(selection) }}

func (s *selection) run(reads Reads) (err error) {
	p, f := s.p, s.f
	if reads.Found != nil {
		defer func() { *reads.Found = s.found }()
	}
	if p.Source != nil {
		s.reader = f.Reader(p.Source.Table.Layout)
		if p.Source.Place == 0 {
			f.Rows = append(f.Rows[:0], s.reader)
		} else {
			f.Rows[p.Source.Place] = s.reader
		}
		s.source = source{reads: reads, table: p.Source.Table.Table, access: p.Access, partitions: selected(p.Source)}
		s.virtual = newVirtual(p.Virtual, p.Source.Table, f)
	}
	if s.none, err = s.once(p.Once); err != nil {
		return err
	}
	none, err := s.once(p.HavingOnce)
	if none || err != nil || s.none && p.Group == nil || p.Limit.Any && p.Limit.Count == 0 && !p.CountAll { // nothing around parentheses has rows, either
		return err
	}
	defer func() { err = errors.Join(err, s.source.close()) }()
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.countMatches(); err != nil {
		return err
	}
	if p.Group == nil && len(p.Outer) == 0 && !s.sorts() {
		return s.ended(s.each(s.show))
	}
	walk := s.each
	switch {
	case p.Group != nil && p.Group.Rollup:
		walk = s.rollup
	case p.Group != nil:
		if err := s.group(); err != nil {
			return err
		}
		if p.Limit.Counts != plan.CountPass {
			if err := s.touchSorted(len(s.groups.list)); err != nil {
				return err
			}
		}
		walk = s.eachGroup
	}
	if len(p.Outer) > 0 {
		return s.nested(func() error { return s.ordered(walk) })
	}
	return s.ordered(walk)
}

// ordered emits what walk comes to, in the order that is asked for.
func (s *selection) ordered(walk func(func() error) error) error {
	run := func() error { return walk(s.show) }
	if s.sorts() {
		run = func() error { return s.sorted(walk) }
	}
	return s.ended(run())
}

// ended is the end of a walk over the rows.
func (s *selection) ended(err error) error {
	if err != nil {
		return err
	}
	if err := s.source.close(); err != nil {
		return err
	}
	return s.source.missed(s.ctx)
}

// sorts reports whether rows are kept until the last was read.
func (s *selection) sorts() bool {
	reads := s.p.Group != nil && s.p.Group.Rollup // all rows before the first one is shown
	return s.collects && !reads || s.p.Limit.Counts == plan.CountDistinct || len(s.p.Order) > 0 && !s.p.Sorted
}

// selection is a running SELECT.
type selection struct {
	p      *plan.Select
	f      *eval.Frame
	ctx    context.Context //nolint:containedctx // of the running statement
	reader *row.Reader
	source source
	emit   func() error

	order  []*key.Writer // of ORDER BY
	unique []*key.Writer // of DISTINCT
	// known is the last key that DISTINCT has not met before; again says that it is that of ORDER BY, too.
	known    []byte
	again    bool
	scratch  []byte
	accepted uint64 // rows that WHERE has accepted
	skipped  uint64
	shown    uint64
	found    int64  // rows that are asked for, without LIMIT
	cut      bool   // more rows would have been read than LIMIT ROWS EXAMINED allows
	touched  uint64 // what LIMIT ROWS EXAMINED counts, see plan.Examination
	none     bool   // no row is asked for
	place    []byte // the key of the row that is shown, where rows were sorted by it
	last     []byte // the key of the last row that LIMIT lets through; rows with the same one are its ties
	// rowKey is the key of the row, of a statement that changes rows; collects says that it reads all that it asks for before the first change.
	rowKey   []byte
	changes  bool
	deletes  bool
	collects bool
	// leavesOut says that emit may return errLeftOut.
	leavesOut bool
	room      sortRoom
	groups    groups

	// stored is the row that is read as it is in the table: the frame shows it with the VIRTUAL columns that were computed. every are those of a row
	// that is to be changed; twice says that they are computed after it was found.
	stored         []byte
	virtual, every *virtual
	indexed        *virtual // see plan.Write
	twice          bool
}

// errEnough ends a walk over rows when no more are asked for; errLeftOut says of a row that LIMIT does not count it.
var (
	errEnough  = errors.New("enough rows")
	errLeftOut = errors.New("not counted")
)

// once looks at the conditions that are the same for all rows: none says that one of them does not hold.
func (s *selection) once(conditions []plan.Condition) (none bool, err error) {
	for _, holds := range conditions {
		ok := holds(s.f)
		if err := s.f.Diag.Failed(); err != nil {
			return false, err
		}
		if !ok {
			return true, nil
		}
	}
	return false, nil
}

func (s *selection) prepare() (err error) {
	for _, o := range s.p.Order {
		w, err := key.New(o.X, o.Desc)
		if err != nil {
			return err
		}
		s.order = append(s.order, w)
	}
	if !s.p.Distinct {
		return nil
	}
	if s.room.seen == nil {
		s.room.seen = map[string]struct{}{}
	}
	s.again = len(s.p.Order) == len(s.p.Items) && s.p.Group == nil && len(s.p.Outer) == 0
	for i, item := range s.p.Items {
		w, err := key.New(item.Key, false)
		if err != nil {
			return err
		}
		s.unique = append(s.unique, w)
		s.again = s.again && !s.p.Order[i].Desc && same(s.p.Order[i].X, item.Key)
	}
	return nil
}

// each calls f for every row that is asked for, in the order in which they are read.
func (s *selection) each(f func() error) error {
	if s.none {
		return nil
	}
	for n := 0; ; n++ {
		if s.ctx.Err() != nil && (n == 0 || s.p.Source != nil) { // asked for every row: its expressions may take long
			return context.Cause(s.ctx)
		}
		counts := s.p.Limit.Counts
		if most := s.p.Limit.Examined; most != nil && s.reader != nil && counts == plan.CountPass && s.examined(n) >= *most {
			s.incomplete()
			return nil
		}
		image, ok, err := s.source.step(s.ctx)
		if err == nil && counts != plan.CountPass && !s.touch(1) {
			return s.exceeded(ok && counts == plan.CountSort)
		}
		if !ok || err != nil {
			return err
		}
		s.f.Reset()
		if s.changes {
			s.rowKey = s.source.rowKey
		}
		if s.f.Row = 1; s.changes || !s.sorts() { // rows that are sorted are counted when that is done, as messages show
			s.f.Row = uint64(n) + 1
		}
		if err := s.read(image); err != nil {
			return err
		}
		accepted := s.accepted
		s.f.Accepted = accepted + 1
		ok = s.wanted()
		if counts != plan.CountPass && s.accepted > accepted {
			s.touch(written(counts)) // what is too much is seen at the next row
		}
		if err := s.f.Diag.Failed(); err != nil {
			return err
		}
		if s.reader != nil && s.reader.Err() != nil {
			return s.reader.Err()
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
}

// set makes a row the one that is read; nil: one of which all columns are NULL.
func (s *selection) set(image []byte) {
	switch {
	case s.reader == nil: // there is no table
	case image == nil:
		s.reader.SetNull()
	default:
		s.reader.Set(image)
	}
}

// image is the row that is read.
func (s *selection) image() []byte {
	if s.reader == nil {
		return nil
	}
	return s.reader.Image()
}

// wanted reports whether the row is one that is asked for, and of equal ones the first, if that counts.
func (s *selection) wanted() bool {
	if !s.all(s.p.Where) {
		s.source.disregard(s.changes)
		return false
	}
	s.accepted++
	if s.p.Group != nil {
		return true
	}
	s.keep()
	return s.had()
}

// had reports whether HAVING asks for the row, or group, and of equal ones it is the first, if that counts.
func (s *selection) had() bool { return s.all(s.p.Having) && (!s.p.Distinct || s.first()) }

func (s *selection) all(conditions []plan.Condition) bool {
	for _, holds := range conditions {
		if !holds(s.f) {
			return false
		}
	}
	return true
}

// first reports whether the row, or group, is the first with its values.
func (s *selection) first() bool {
	s.scratch = s.scratch[:0]
	for _, w := range s.unique {
		s.scratch = w.Append(s.scratch, s.f)
	}
	if _, known := s.room.seen[string(s.scratch)]; known {
		return false
	}
	if !s.charge(int64(len(s.scratch)) + seenBytes) {
		return false
	}
	s.known = s.room.clone(s.scratch)
	s.room.seen[unsafe.String(unsafe.SliceData(s.known), len(s.known))] = struct{}{}
	return true
}

// same reports whether two expressions are one, or one column.
func same(a, b *eval.Expr) bool {
	source, ordinal, ok := a.Column()
	other, at, also := b.Column()
	return a == b || ok && also && source == other && ordinal == at && a.Type == b.Type
}

// seenBytes is what a key that was seen takes beside its bytes, sortedBytes what a row takes that is kept for sorting.
const (
	seenBytes   = 64
	sortedBytes = 128
)

// charge counts memory; if there is no more the statement fails.
func (s *selection) charge(n int64) bool {
	if s.f.Charge == nil {
		return true
	}
	if err := s.f.Charge(n); err != nil {
		s.f.FailWith(err)
		return false
	}
	return true
}

// show emits a row, unless LIMIT leaves it out.
func (s *selection) show() error {
	l := &s.p.Limit
	if !s.touchShown() {
		return errEnough
	}
	s.found++
	if s.p.CountAll && l.Any && s.shown >= l.Count && !s.ties() {
		return nil // it is only counted
	}
	if l.Any && s.skipped < l.Offset {
		s.skipped++
		return nil
	}
	if err := s.emit(); errors.Is(err, errLeftOut) {
		return nil
	} else if err != nil {
		return err
	}
	if l.Counts == plan.CountCopy {
		s.touch(1)
	}
	if s.shown++; l.Any && s.shown >= l.Count && !s.p.CountAll {
		return errEnough
	}
	if l.Ties && s.shown == l.Count {
		s.last = append([]byte{}, s.orderKey()...)
	}
	return nil
}

// ties reports whether the row is equal to the last one of those that LIMIT lets through, and these come with their ties.
func (s *selection) ties() bool {
	if s.last == nil || !bytes.Equal(s.last, s.orderKey()) {
		s.last = nil // nor is any after it
		return false
	}
	return true
}

// orderKey is the place of the frame's row in the order.
func (s *selection) orderKey() []byte {
	if s.place != nil {
		return s.place
	}
	s.scratch = s.scratch[:0]
	for _, w := range s.order {
		s.scratch = w.Append(s.scratch, s.f)
	}
	return s.scratch
}
