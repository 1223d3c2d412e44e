package follow

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Types of events that package event has no name for.
const (
	deleteFile          event.Type = 11
	partialUpdateRows   event.Type = 39
	mysqlHeartbeatV2    event.Type = 41
	mysqlTaggedGTID     event.Type = 42
	mysqlTransactionCtx event.Type = 36
	partialRowData      event.Type = 172
)

// stream makes parts of events. It does no I/O.
type stream struct {
	decoder event.Decoder
	log     *slog.Logger
	place   primary.Place
	// moved says that place has changed since the last part.
	moved bool
	// formatted says that a format description has come, gtids that its server begins every group with a GTID event.
	formatted, gtids bool
	group            group
	batch            batch
	// acknowledge says that the primary waits for the end of this group, or of the next one.
	acknowledge bool
	// beats counts heartbeats.
	beats uint64
	// payload is the compressed transaction whose events are being taken, nil if there is none; eventMax is how many bytes one of them may have.
	payload  *event.PayloadReader
	eventMax int
}

// take looks at the next event, and gives a part if one is complete with it. wire is what it had on the wire. The part holds on to ev.
func (s *stream) take(ev []byte, wire int) (*primary.Part, *primary.Error) {
	if err := s.verify(ev); err != nil {
		return nil, err
	}
	e, err := s.decoder.Decode(ev)
	if err != nil {
		return nil, s.unreadable(err, "%v", err)
	}
	if !s.formatted && e.Header.Type != event.FormatDescription && e.Header.Type != event.RotateEvent && e.Header.Type != event.Heartbeat {
		return nil, s.unreadable(nil, "a %s event came before the format description", e.Header.Type)
	}
	switch e.Header.Type {
	case event.GTIDEvent:
		s.abandon()
		advance(&s.place, e.Header.LogPos)
		info := e.Body.(*event.GTIDInfo)
		ends := commitment
		if info.Flags&event.FLStandalone != 0 {
			ends = statement
		}
		s.group.begin(e.Header, *info, ends, wire)
		return nil, nil
	case event.MySQLGTID, event.MySQLAnonymousGTID:
		s.abandon()
		advance(&s.place, e.Header.LogPos)
		s.begin(e.Header, wire)
		if named, ok := e.Body.(*event.MySQLGTIDInfo); ok {
			s.group.mysql = named.GTID
		}
		return nil, nil
	case event.TransactionPayload:
		return nil, s.unfold(&e, wire)
	case event.FormatDescription:
		return s.format(e)
	case event.RotateEvent:
		s.abandon()
		r := e.Body.(*event.Rotate)
		s.move(primary.Place{File: r.File, Pos: r.Pos})
		return nil, nil
	case event.Heartbeat:
		return nil, s.heartbeat(e)
	case event.GTIDList:
		s.step(e.Header)
		if e.Body.(*event.List).Flags&event.ListFlagUntilReached != 0 {
			s.abandon()
			return s.alone(primary.UntilReached), nil
		}
		return nil, nil
	case event.StopEvent, event.BinlogCheckpoint, event.StartEncryption, event.MySQLPreviousGTIDs, mysqlTransactionCtx:
		s.step(e.Header) // the primary decrypts what it sends
		return nil, nil
	case mysqlHeartbeatV2:
		s.beats++
		return nil, nil
	case event.Incident:
		i := e.Body.(*event.IncidentInfo)
		return nil, fail(erIncident, false, nil, "The incident %s occurred on the master. Message: %.64s", incidentName(i.Number), i.Message)
	}
	return s.content(e, wire)
}

func incidentName(n uint16) string {
	if n == 1 {
		return "LOST_EVENTS"
	}
	return "NOTHING"
}

// verify compares the event with its checksum, if the stream has them.
func (s *stream) verify(ev []byte) *primary.Error {
	h, err := event.ParseHeader(ev)
	if err != nil {
		return s.unreadable(err, "%v", err)
	}
	checksum := s.decoder.Checksum
	if h.Type == event.FormatDescription {
		// It says itself whether it has one.
		e, err := s.decoder.Decode(ev)
		if err != nil {
			return s.unreadable(err, "%v", err)
		}
		checksum = e.Body.(*event.Format).Checksum
	}
	if !checksum {
		return nil
	}
	switch err := event.Verify(ev); {
	case errors.Is(err, event.ErrChecksum):
		return fail(erNetworkChecksum, false, err, "Replication event checksum verification failed while reading from network")
	case err != nil:
		return s.unreadable(err, "%v", err)
	}
	return nil
}

// unreadable is an error about bytes that are no events we can read.
func (s *stream) unreadable(cause error, format string, args ...any) *primary.Error {
	return fail(erUnreadable, false, cause, "Could not read an event of the primary's log behind %s: "+format, append([]any{s.where()}, args...)...)
}

func (s *stream) where() string {
	return fmt.Sprintf("'%s' at position %d", s.place.File, s.place.Pos)
}

func (s *stream) move(to primary.Place) {
	if s.place != to {
		s.place, s.moved = to, true
	}
}

