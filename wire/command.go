package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// commands answers commands until the client leaves or must.
func (c *conn) commands() error {
	for {
		c.resetSequence()
		now := time.Now()
		c.turn.giveWay(now, &c.srv.open)
		payload, err := c.readCommand(now)
		switch {
		case errors.Is(err, errPacketTooLarge), errors.Is(err, errOutOfOrder):
			if err := c.answerError(err); err != nil {
				return err
			}
			if errors.Is(err, errOutOfOrder) {
				return err
			}
			continue
		case err != nil:
			return err
		case len(payload) == 0:
			if err := c.answerError(mysqlerr.New(mysqlerr.UnknownCom)); err != nil {
				return err
			}
			continue
		}
		c.busy.Add(1)
		c.srv.stats.command(payload[0])
		err = c.command(payload[0], payload[1:])
		if flushErr := c.flush(); err == nil {
			err = flushErr
		}
		c.busy.Add(1)
		if c.bytesIn+c.bytesOut > countStep {
			c.countBytes()
		}
		if err != nil {
			return err
		}
		if c.ctx.Err() != nil {
			return context.Cause(c.ctx)
		}
	}
}

// readCommand waits for the next command, from now on. Shutdown and kill rouse the connection after their flag is set; here
// the flags are looked at when a wait would begin, and whenever it is roused (timedConn.Read), so one of the two sees the other.
func (c *conn) readCommand(now time.Time) ([]byte, error) {
	if err := c.readWithin(c.limits.idle, now); err != nil {
		return nil, err
	}
	c.timed.idle = true
	defer func() { c.timed.idle = false }()
	if c.timed.killed() {
		return nil, errKilled()
	}
	if c.srv.draining.Load() {
		return nil, errQuit
	}
	return c.readPacket(c.limits.maxAllowedPacket, keepDeadline)
}

// answerError sends an error; what it returns is a failure to do so.
func (c *conn) answerError(err error) error {
	c.writeError(err)
	return c.flush()
}

// command runs one command. The error it returns ends the connection; errors
// of statements are sent to the client.
func (c *conn) command(com byte, arg []byte) error {
	switch com {
	case mysql.COM_QUIT:
		return errQuit
	case mysql.COM_QUERY:
		return c.query(string(arg))
	case mysql.COM_STMT_PREPARE:
		return c.stmtPrepare(string(arg))
	case mysql.COM_STMT_EXECUTE:
		return c.stmtExecute(arg)
	case mysql.COM_STMT_BULK_EXECUTE:
		return c.stmtBulkExecute(arg)
	case mysql.COM_STMT_SEND_LONG_DATA:
		return c.stmtSendLongData(arg)
	case mysql.COM_STMT_CLOSE:
		c.stmtClose(arg)
		return nil
	case mysql.COM_STMT_RESET:
		return c.stmtReset(arg)
	case mysql.COM_STMT_FETCH:
		return c.stmtFetch(arg)
	case mysql.COM_PING:
		c.writeOK(0x00, result.OK{Status: c.session.StatusFlags()})
		return nil
	case mysql.COM_INIT_DB:
		return c.simple(c.session.UseDB(c.ctx, string(arg)))
	case mysql.COM_RESET_CONNECTION:
		c.closeStmts()
		err := c.simple(c.session.Reset(c.ctx))
		c.refreshLimits()
		return err
	case mysql.COM_CHANGE_USER:
		return c.changeUser(arg)
	case mysql.COM_FIELD_LIST:
		return c.fieldList(arg)
	case mysql.COM_SHUTDOWN:
		return c.query("SHUTDOWN")
	case mysql.COM_STATISTICS:
		c.writePayload([]byte(c.session.Statistics()))
		return nil
	case mysql.COM_PROCESS_INFO:
		return c.query("SHOW PROCESSLIST")
	case mysql.COM_PROCESS_KILL:
		return c.processKill(arg)
	case mysql.COM_SET_OPTION:
		return c.setOption(arg)
	case mysql.COM_DEBUG:
		if err := c.session.CanDebug(); err != nil {
			c.writeError(err)
			return nil
		}
		c.log.Info("status asked for by a client", "status", c.session.Statistics())
		c.writeEOF(c.session.StatusFlags(), 0)
		return nil
	case mysql.COM_REGISTER_SLAVE:
		return c.registerSlave(arg)
	case mysql.COM_BINLOG_DUMP:
		return c.binlogDump(arg)
	}
	c.writeError(mysqlerr.New(mysqlerr.UnknownCom))
	return nil
}

