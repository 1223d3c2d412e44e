package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/replication/source"
	"github.com/duramendb/duramen/replication/source/semisync"
	"github.com/duramendb/duramen/wire"
)

// ServeDump implements wire.Backend: it sends the log to a replica, which has
// said what it wants by user variables before.
func (b *backend) ServeDump(ctx context.Context, session wire.Session, d wire.Dump, out wire.DumpWriter) error {
	req, err := dumpRequest(session, d)
	if err != nil {
		return mysqlerr.New(mysqlerr.MasterFatalErrorReadingBinlog, mysqlerr.MasterFatalErrorReadingBinlog, err.Error()).WithCause(err)
	}
	req.Flush, req.Last = out.Flush, b.s.last
	if d.ServerID != 0 {
		var end func()
		ctx, end = b.dumps.begin(ctx, d.ServerID)
		defer end()
		tracking := b.s.replicas.Begin(d.ServerID)
		defer tracking.End()
		req.At = tracking.At
	}
	var replica *semisync.Replica // nil unless it acknowledges
	if d.SemiSync {
		replica = b.s.engine.SemiSync.Serve(d.ServerID)
		defer replica.Leave()
		req.SemiSync = acknowledging{replica, out}
		log := b.s.store.Log()
		out.ReceiveAcks(func(file string, offset uint64) error {
			segment, ok := log.SegmentByName(file)
			if !ok {
				return fmt.Errorf("replica with server id %d acknowledges %q, which is no file of the log", d.ServerID, file)
			}
			return replica.Acknowledged(segment, offset)
		})
	}
	b.s.log.Info("binlog dump begins", "conn", d.ConnID, "replica", d.Addr.String(), "server_id", d.ServerID,
		"gtid_mode", req.GTIDMode, "gtid", req.ConnectState.String(), "file", d.File, "position", d.Position)
	err = source.Dump(ctx, b.s.store.Log(), req, out.Send)
	if err == nil && b.s.last.Err() != nil && replica != nil {
		// A connection that is closed with an acknowledgement unread loses what is still on its way to the replica.
		limited, cancel := context.WithTimeout(ctx, lastAcksMax)
		replica.AwaitAcknowledged(limited)
		cancel()
	}
	var refused *source.Error
	if errors.As(err, &refused) {
		return &mysqlerr.Error{Number: mysqlerr.MasterFatalErrorReadingBinlog,
			State: mysqlerr.State(mysqlerr.MasterFatalErrorReadingBinlog), Message: refused.Message}
	}
	return err
}

// acknowledging is a replica that acknowledges, on its connection.
type acknowledging struct {
	*semisync.Replica
	out wire.DumpWriter
}

// GroupEnds implements source.SemiSync.
func (a acknowledging) GroupEnds(end logpos.Pos) {
	if a.Asks(end) {
		a.out.AskNext()
	}
}

// dumpRequest gathers what a replica has asked for.
func dumpRequest(session wire.Session, d wire.Dump) (source.Request, error) {
	req := source.Request{
		ServerID: d.ServerID, SlaveName: d.Addr.String(), File: d.File, Pos: uint64(d.Position),
		Annotate: d.AnnotateRows, NonBlock: d.NonBlock, Checksum: source.ChecksumUnaware,
	}
	number := func(name string) (int64, error) {
		text, ok := session.UserVar(name)
		if !ok || text == "" {
			return 0, nil
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("user variable @%s: %w", name, err)
		}
		return n, nil
	}
	var err error
	if state, ok := session.UserVar("slave_connect_state"); ok {
		req.GTIDMode = true
		if req.ConnectState, err = gtid.ParsePosition(state); err != nil {
			return req, fmt.Errorf("user variable @slave_connect_state: %w", err)
		}
	}
	if until, ok := session.UserVar("slave_until_gtid"); ok {
		if req.UntilGTID, err = gtid.ParsePosition(until); err != nil {
			return req, fmt.Errorf("user variable @slave_until_gtid: %w", err)
		}
		if req.UntilGTID == nil {
			req.UntilGTID = gtid.Position{} // set, and empty
		}
	}
	for _, v := range []struct {
		name string
		set  func(n int64)
	}{
		{"mariadb_slave_capability", func(n int64) { req.Capability = int(n) }},
		{"slave_gtid_strict_mode", func(n int64) { req.StrictMode = n != 0 }},
		{"slave_gtid_ignore_duplicates", func(n int64) { req.IgnoreDuplicates = n != 0 }},
		{"master_heartbeat_period", func(n int64) { req.HeartbeatPeriod = time.Duration(n) }},
	} {
		n, err := number(v.name)
		if err != nil {
			return req, err
		}
		v.set(n)
	}
	if checksum, ok := session.UserVar("master_binlog_checksum"); ok {
		req.Checksum = source.ChecksumNone
		if strings.EqualFold(checksum, "CRC32") {
			req.Checksum = source.ChecksumCRC32
		}
	}
	return req, nil
}

// dumps knows the running dumps by the replica's server id. A replica that
// connects again, before the server has noticed that its old connection is
// dead, takes the place of its old dump.
type dumps struct {
	mu      sync.Mutex
	running map[uint32]*runningDump
}

type runningDump struct{ cancel context.CancelFunc }

func (d *dumps) begin(ctx context.Context, serverID uint32) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	mine := &runningDump{cancel: cancel}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running == nil {
		d.running = make(map[uint32]*runningDump)
	}
	if old, ok := d.running[serverID]; ok {
		old.cancel()
	}
	d.running[serverID] = mine
	return ctx, func() {
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.running[serverID] == mine {
			delete(d.running, serverID)
		}
	}
}
