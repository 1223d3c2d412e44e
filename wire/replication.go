package wire

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/admin"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// parseRegisterSlave decodes COM_REGISTER_SLAVE without its command byte.
func parseRegisterSlave(b []byte) (admin.ReplicaInfo, error) {
	c := payloadReader{b: b}
	short := func() string { return string(c.bytes(uint64(c.u8()))) }
	var r admin.ReplicaInfo
	r.ServerID = c.u32()
	r.Host, r.User, r.Password = short(), short(), short()
	r.Port = c.u16()
	c.u32() // rank, unused since long ago
	r.MasterID = c.u32()
	return r, c.err()
}

// parseBinlogDump decodes COM_BINLOG_DUMP without its command byte.
func parseBinlogDump(b []byte) (Dump, error) {
	c := payloadReader{b: b}
	d := Dump{Position: c.u32()}
	flags := c.u16()
	d.NonBlock, d.AnnotateRows = flags&mysql.BINLOG_DUMP_NON_BLOCK != 0, flags&mysql.BINLOG_SEND_ANNOTATE_ROWS_EVENT != 0
	d.ServerID = c.u32()
	// Some clients end the name as C does.
	name, _, _ := bytes.Cut(c.b, []byte{0})
	d.File = string(name)
	if d.ServerID == 0 {
		// A client that only wants what is there, such as mariadb-binlog.
		d.NonBlock = true
	}
	return d, c.err()
}

func (c *conn) registerSlave(arg []byte) error {
	if err := c.session.CanRegister(); err != nil {
		c.writeError(err)
		return nil
	}
	r, err := parseRegisterSlave(arg)
	if err != nil {
		c.writeError(mysqlerr.New(mysqlerr.WrongArguments, "COM_REGISTER_SLAVE").WithCause(err))
		return nil
	}
	if r.Host == "" {
		r.Host = c.host
	}
	c.replica = true
	c.srv.backend.RegisterReplica(c.id, r)
	return c.simple(nil)
}

func (c *conn) unregisterReplica() {
	if c.replica {
		c.replica = false
		c.srv.backend.UnregisterReplica(c.id)
	}
}

// semiSyncMagic begins what stands before each event that is sent to a semi-synchronous replica.
const semiSyncMagic = 0xef

// dumpWriter queues events on the connection. It keeps the first failure.
type dumpWriter struct {
	c *conn
	// semiSync: the replica expects two bytes before each event, the second of which says whether the replica
	// has to acknowledge it.
	semiSync bool
	ask      byte // 1 if the next event does
	acks     *ackReader
	ioErr    error
}

// asksForSemiSync reports whether the replica has said that it is semi-synchronous. It does so wherever
// rpl_semi_sync_master_enabled exists, whatever its value.
func asksForSemiSync(s Session) bool {
	for _, name := range []string{"rpl_semi_sync_slave", "rpl_semi_sync_replica"} {
		if text, ok := s.UserVar(name); ok {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n != 0 {
				return true
			}
		}
	}
	return false
}

// Send implements DumpWriter.
func (w *dumpWriter) Send(event []byte) error {
	if w.ioErr != nil {
		return w.ioErr
	}
	c := w.c
	start := c.begin()
	c.out = append(c.out, 0)
	if w.semiSync {
		c.out = append(c.out, semiSyncMagic, w.ask)
	}
	w.ask = 0
	c.out = append(c.out, event...)
	c.end(start)
	w.ioErr = c.flushIfFull()
	return w.ioErr
}

// Flush implements DumpWriter.
func (w *dumpWriter) Flush() error {
	if w.ioErr == nil {
		w.ioErr = w.c.flush()
	}
	return w.ioErr
}

// AskNext implements DumpWriter.
func (w *dumpWriter) AskNext() { w.ask = 1 }

// ReceiveAcks implements DumpWriter.
func (w *dumpWriter) ReceiveAcks(f func(file string, offset uint64) error) { w.acks.start(f) }

// binlogDump serves the log. It returns when the replica is gone, the
// connection was killed, or everything asked for was sent.
func (c *conn) binlogDump(arg []byte) error {
	if err := c.session.CanReplicate(); err != nil {
		c.writeError(err)
		return nil
	}
	d, err := parseBinlogDump(arg)
	if err != nil {
		c.writeError(mysqlerr.New(mysqlerr.MasterFatalErrorReadingBinlog, 1236, "malformed dump request").WithCause(err))
		return nil
	}
	d.ConnID, d.Addr = c.id, c.RemoteAddr()
	c.dumping.Store(true)
	defer c.dumping.Store(false)
	if c.srv.draining.Load() {
		return errShutdown() // Shutdown may have looked before dumping was set
	}
	c.session.SetState("Binlog Dump", "Master has sent all binlog to slave; waiting for more updates")
	w := dumpWriter{c: c, semiSync: asksForSemiSync(c.session)}
	// Who wants only what is there does not acknowledge. In a compressed connection, reading and writing cannot go on beside each other.
	d.SemiSync = w.semiSync && !d.NonBlock && d.ServerID != 0 && c.frames == nil
	c.acknowledging.Store(d.SemiSync)
	defer c.acknowledging.Store(false)
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	w.acks = &ackReader{c: c, ctx: ctx, cancel: cancel}
	err = c.srv.backend.ServeDump(ctx, c.session, d, &w)
	ended := w.acks.stop()
	var refused *mysqlerr.Error
	switch {
	case ended != nil:
		return ended
	case w.ioErr != nil:
		return w.ioErr
	case c.ctx.Err() != nil:
		return errors.Join(errKilled(), err)
	case errors.As(err, &refused):
		c.log.Warn("binlog dump refused", "server_id", d.ServerID, "err", err)
		c.writeError(refused)
	case err != nil:
		return err // in the middle of the log; the replica connects again
	default:
		c.writeEOF(c.session.StatusFlags(), 0)
	}
	return nil
}