// step moves the place over an event that belongs to no group.
func (s *stream) step(h event.Header) {
	to := s.place
	advance(&to, h.LogPos)
	s.move(to)
}

// format takes note of what the events of a file look like. The format description of a server that was started anew ends a group that
// has no end.
func (s *stream) format(e event.Event) (*primary.Part, *primary.Error) {
	f := e.Body.(*event.Format)
	if f.BinlogVersion != 4 || f.HeaderLength != event.HeaderSize {
		return nil, fatal("the primary's log has format version %d and headers of %d bytes; this server reads version 4 with headers of %d bytes",
			f.BinlogVersion, f.HeaderLength, event.HeaderSize)
	}
	for t, want := range postHeaders {
		i := int(t) - 1
		if i >= len(f.PostHeaderLengths) || f.PostHeaderLengths[i] == want {
			continue
		}
		if f.PostHeaderLengths[i] > 0 || !t.IsRows() { // MySQL 9 writes no rows of version 1 any more, and says 0
			return nil, fatal("%s events of the primary's log (server version %s) have %d bytes of post-header; this server reads those with %d",
				t, f.ServerVersion, f.PostHeaderLengths[i], want)
		}
	}
	s.abandon()
	s.formatted, s.gtids = true, beginsWithGTIDs(f.ServerVersion)
	s.step(e.Header)
	if f.Created == 0 {
		return nil, nil
	}
	return s.alone(primary.Restarted), nil
}

// postHeaders are the sizes of the fixed parts of events that ever had others.
var postHeaders = map[event.Type]byte{
	event.QueryEvent: 13, event.RotateEvent: 8, event.ExecuteLoadQuery: 26, event.TableMap: 8,
	event.WriteRowsV1: 8, event.UpdateRowsV1: 8, event.DeleteRowsV1: 8,
}

// beginsWithGTIDs tells whether a server of this version logs no group without a GTID event, which may be anonymous in MySQL.
func beginsWithGTIDs(version string) bool {
	flavor, major, minor := parseVersion(version)
	if flavor == MariaDB {
		return major >= 10
	}
	return major > 5 || major == 5 && minor >= 7
}

// parseVersion takes a server's version apart; what is no number is 0.
func parseVersion(version string) (flavor Flavor, major, minor int) {
	flavor = MySQL
	if strings.Contains(strings.ToLower(version), "mariadb") {
		flavor = MariaDB
		// MariaDB says 5.5.5- first, so that old replicas of MySQL take it for one of theirs.
		version = strings.TrimPrefix(version, "5.5.5-")
	}
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	major, _ = strconv.Atoi(first)
	minor, _ = strconv.Atoi(second)
	return flavor, major, minor
}

// heartbeat moves the place forward to where the primary is: the events in between were not sent to us.
func (s *stream) heartbeat(e event.Event) *primary.Error {
	s.beats++
	told := e.Body.(*event.HeartbeatInfo)
	file, pos, ok := told.File, told.Pos, told.Pos >= s.place.Pos
	if e.Header.LogPos != 0 { // beyond 4 GiB, MySQL sends the low bits
		pos, ok = moved(s.place.Pos, e.Header.LogPos)
	}
	if file != s.place.File {
		// A rotation says so first: this one was sent before it.
		return nil
	}
	if !ok {
		return fail(erHeartbeat, false, nil, "Unexpected master's heartbeat data: heartbeat is not compatible with local info;"+
			"the event's data: log_file_name %s log_pos %d", file, told.Pos)
	}
	if s.group.ends == outside {
		s.move(primary.Place{File: file, Pos: pos})
	}
	return nil
}

// content takes an event that belongs to a group.
func (s *stream) content(e event.Event, wire int) (*primary.Part, *primary.Error) {
	h := e.Header
	if err := s.readable(&e); err != nil {
		return nil, err
	}
	if e.Body == nil { // to be skipped
		if s.group.ends == outside {
			s.step(h)
		} else {
			advance(&s.place, h.LogPos)
		}
		return nil, nil
	}
	if s.group.ends == outside {
		if s.gtids {
			return nil, s.middle(&e)
		}
		s.begin(h, 0)
	}
	whole, keep, err := s.decide(&e)
	if err != nil {
		return nil, err
	}
	advance(&s.place, h.LogPos)
	g := &s.group
	g.wire += wire
	g.timestamp = h.Timestamp
	if keep {
		g.memory += held(&e)
		s.batch.add(e)
	}
	if whole || g.memory >= primary.PartBytes {
		return s.handOut(whole), nil
	}
	return nil, nil
}

// begin opens a group of a log without GTIDs.
func (s *stream) begin(h event.Header, wire int) {
	var info event.GTIDInfo
	info.GTID.Server = h.ServerID
	s.group.begin(h, info, undecided, wire)
}

