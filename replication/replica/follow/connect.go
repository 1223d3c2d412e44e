package follow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	mysqlclient "github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// handshakeBytes is more than a server says before its log.
const handshakeBytes = 32 << 20

// Connect connects, asks what a replica asks, registers, and asks for the log. The end of ctx ends it with ctx's error; all other errors are of the type
// *primary.Error.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	o.ensureDefaults()
	var c *Conn
	err := dial(ctx, &o, o.NetTimeout, func(cl *client.Conn, raw *timed) (err error) {
		a := asker{o: &o, conn: cl}
		if err := a.ask(); err != nil {
			return err
		}
		c = newConn(o, a.info, cl.Conn.Conn, raw)
		c.stream.decoder.Checksum, c.stream.place = a.checksum, a.from
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Try connects and registers as Connect does, and hangs up before it asks for the log: the primary lets whoever may do that follow, and a replica that
// has the same server id goes on undisturbed. Errors are as Connect's.
func Try(ctx context.Context, o Options) error {
	o.ensureDefaults()
	return dial(ctx, &o, o.NetTimeout, func(cl *client.Conn, _ *timed) error {
		err := (&asker{o: &o, conn: cl}).introduce()
		if err == nil {
			_ = cl.Close() // what it was for is known
		}
		return err
	})
}

// dial connects and logs in, and lets use work with the connection. If that returns an error the connection is closed.
func dial(ctx context.Context, o *Options, timeout time.Duration, use func(*client.Conn, *timed) error) error {
	config, err := tlsConfig(&o.Settings)
	if err != nil {
		return connecting(o, crSSLConnection, "SSL connection error: "+err.Error(), err)
	}
	o.State("Connecting to master")
	var raw *timed
	unwatch := func() bool { return true }
	dialer := func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: timeout}
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		raw = &timed{Conn: conn, timeout: timeout, left: handshakeBytes}
		unwatch = context.AfterFunc(ctx, func() { _ = conn.Close() })
		return raw, nil
	}
	err = guarded(func() error {
		address := net.JoinHostPort(o.Settings.Host, strconv.Itoa(int(o.Settings.Port)))
		conn, err := client.ConnectWithDialer(ctx, "tcp", address, o.Settings.User, o.Settings.Password, "", dialer, func(c *client.Conn) error {
			if config != nil {
				c.SetTLSConfig(config)
			}
			return c.SetCollation("utf8mb4_general_ci") // every server has it
		})
		if err != nil {
			return connectError(o, err)
		}
		return use(conn, raw)
	})
	unwatched := unwatch()
	if err == nil && unwatched {
		raw.left = -1
		return nil
	}
	if raw != nil {
		_ = raw.Close()
	}
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	var mine *primary.Error
	if !errors.As(err, &mine) {
		return lost(err)
	}
	return mine
}

// kill ends what the primary runs for a connection that is closed: it would take until its next event to see that, and wait for an acknowledgement of
// that one.
func (c *Conn) kill() {
	ctx, cancel := context.WithTimeout(context.Background(), c.o.KillTimeout)
	defer cancel()
	o := c.o
	o.State = func(string) {}
	err := dial(ctx, &o, c.o.KillTimeout, func(cl *client.Conn, _ *timed) error {
		_, err := cl.Execute("KILL " + strconv.FormatUint(uint64(c.info.ConnectionID), 10))
		_ = cl.Close()
		return err
	})
	if err != nil {
		c.o.Logger.Debug("the primary was not told that nobody acknowledges any more", "err", err)
	}
}

// asker asks what a replica asks before the log comes, in MariaDB's order.
type asker struct {
	o    *Options
	conn *client.Conn
	info Info
	// checksum says that events have a checksum before a format description says so, from where the log is asked for.
	checksum bool
	from     primary.Place
}

func (a *asker) ask() error {
	if err := a.introduce(); err != nil {
		return err
	}
	if a.o.SemiSync {
		if err := a.semiSync(); err != nil {
			return err
		}
	}
	return a.dump()
}

// introduce is what comes before semi-sync and the log.
func (a *asker) introduce() error {
	a.o.State("Checking master version")
	a.info.Version, a.info.ConnectionID = a.conn.GetServerVersion(), a.conn.GetConnectionID()
	a.info.Flavor, _, _ = parseVersion(a.info.Version)
	for _, step := range []func() error{a.clock, a.serverID, a.heartbeat, a.checksums, a.capability, a.position} {
		if err := step(); err != nil {
			return err
		}
	}
	a.o.State("Registering slave on master")
	return a.register()
}

