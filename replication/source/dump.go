package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
)

// Dump sends the log from the requested position on: each call of send gets
// one complete event, without the protocol's status byte, valid until send
// returns. It returns nil when everything that was asked for is sent (NonBlock,
// server id 0, UNTIL), *Error for what the replica has to be told, and otherwise what
// ctx, send, Flush or the log returned.
func Dump(ctx context.Context, log *binlog.Log, req Request, send func(ev []byte) error) error {
	d := dump{log: log, req: req, deliver: send}
	d.frame = framer{checksum: req.Checksum == ChecksumCRC32, serverID: log.ServerID()}
	if req.Checksum == ChecksumUnaware {
		return &Error{
			Message: "Slave can not handle replication events with the checksum that master is configured to log",
			Class:   ErrChecksum,
		}
	}
	if err := d.begin(); err != nil {
		return err
	}
	err := d.run(ctx)
	if cerr := d.r.Close(); err == nil {
		err = cerr
	}
	return err
}

// dump is one running dump.
type dump struct {
	log     *binlog.Log
	req     Request
	deliver func([]byte) error
	frame   framer

	start  start
	r      *binlog.Reader
	groups binlog.Groups
	inSync bool       // groups knows where it is: a group start or a file start was seen
	sent   logpos.Pos // the replica's coordinates
	pos    logpos.Pos // end of the last event that was read
	idle   time.Time  // when something was sent last

	skipping  bool // the current group
	listDue   bool // a fake GTID_LIST follows the current group
	lastGroup bool // the UNTIL condition is met with the current group
	anySent   bool // a group was

	waiting context.Context // ends with Request.Last, or the dump's context
	ending  bool            // Request.Last has ended, and the end of the log was not reached since
}

// begin finds the start and sends what comes first.
func (d *dump) begin() (err error) {
	if d.req.GTIDMode {
		d.start, err = locateGTID(d.log, &d.req)
	} else {
		d.start, err = locateFile(d.log, &d.req)
	}
	if err != nil {
		return err
	}
	from := d.start.pos
	first, err := d.open(logpos.Pos{Segment: from.Segment})
	if err != nil {
		return d.openError(err)
	}
	format, _, err := first.NextNoWait()
	if err == nil {
		format = append([]byte(nil), format...)
	}
	if cerr := first.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return d.readError(err, from)
	}
	if d.r, err = d.open(from); err != nil {
		return d.openError(err)
	}
	if d.req.SemiSync != nil {
		d.req.SemiSync.Has(from)
	}
	d.at(from.Segment)
	d.sent, d.pos, d.inSync = from, from, d.req.GTIDMode || from.Offset <= headerOffset
	if err = d.send(d.frame.rotate(d.log.SegmentName(from.Segment), from.Offset)); err == nil {
		midFile := from.Offset > headerOffset
		passed := midFile || d.req.GTIDMode && len(d.req.ConnectState) > 0
		err = d.send(d.frame.format(format, passed, !midFile))
	}
	if err != nil {
		return errors.Join(err, d.r.Close())
	}
	return nil
}

// open makes a reader of what this replica may see.
func (d *dump) open(from logpos.Pos) (*binlog.Reader, error) {
	if d.req.SemiSync != nil {
		return d.log.NewOfferedReader(from)
	}
	return d.log.NewDurableReader(from)
}

func (d *dump) at(segment uint64) {
	if d.req.At != nil {
		d.req.At(segment)
	}
}

func (d *dump) openError(err error) error {
	switch {
	case errors.Is(err, binlog.ErrPurged):
		return &Error{Message: "Could not find first log file name in binary log index file", Class: ErrUnknownFile, Cause: err}
	case errors.Is(err, binlog.ErrPosition):
		p := d.start.pos
		name := d.log.SegmentName(p.Segment)
		return &Error{
			Message: fmt.Sprintf("Client requested master to start replication from impossible position; the first event '%s' at %d, the last event read from '%s' at %d, the last byte read from '%s' at %d.",
				name, p.Offset, name, headerOffset, name, headerOffset),
			Class: ErrPosition,
		}
	}
	return err
}