// readable says whether the event is one that groups hold. An event without a body is to be skipped.
func (s *stream) readable(e *event.Event) *primary.Error {
	switch t := e.Header.Type; t {
	case event.QueryEvent, event.QueryCompressed, event.XID, event.XAPrepare, event.Intvar, event.Rand, event.UserVar,
		event.TableMap, event.AnnotateRows, event.BeginLoadQuery, event.AppendBlock, event.ExecuteLoadQuery:
		return nil
	case deleteFile:
		b := e.Body.(*event.Opaque).Data
		if len(b) < 4 {
			return s.unreadable(event.ErrMalformed, "a block of LOAD DATA has %d bytes", len(b))
		}
		e.Body = &event.LoadBlock{FileID: uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24, Data: b[4:]}
		return nil
	case partialUpdateRows:
		return s.setting("parts of JSON documents (PARTIAL_UPDATE_ROWS)", "binlog_row_value_options=''")
	case mysqlTaggedGTID:
		return s.setting("GTIDs with tags (GTID_TAGGED)", "gtid_next=AUTOMATIC, without a tag,")
	case partialRowData:
		return s.unreadable(nil, "a row in several events (PARTIAL_ROW_DATA); have the primary log rows whole")
	default:
		switch {
		case t.IsRows():
		case e.Header.Flags&event.FlagIgnorable != 0, t == event.RowsQuery:
			e.Body = nil
		default:
			return s.unreadable(nil, "an event of the type %s, which this server does not know", t)
		}
	}
	return nil
}

// setting says which setting of the primary makes it log what we do not read.
func (s *stream) setting(what, setting string) *primary.Error {
	return s.unreadable(nil, "the primary logs %s, which this server does not read. Set %s on the primary, and start from behind the transactions that were logged before that", what, setting)
}

// decide says whether e is the last event of its group, and whether it is to be kept: BEGIN is not, the part says it.
func (s *stream) decide(e *event.Event) (whole, keep bool, err *primary.Error) {
	g := &s.group
	switch body := e.Body.(type) {
	case *event.Xid, *event.XAPrepareInfo:
		return s.committed(e)
	case *event.Query:
		switch body.SQL {
		case "BEGIN":
			s.transactional()
			return false, false, nil
		case "COMMIT", "ROLLBACK":
			return s.committed(e)
		}
		if strings.HasPrefix(body.SQL, "XA START") {
			s.transactional()
		}
		return s.standalone(), true, nil
	case *event.LoadQuery:
		return s.standalone(), true, nil
	case *event.RowsInfo:
		if g.ends == undecided {
			return false, false, s.middle(e)
		}
		return g.ends == statement && body.Flags&event.RowsStmtEnd != 0, true, nil
	case *event.TableMapInfo, *event.Annotate:
		if g.ends == undecided {
			return false, false, s.middle(e)
		}
	}
	return false, true, nil
}

// committed is for an event that ends transactions, and nothing else.
func (s *stream) committed(e *event.Event) (whole, keep bool, err *primary.Error) {
	if s.group.ends != commitment {
		return false, false, s.middle(e)
	}
	return true, true, nil
}

// transactional is for what begins a transaction in a log without GTIDs.
func (s *stream) transactional() {
	if g := &s.group; g.ends == undecided {
		g.ends, g.gtid.Flags = commitment, g.gtid.Flags|event.FLTransactional
	}
}

// standalone says whether a statement is the end of its group.
func (s *stream) standalone() bool {
	if s.group.ends == undecided {
		s.group.ends, s.group.gtid.Flags = statement, s.group.gtid.Flags|event.FLStandalone
	}
	return s.group.ends == statement
}

// middle is what became of the beginning of a group: the log was asked for from a place within.
func (s *stream) middle(e *event.Event) *primary.Error {
	return fatal("the %s event behind %s does not belong to a transaction that begins with a GTID or BEGIN. The position may lie inside of a transaction: start from its beginning, or by GTID",
		e.Header.Type, s.where())
}

// handOut makes a part of the events that were kept.
func (s *stream) handOut(last bool) *primary.Part {
	g := &s.group
	events := s.batch.take()
	p := s.batch.part(g.memory)
	*p = primary.Part{
		Kind: primary.Group, Place: s.place, Bytes: g.wire, Timestamp: g.timestamp,
		GTID: g.gtid, MySQL: g.mysql, Flags: g.flags, First: g.parts == 0, Last: last, Events: events,
	}
	g.parts++
	g.wire, g.memory = 0, 0
	s.moved = false
	if last {
		g.ends = outside
	}
	return p
}

// alone makes a part that is no group.
func (s *stream) alone(kind primary.Kind) *primary.Part {
	s.moved = false
	return &primary.Part{Kind: kind, Place: s.place}
}

// abandon drops what there is of a group that will have no end.
func (s *stream) abandon() {
	if s.group.ends == outside {
		return
	}
	s.log.Warn("the primary's log holds a transaction without its end, which is left out", "gtid", s.group.gtid.GTID, "mysql_gtid", s.group.mysql, "file", s.place.File, "pos", s.place.Pos)
	s.group.ends = outside
	s.batch.drop()
}