// query runs a statement and gives the last column of its first row; found says whether there is one. Errors that are the server's are
// *mysqlclient.MyError.
func (a *asker) query(sql string) (value string, found bool, err error) {
	r, err := a.conn.Execute(sql)
	if err != nil {
		var theirs *mysqlclient.MyError
		if errors.As(err, &theirs) {
			return "", false, theirs
		}
		return "", false, lost(err)
	}
	if r.Resultset == nil || r.RowNumber() == 0 || r.ColumnNumber() == 0 {
		return "", false, nil
	}
	v, err := r.GetString(0, r.ColumnNumber()-1)
	if err != nil {
		return "", false, lost(err)
	}
	return v, true, nil
}

// refused is the server's error in MariaDB's words about what was tried with it.
func refused(err error, what string) error {
	var theirs *mysqlclient.MyError
	if !errors.As(err, &theirs) {
		return err
	}
	return fail(theirs.Code, false, err, "The slave I/O thread stops because %s Error: %s", what, theirs.Message)
}

// isUnknownVariable tells whether the server does not know a system variable.
func isUnknownVariable(err error) bool {
	var theirs *mysqlclient.MyError
	return errors.As(err, &theirs) && theirs.Code == erUnknownSystemVariable
}

func (a *asker) clock() error {
	text, _, err := a.query("SELECT UNIX_TIMESTAMP()")
	var theirs *mysqlclient.MyError
	if err != nil && !errors.As(err, &theirs) {
		return err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		a.o.Logger.Warn("\"SELECT UNIX_TIMESTAMP()\" failed on the primary; Seconds_Behind_Master cannot be trusted")
		return nil //nolint:nilerr // as in MariaDB, one follows without that
	}
	a.info.ClockDifference = time.Duration(time.Now().Unix()-seconds) * time.Second
	return nil
}

func (a *asker) serverID() error {
	const what = "a fatal error is encountered when it try to get the value of SERVER_ID variable from master."
	text, _, err := a.query("SHOW VARIABLES LIKE 'SERVER_ID'")
	if err != nil {
		return refused(err, what)
	}
	id, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return fatal("The slave I/O thread stops because %s It is '%s'", what, text)
	}
	a.info.ServerID = uint32(id)
	if a.info.ServerID == a.o.ServerID {
		return fatal("The slave I/O thread stops because master and slave have equal MariaDB server ids; these ids must be different for replication to work " +
			"(or the --replicate-same-server-id option must be used on slave but this does not always make sense; please check the manual before using it).")
	}
	return nil
}

func (a *asker) heartbeat() error {
	period := a.o.Settings.HeartbeatPeriod
	if period == 0 {
		return nil
	}
	_, _, err := a.query(fmt.Sprintf("SET @master_heartbeat_period= %d", period.Nanoseconds()))
	return refused(err, "a fatal error is encountered when it tries to SET @master_heartbeat_period on master.")
}

func (a *asker) checksums() error {
	_, _, err := a.query("SET @master_binlog_checksum= @@global.binlog_checksum")
	if isUnknownVariable(err) {
		return nil // a server from before checksums
	}
	if err != nil {
		return refused(err, "a fatal error is encountered when it tried to SET @master_binlog_checksum on master.")
	}
	text, _, err := a.query("SELECT @master_binlog_checksum")
	if err != nil {
		return refused(err, "a fatal error is encountered when it tried to SELECT @master_binlog_checksum.")
	}
	switch text {
	case "CRC32":
		a.checksum = true
	case "NONE":
	default:
		return fatal("the primary's binlog_checksum is '%s'; this server knows CRC32 and NONE", text)
	}
	return nil
}

func (a *asker) capability() error {
	if a.info.Flavor == MySQL {
		return nil
	}
	_, _, err := a.query("SET @mariadb_slave_capability=4") // GTIDs
	return refused(err, "a fatal error is encountered when it tries to set @mariadb_slave_capability.")
}

// position says from where the log is wanted.
func (a *asker) position() error {
	if a.o.Settings.GTID != primary.NoGTID {
		switch _, _, err := a.query("SELECT @@GLOBAL.gtid_domain_id"); {
		case err == nil:
			return a.gtidPosition()
		case !isUnknownVariable(err):
			return refused(err, "master does not support MariaDB global transaction id. A fatal error is encountered when it tries to SELECT @@GLOBAL.gtid_domain_id.")
		}
		if a.o.Until != nil {
			return fatal("the primary has no MariaDB GTIDs, so START SLAVE UNTIL master_gtid_pos has no end; use UNTIL master_log_file and master_log_pos")
		}
		if err := a.set(); err != nil || a.info.Set {
			return err
		}
	}
	a.from = a.o.Settings.Place
	a.from.Pos = max(a.from.Pos, uint64(len(event.Magic)))
	if a.from.Pos > math.MaxUint32 {
		return fatal("the log cannot be asked for from position %d of '%s': the protocol has no room for positions beyond 4 GiB. Use MASTER_USE_GTID=slave_pos, "+
			"or start at the next file", a.from.Pos, a.from.File)
	}
	return nil
}