// readError tells a position that is not an event's, and damage, from the end of the log's life.
func (d *dump) readError(err error, at logpos.Pos) error {
	if errors.Is(err, binlog.ErrClosed) {
		return err
	}
	p := d.start.pos
	if errors.Is(err, binlog.ErrReset) {
		return &Error{
			Message: fmt.Sprintf("could not find next log; the first event '%s' at %d, the last event read from '%s' at %d, the last byte read from '%s' at %d.",
				d.log.SegmentName(p.Segment), p.Offset, d.log.SegmentName(d.pos.Segment), d.pos.Offset, d.log.SegmentName(d.pos.Segment), d.pos.Offset),
			Class: ErrReset, Cause: err,
		}
	}
	class := ErrRead
	if at == p && !d.req.GTIDMode && p.Offset > headerOffset {
		class = ErrPosition
	}
	return &Error{
		Message: fmt.Sprintf("bogus data in log event; the first event '%s' at %d, the last event read from '%s' at %d, the last byte read from '%s' at %d.",
			d.log.SegmentName(p.Segment), p.Offset, d.log.SegmentName(d.pos.Segment), d.pos.Offset, d.log.SegmentName(at.Segment), at.Offset),
		Class: class, Cause: err,
	}
}

func (d *dump) send(ev []byte) error {
	d.idle = time.Now()
	return d.deliver(ev)
}

func (d *dump) run(ctx context.Context) error {
	d.waiting = ctx
	if d.req.Last != nil {
		waiting, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(d.req.Last, cancel)()
		d.waiting = waiting
	}
	if d.start.until != nil && len(d.start.until) == 0 {
		return d.sendUntilReached()
	}
	for n := 0; ; n++ {
		if n%checkCancellationEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ev, at, err := d.r.NextNoWait()
		if errors.Is(err, io.EOF) {
			more, err := d.wait(ctx)
			if err != nil || !more {
				return err
			}
			continue
		}
		if err != nil {
			return d.readError(err, at)
		}
		done, err := d.event(ev, at)
		if err != nil || done {
			return err
		}
	}
}

// wait is called at the end of the log. more is false if the dump ends here.
func (d *dump) wait(ctx context.Context) (more bool, err error) {
	if d.sent.Before(d.pos) && !d.groups.Open && d.inSync && d.sent.Segment == d.pos.Segment {
		if err := d.catchUp(); err != nil {
			return false, err
		}
	}
	if err := d.flush(); err != nil {
		return false, err
	}
	if d.req.NonBlock || d.req.ServerID == 0 || d.ending {
		return false, nil
	}
	if d.req.HeartbeatPeriod <= 0 {
		err := d.r.Wait(d.waiting)
		return true, d.waited(ctx, err)
	}
	for {
		hb, cancel := context.WithDeadline(d.waiting, d.idle.Add(d.req.HeartbeatPeriod))
		err := d.r.Wait(hb)
		cancel()
		if d.waiting.Err() != nil {
			return true, d.waited(ctx, err)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return true, d.waitError(err)
		}
		p := d.sent
		if err := d.send(d.frame.heartbeat(d.log.SegmentName(p.Segment), p.Offset)); err != nil {
			return false, err
		}
		if err := d.flush(); err != nil {
			return false, err
		}
	}
}

// waited is the error of a wait. If it has ended since nothing more will be logged, what was logged meanwhile is sent before the dump ends.
func (d *dump) waited(ctx context.Context, err error) error {
	if d.waiting.Err() != nil && ctx.Err() == nil {
		d.ending = true
		return nil
	}
	return d.waitError(err)
}

// waitError makes what a replica is told of a log that was replaced while it waited for more.
func (d *dump) waitError(err error) error {
	if errors.Is(err, binlog.ErrReset) {
		return d.readError(err, d.pos)
	}
	return err
}

// catchUp moves the replica's coordinates over events that were not sent. A
// replica in GTID mode takes nothing but a GTID event as the start of a group, and so gets a
// fake GTID_LIST.
func (d *dump) catchUp() error {
	d.sent = d.pos
	if d.req.GTIDMode && d.req.Capability >= CapabilityGTID {
		return d.send(d.frame.list(d.start.state.List(), 0, d.pos.Offset))
	}
	return d.send(d.frame.filler(d.pos.Offset))
}