// simple answers OK, or the error.
func (c *conn) simple(err error) error {
	if err != nil {
		c.writeError(err)
		return nil
	}
	c.writeOK(0x00, result.OK{Status: c.session.StatusFlags()})
	return nil
}

// query runs the text of COM_QUERY.
func (c *conn) query(sql string) error {
	w := resultWriter{c: c}
	err := c.finish(&w, c.session.Execute(c.ctx, sql, &w))
	if changesLimits(sql) {
		c.refreshLimits()
	}
	return err
}

// finish ends an execution: an error goes to the client as the last packet,
// unless it was the connection that failed.
func (c *conn) finish(w *resultWriter, err error) error {
	if w.file != nil {
		w.file.skip()
	}
	if w.ioErr != nil {
		return w.ioErr
	}
	if errors.Is(context.Cause(c.ctx), errClientGone) {
		return errClientGone
	}
	if err != nil {
		c.writeError(err)
	}
	return nil
}

// changesLimits reports whether a statement may have set one of the variables
// of limits.
func changesLimits(sql string) bool {
	if len(sql) > 4096 {
		return false
	}
	i := 0
	for i < len(sql) && sql[i] <= ' ' {
		i++
	}
	// Everything that is neither of the frequent statements is worth a look.
	if i < len(sql) && strings.IndexByte("iIuUdDbBrR", sql[i]) >= 0 {
		return strings.Contains(sql, ";")
	}
	lower := strings.ToLower(sql)
	return strings.Contains(lower, "timeout") || strings.Contains(lower, "max_allowed_packet")
}

func (c *conn) fieldList(arg []byte) error {
	cur := payloadReader{b: arg}
	table, wildcard := cur.nulString(), string(cur.b)
	if cur.failed {
		c.writeError(errMalformed)
		return nil
	}
	cols, err := c.session.FieldList(c.ctx, table, wildcard)
	if err != nil {
		c.writeError(err)
		return nil
	}
	for i := range cols {
		start := c.begin()
		c.out = append(cols[i].AppendDefinition(c.out), 0xfb) // the default value is not told
		c.end(start)
	}
	if c.caps&mysql.CLIENT_DEPRECATE_EOF != 0 {
		c.writeOK(0xfe, result.OK{Status: c.session.StatusFlags()})
	} else {
		c.writeEOF(c.session.StatusFlags(), 0)
	}
	return nil
}

func (c *conn) processKill(arg []byte) error {
	cur := payloadReader{b: arg}
	id := cur.u32()
	if cur.failed {
		c.writeError(errMalformed)
		return nil
	}
	return c.query("KILL CONNECTION " + strconv.FormatUint(uint64(id), 10))
}

// Values of COM_SET_OPTION.
const (
	optionMultiStatementsOn  = 0
	optionMultiStatementsOff = 1
)

func (c *conn) setOption(arg []byte) error {
	cur := payloadReader{b: arg}
	option := cur.u16()
	if cur.failed || option > optionMultiStatementsOff {
		c.writeError(mysqlerr.New(mysqlerr.UnknownCom))
		return nil
	}
	on := option == optionMultiStatementsOn
	c.caps &^= mysql.CLIENT_MULTI_STATEMENTS
	if on {
		c.caps |= mysql.CLIENT_MULTI_STATEMENTS
	}
	c.session.SetMultiStatements(on)
	c.writeEOF(c.session.StatusFlags(), 0)
	return nil
}

// changeUser authenticates anew. A failure ends the connection.
func (c *conn) changeUser(arg []byte) error {
	r, err := parseChangeUser(bytes.Clone(arg), c.caps)
	if err != nil {
		return c.refuse(err)
	}
	c.closeStmts()
	account, err := c.authenticate(r.user, r.plugin, r.auth)
	if err != nil {
		return c.refuse(err)
	}
	if err := c.session.ChangeUser(c.ctx, c.info(account, r.user, r.db, byte(r.collation), r.attributes)); err != nil {
		return c.refuse(fmt.Errorf("change user: %w", err))
	}
	c.user = r.user
	c.unregisterReplica()
	c.knownDB = r.db
	c.refreshLimits()
	return c.simple(nil)
}
