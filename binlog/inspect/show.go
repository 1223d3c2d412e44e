package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
)

// ShowOptions say what Show shows, and how.
type ShowOptions struct {
	Filter Filter
	// From and To are the names of the first and the last file; "" means all.
	From, To string
	JSON     bool
	// Plain shows values and columns as mariadb-binlog does: without names,
	// signedness, and members of ENUM and SET.
	Plain bool
	// Private shows Duramen's private records, too.
	Private  bool
	Progress *Progress
	Logger   *slog.Logger // nil means slog.Default()
}

// Show writes the events of a log to out. An error that is a
// *binlog.CorruptError tells about damage; what came before it has been shown.
func Show(ctx context.Context, set *Set, o ShowOptions, out io.Writer) error {
	before, err := set.Select(o.From, o.To)
	if err != nil {
		return err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &shower{o: o, ctx: ctx, set: set, names: newDictionary(), maps: map[uint64]*tableMap{}}
	if o.JSON {
		s.sink = &jsonSink{out: out}
	} else {
		s.sink = &textSink{out: out}
	}
	if len(before) == 0 {
		before = set.Predecessors()
	}
	if o.Plain {
		before = nil
	}
	if o.Progress != nil {
		o.Progress.Total = set.TotalSize(before) + set.TotalSize(set.Files)
	}
	defer o.Progress.Clear()
	if err := s.collect(before); err != nil {
		return err
	}
	for i, f := range set.Files {
		there, err := s.reaches(i)
		if err != nil {
			return err
		}
		if there {
			err = s.file(f, i == 0, i == len(set.Files)-1)
		} else if !o.Plain {
			err = s.collect(set.Files[i : i+1])
		}
		if err != nil {
			return err
		}
		if s.finished {
			break
		}
	}
	return s.failed
}

// shower is the state of one Show.
type shower struct {
	o     ShowOptions
	ctx   context.Context
	set   *Set
	sink  sink
	names *dictionary

	// Of the file:
	r      *Reader
	closed bool // ROTATE or STOP has been read
	// Of the group:
	groups  binlog.Groups
	gtid    gtid.GTID
	inGroup bool // between a GTID event and the end of its group
	wanted  bool // the group is chosen by its GTID
	shown   bool // something of the group has been shown
	chosen  bool // the last rows event was shown
	maps    map[uint64]*tableMap
	// head are the events that are shown only if something after them is:
	// the group's GTID event, and the statement's text.
	head []pending

	finished bool
	failed   error // the first event that could not be decoded
}

type pending struct {
	raw []byte
	at  uint64
}

// item is one event on its way to a sink.
type item struct {
	file  string
	at    uint64
	ev    event.Event
	gtid  gtid.GTID // of the group; zero outside
	table *tableMap // of a rows event, if it is known
	// depth is 1 for events inside a private record.
	depth int
}

// sink writes events in one form or another.
type sink interface{ show(it *item) error }

// collect reads the table definitions in files that are not shown.
func (s *shower) collect(files []File) error {
	for _, f := range files {
		s.o.Progress.File(f.Name)
		r, err := openReader(s.set.FS, f, s.o.Progress)
		if err != nil {
			s.o.Logger.Warn("no table definitions from an earlier file: columns may lack their names", "file", f.Path, "error", err)
			continue
		}
		if r.Ours {
			err = s.collectFile(r)
		}
		r.done()
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (s *shower) collectFile(r *Reader) error {
	for {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		h, at, err := r.skim()
		if err != nil {
			return nil //nolint:nilerr // damage in a file that is not shown is Verify's business
		}
		if h.Type != event.Ignorable {
			continue
		}
		r.s.Seek(at)
		raw, _, err := r.next()
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		if ev, err := event.Decode(raw); err == nil {
			s.learn(ev)
		}
	}
}

// learn takes the table definitions from a private record, also from those
// inside of local transactions.
func (s *shower) learn(ev event.Event) {
	p, ok := ev.Body.(*event.Private)
	if !ok {
		return
	}
	switch p.Kind {
	case event.PrivateCatalog:
		if err := s.names.change(p.Payload); err != nil {
			s.o.Logger.Warn("table definitions cannot be read", "error", err)
		}
	case event.PrivateLocal:
		_ = nested(p.Payload, func(inner event.Event, _ []byte) error { s.learn(inner); return nil })
	}
}

// nested walks over the events of a local transaction.
func nested(payload []byte, f func(ev event.Event, raw []byte) error) error {
	for len(payload) > 0 {
		raw, rest, err := event.Next(payload)
		if err != nil {
			return err
		}
		ev, err := event.Decode(raw)
		if err != nil {
			return err
		}
		if err := f(ev, raw); err != nil {
			return err
		}
		payload = rest
	}
	return nil
}

func (s *shower) file(f File, first, last bool) (err error) {
	s.o.Progress.File(f.Name)
	s.r, err = openReader(s.set.FS, f, s.o.Progress)
	if err != nil {
		return err
	}
	defer func() {
		s.r.done()
		err = errors.Join(err, s.r.Close())
	}()
	s.groups, s.inGroup, s.head, s.closed = binlog.Groups{}, false, nil, false
	start, stop := uint64(0), uint64(0)
	if first && s.o.Filter.Start.Set && s.o.Filter.Start.GTIDs == nil {
		start = s.o.Filter.Start.Offset
	}
	if last && s.o.Filter.Stop.Set && s.o.Filter.Stop.GTIDs == nil {
		stop = s.o.Filter.Stop.Offset
	}
	for n := 0; !s.finished; n++ {
		if n%256 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		raw, at, err := s.r.next()
		if err != nil {
			return s.end(at, err)
		}
		if stop > 0 && at >= stop {
			return nil
		}
		if err := s.event(raw, at, at < start); err != nil {
			return err
		}
	}
	return nil
}

// end decides what the error that ended a file means.
func (s *shower) end(at uint64, err error) error {
	switch {
	case errors.Is(err, io.EOF), s.closed && binlog.IsZeros(err):
		return nil
	case binlog.IsReadError(err) || errors.Is(err, ErrEncrypted):
		return fmt.Errorf("%s, offset %d: %w", s.r.File.Path, at, err)
	case s.r.InUse && binlog.IsZeros(err):
		return nil
	case s.r.InUse:
		s.o.Logger.Warn("the file ends in something that is being written, or that a crash tore (duramen binlog verify tells)",
			"file", s.r.File.Path, "offset", at, "found", err)
		return nil
	}
	return s.r.corrupt(at, err)
}

// event processes one event. early: it lies before the start position, and
// only counts for what comes after it.
func (s *shower) event(raw []byte, at uint64, early bool) error {
	ev, err := s.r.decode(raw)
	if err != nil {
		corrupt := s.r.corrupt(at, err)
		s.o.Logger.Error("an event that cannot be decoded is left out", "error", corrupt)
		if s.failed == nil {
			s.failed = corrupt
		}
		return nil
	}
	if !s.o.Plain {
		s.learn(ev)
	}
	s.follow(raw, ev)
	if s.o.Filter.past(ev.Header.Timestamp) && (!s.inGroup || ev.Header.Type == event.GTIDEvent) {
		s.finished = true // as mariadb-binlog does: what follows is taken to be later, too
	}
	it := &item{file: s.r.File.Name, at: at, ev: ev}
	if s.inGroup {
		it.gtid = s.gtid
	}
	if !early && s.o.Filter.timely(ev.Header.Timestamp) {
		err = s.choose(it, raw)
	}
	if s.inGroup && !s.groups.Open {
		s.inGroup = false
		clear(s.maps)
	}
	return err
}

// follow keeps track of groups and table maps.
func (s *shower) follow(raw []byte, ev event.Event) {
	if _, err := s.groups.Next(withChecksum(raw, s.r.dec.Checksum)); err != nil {
		s.groups = binlog.Groups{} // joined in the middle, or a log without GTIDs
	}
	switch b := ev.Body.(type) {
	case *event.Rotate, *event.Stop:
		s.closed = true
	case *event.GTIDInfo:
		s.gtid, s.inGroup, s.shown = b.GTID, true, false
		s.wanted = s.o.Filter.wants(b.GTID)
		s.head, s.chosen = nil, false
		clear(s.maps)
	case *event.TableMapInfo:
		s.maps[b.TableID] = s.mapOf(b)
	case *event.Xid:
		if !s.inGroup { // a log without GTIDs: table maps are those of the transaction
			clear(s.maps)
		}
	}
}

func (s *shower) mapOf(info *event.TableMapInfo) *tableMap {
	tm := s.names.resolve(info)
	if s.o.Plain {
		tm.plain()
	}
	return tm
}

// choose shows the event, keeps it until something after it is shown, or drops it.
func (s *shower) choose(it *item, raw []byte) error {
	f := &s.o.Filter
	if !s.inGroup {
		return s.outside(it)
	}
	if !s.wanted {
		return nil
	}
	if p, ok := it.ev.Body.(*event.Private); ok {
		return s.private(it, p)
	}
	if !f.content() {
		it.table = s.tableOf(it.ev)
		return s.show(it)
	}
	switch b := it.ev.Body.(type) {
	case *event.GTIDInfo:
		s.head = append(s.head[:0], pending{bytes.Clone(raw), it.at})
		return nil
	case *event.Annotate:
		s.head = append(dropAnnotations(s.head), pending{bytes.Clone(raw), it.at})
		return nil
	case *event.TableMapInfo:
		if !f.table(b.Schema, b.Table) {
			return nil
		}
	case *event.RowsInfo:
		it.table = s.tableOf(it.ev)
		if s.chosen = it.table != nil && f.table(it.table.info.Schema, it.table.info.Table); !s.chosen {
			return nil
		}
	case *event.Query:
		if endsGroup(b.SQL) && s.shown {
			break
		}
		if endsGroup(b.SQL) || b.SQL == "BEGIN" || !f.statement(b.Schema, b.SQL) {
			return nil
		}
	case *event.LoadQuery:
		if !f.statement(b.Schema, b.SQL) {
			return nil
		}
	default:
		if !s.shown {
			return nil
		}
		s.head = nil // the text of a statement of which nothing is shown
	}
	return s.show(it)
}

func endsGroup(sql string) bool { return sql == "COMMIT" || sql == "ROLLBACK" }

// dropAnnotations keeps the GTID event only: an earlier statement's text is not shown with a later one.
func dropAnnotations(head []pending) []pending {
	if len(head) > 0 && event.Type(head[0].raw[4]) == event.GTIDEvent {
		return head[:1]
	}
	return head[:0]
}

// outside shows an event between groups, unless groups are being looked for.
func (s *shower) outside(it *item) error {
	f := &s.o.Filter
	if p, ok := it.ev.Body.(*event.Private); ok {
		if f.groups() {
			return nil
		}
		return s.private(it, p)
	}
	switch it.ev.Body.(type) {
	case *event.Query, *event.RowsInfo, *event.TableMapInfo, *event.Xid, *event.Annotate:
		// A log without GTIDs, or a start in the middle of a group.
		it.table = s.tableOf(it.ev)
		if f.groups() || f.content() && (it.table == nil || !f.table(it.table.info.Schema, it.table.info.Table)) {
			return nil
		}
	default:
		if f.groups() || f.content() {
			return nil
		}
	}
	return s.sink.show(it)
}

// tableOf finds the table of a rows event.
func (s *shower) tableOf(ev event.Event) *tableMap {
	if rows, ok := ev.Body.(*event.RowsInfo); ok {
		return s.maps[rows.TableID]
	}
	return nil
}

// show writes what was kept, and the event.
func (s *shower) show(it *item) error {
	head := s.head
	s.head, s.shown = nil, true
	for _, p := range head {
		ev, err := s.r.decode(p.raw)
		if err != nil {
			return s.r.corrupt(p.at, err)
		}
		if err := s.sink.show(&item{file: it.file, at: p.at, ev: ev, gtid: it.gtid}); err != nil {
			return err
		}
	}
	return s.sink.show(it)
}

// private shows a private record and the events in it.
func (s *shower) private(it *item, p *event.Private) error {
	if !s.o.Private || s.o.Filter.content() && p.Kind != event.PrivateLocal && !(p.Kind == event.PrivateRowIDs && s.chosen) {
		return nil
	}
	if p.Kind != event.PrivateLocal {
		return s.show(it)
	}
	var inner []*item
	maps := map[uint64]*tableMap{}
	err := nested(p.Payload, func(ev event.Event, _ []byte) error {
		n := &item{file: it.file, at: it.at, ev: ev, gtid: it.gtid, depth: 1}
		switch b := ev.Body.(type) {
		case *event.TableMapInfo:
			maps[b.TableID] = s.mapOf(b)
			if !s.o.Filter.table(b.Schema, b.Table) {
				return nil
			}
		case *event.RowsInfo:
			if n.table = maps[b.TableID]; s.o.Filter.content() && (n.table == nil || !s.o.Filter.table(n.table.info.Schema, n.table.info.Table)) {
				return nil
			}
		case *event.Query:
			if !s.o.Filter.statement(b.Schema, b.SQL) {
				return nil
			}
		default:
			if s.o.Filter.content() {
				return nil
			}
		}
		inner = append(inner, n)
		return nil
	})
	if err != nil {
		return s.r.corrupt(it.at, fmt.Errorf("local transaction: %w", err))
	}
	if len(inner) == 0 && s.o.Filter.content() {
		return nil
	}
	if err := s.show(it); err != nil {
		return err
	}
	for _, n := range inner {
		if err := s.sink.show(n); err != nil {
			return err
		}
	}
	return nil
}