func (d *dump) flush() error {
	if d.req.Flush == nil {
		return nil
	}
	return d.req.Flush()
}

// event handles one event of the log.
func (d *dump) event(ev []byte, at logpos.Pos) (done bool, err error) {
	t := event.Type(ev[offType])
	end := at.Plus(len(ev))
	if at.Segment != d.pos.Segment { // the reader went on to the next file
		d.at(at.Segment)
		if err := d.send(d.frame.rotate(d.log.SegmentName(at.Segment), headerOffset)); err != nil {
			return false, err
		}
		d.sent = logpos.At(at.Segment, headerOffset)
		d.inSync, d.groups, d.skipping = true, binlog.Groups{}, false
	}
	d.pos = end
	if t == event.GTIDEvent || binlog.IsWriteMark(ev) {
		d.inSync, d.groups.Open = true, false
	}
	ended := false
	if d.inSync {
		if ended, err = d.groups.Next(ev); err != nil {
			return false, d.readError(err, at)
		}
	}
	if t == event.GTIDEvent && d.req.GTIDMode {
		dec, err := d.start.decide(d.groups.GTID, d.req.StrictMode, d.log.StateClone)
		if err != nil {
			return false, err
		}
		d.skipping = dec.skip
		d.listDue = d.listDue || dec.reached
		d.lastGroup = dec.last
	}
	if ended && d.req.SemiSync != nil {
		d.semiSync(end)
	}
	if !d.skipping {
		err = d.forward(t, ev, end)
	}
	if err != nil || !ended {
		return false, err
	}
	return d.groupEnd()
}

// semiSync is called with the end of a group, before its last event is sent or skipped. What is skipped behind groups that were
// sent says nothing about those, nor does what is not wanted (UNTIL).
func (d *dump) semiSync(end logpos.Pos) {
	if !d.skipping {
		d.anySent = true
		d.req.SemiSync.GroupEnds(end)
	} else if !d.anySent && d.start.until == nil {
		d.req.SemiSync.Has(end)
	}
}

// forward sends an event of the log, if this replica is to get it.
func (d *dump) forward(t event.Type, ev []byte, end logpos.Pos) error {
	capability := d.req.Capability
	out := ev
	switch t {
	case event.StopEvent:
		return nil
	case event.FormatDescription:
		if d.pos.Segment == d.start.pos.Segment {
			return nil // was sent by begin
		}
		out = d.frame.format(ev, false, true)
	case event.Ignorable:
		if event.IsPrivate(ev) {
			if !d.req.copies() {
				return nil
			}
			out = d.frame.blank(ev)
		}
	case event.AnnotateRows:
		if !d.req.Annotate || capability < CapabilityAnnotate {
			return nil
		}
	case event.BinlogCheckpoint:
		if capability < CapabilityCheckpoint {
			return nil
		}
	case event.GTIDList:
		if capability < CapabilityGTID {
			return nil
		}
	case event.GTIDEvent:
		if capability < CapabilityGTID {
			if d.groups.Standalone() {
				return nil
			}
			out = d.frame.begin(ev)
		}
	}
	d.sent = end
	return d.send(out)
}

// groupEnd is called after the last event of every group, skipped or not.
func (d *dump) groupEnd() (done bool, err error) {
	if d.start.state != nil {
		d.start.state.Update(d.groups.GTID)
	}
	d.skipping = false
	if d.lastGroup {
		return true, d.sendUntilReached()
	}
	if !d.listDue {
		return false, nil
	}
	d.listDue = false
	if d.req.Capability < CapabilityGTID {
		return false, nil
	}
	d.sent = d.pos
	return false, d.send(d.frame.list(d.start.state.List(), 0, d.pos.Offset))
}

// sendUntilReached ends a dump with an UNTIL condition.
func (d *dump) sendUntilReached() error {
	err := d.send(d.frame.list(d.start.state.List(), event.ListFlagUntilReached, d.pos.Offset))
	if err != nil {
		return err
	}
	return d.flush()
}