// set decides whether a MySQL is asked by the set of its GTIDs, and says why not.
func (a *asker) set() error {
	mode, _, err := a.query("SELECT @@GLOBAL.gtid_mode")
	why := "master does not support GTIDs"
	switch s := &a.o.Settings; {
	case isUnknownVariable(err):
	case err != nil:
		return refused(err, "a fatal error is encountered when it tries to SELECT @@GLOBAL.gtid_mode.")
	case !strings.EqualFold(mode, "ON"):
		why = "the primary's gtid_mode is " + mode + ", and not ON"
	case s.Place.File != "" && !s.BySet:
		why = "gtid_executed of this server may lack what was executed by file and position. If it lacks nothing, or SET GLOBAL gtid_purged has said the rest, " +
			"CHANGE MASTER TO MASTER_USE_GTID=slave_pos changes to it"
	default:
		a.info.GTID, a.info.Set = true, true
		return nil
	}
	a.o.Logger.Warn("Falling back to Using_Gtid=No because "+why, "version", a.info.Version)
	return nil
}

func (a *asker) gtidPosition() error {
	a.info.GTID = true
	for _, v := range []struct{ name, value string }{
		{"slave_connect_state", "'" + a.o.From.String() + "'"},
		{"slave_gtid_strict_mode", boolean(a.o.Strict)},
		{"slave_gtid_ignore_duplicates", boolean(a.o.IgnoreDuplicates)},
		{"slave_until_gtid", "'" + a.o.Until.String() + "'"},
	} {
		if v.name == "slave_until_gtid" && a.o.Until == nil {
			continue
		}
		if _, _, err := a.query("SET @" + v.name + "=" + v.value); err != nil {
			return refused(err, "a fatal error is encountered when it tries to set @"+v.name+".")
		}
	}
	return nil
}

func boolean(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

func (a *asker) register() error {
	if err := a.send(registerCommand(a.o)); err != nil {
		return err
	}
	b, err := a.conn.ReadPacket()
	if err != nil {
		return lost(err)
	}
	if b[0] == packetError {
		number, text := errorPacket(b)
		return fail(erMasterCommand, true, nil, "Master command COM_REGISTER_SLAVE failed: %s (Errno: %d)", text, number)
	}
	return nil
}

// send writes a packet that starts a command.
func (a *asker) send(b []byte) error {
	a.conn.ResetSequence()
	if err := a.conn.WritePacket(b); err != nil {
		return lost(err)
	}
	return nil
}

// semiSync asks for events that say which of them the primary waits for.
func (a *asker) semiSync() error {
	names := []string{"rpl_semi_sync_master_enabled"}
	if a.info.Flavor == MySQL {
		names = append(names, "rpl_semi_sync_source_enabled")
	}
	known := false
	for _, name := range names {
		_, found, err := a.query("SHOW VARIABLES LIKE '" + name + "'")
		if err != nil {
			return refused(err, "it could not ask whether the primary is semi-synchronous.")
		}
		known = known || found
	}
	if !known {
		a.o.Logger.Warn("Master server does not support semi-sync, fallback to asynchronous replication", "version", a.info.Version)
		return nil
	}
	set := "SET @rpl_semi_sync_slave= 1"
	if a.info.Flavor == MySQL {
		set += ", @rpl_semi_sync_replica= 1"
	}
	if _, _, err := a.query(set); err != nil {
		return refused(err, "it could not set @rpl_semi_sync_slave.")
	}
	a.info.SemiSync = true
	return nil
}

func (a *asker) dump() error {
	file, pos, flags := a.from.File, uint32(a.from.Pos), uint16(0)
	if a.info.GTID {
		file, pos = "", uint32(len(event.Magic))
	}
	if a.info.Flavor == MariaDB {
		flags = dumpSendAnnotate // to MySQL it means something else
	}
	request := dumpCommand(a.o, pos, file, flags)
	if a.info.Set {
		request = dumpSetCommand(a.o)
	}
	if err := a.send(request); err != nil {
		return err
	}
	a.o.State("Waiting for master to send event")
	return nil
}
