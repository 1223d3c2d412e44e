package admin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// connection is the name of the connection that a statement is about.
func (s Session) connection(c dialect.Connection) string {
	if c.Given {
		return c.Name
	}
	return s.Vars.Str("default_master_connection")
}

// replicated ends a statement about replication: its notes become warnings, its error one of the client's.
func (s Session) replicated(notes []replica.Note, err error) error {
	for _, n := range notes {
		level := "Note"
		if n.Warning {
			level = "Warning"
		}
		s.Warn(level, n.Number, n.Text)
	}
	return ReplicaError(err)
}

// ReplicaError makes an error of package replica one that clients see.
func ReplicaError(err error) error {
	var pe *primary.Error
	if errors.As(err, &pe) {
		return mysqlerr.Newf(pe.Number, "%s", pe.Text).WithCause(err)
	}
	return err
}

// changeMaster is CHANGE MASTER.
func (s Session) changeMaster(ctx context.Context, st dialect.ChangeMaster) error {
	s.Proc.SetQuery(dialect.Logged(st, dialect.Mode{})) // without the password
	change, err := masterChange(st.Options)
	if err != nil {
		return err
	}
	return s.replicated(s.Engine.Replication.Change(ctx, s.connection(st.Connection), change))
}

// masterChange is what options change.
func masterChange(options []dialect.MasterOption) (c replica.Change, err error) {
	texts := map[string]**string{
		"MASTER_HOST": &c.Host, "MASTER_USER": &c.User, "MASTER_PASSWORD": &c.Password, "MASTER_LOG_FILE": &c.LogFile, "RELAY_LOG_FILE": &c.RelayLogFile,
		"MASTER_SSL_CA": &c.TLS.CA, "MASTER_SSL_CAPATH": &c.TLS.CAPath, "MASTER_SSL_CERT": &c.TLS.Cert, "MASTER_SSL_KEY": &c.TLS.Key,
		"MASTER_SSL_CIPHER": &c.TLS.Cipher, "MASTER_SSL_CRL": &c.TLS.CRL, "MASTER_SSL_CRLPATH": &c.TLS.CRLPath,
	}
	numbers := map[string]**uint64{"MASTER_LOG_POS": &c.LogPos, "RELAY_LOG_POS": &c.RelayLogPos, "MASTER_DELAY": &c.Delay}
	flags := map[string]**bool{"MASTER_SSL": &c.TLS.On, "MASTER_SSL_VERIFY_SERVER_CERT": &c.TLS.VerifyServerCert}
	lists := map[string]**[]uint32{"IGNORE_SERVER_IDS": &c.IgnoreServerIDs, "DO_DOMAIN_IDS": &c.DoDomains, "IGNORE_DOMAIN_IDS": &c.IgnoreDomains}
	for _, o := range options {
		n, _ := strconv.ParseUint(o.Value, 10, 64)
		switch o.Name {
		case "MASTER_PORT":
			c.Port = n
		case "MASTER_CONNECT_RETRY":
			c.ConnectRetry = time.Duration(min(n, math.MaxUint32)) * time.Second
		case "MASTER_HEARTBEAT_PERIOD":
			c.Heartbeats = append(c.Heartbeats, seconds(o.Value))
		case "MASTER_USE_GTID":
			mode, ok := map[string]primary.GTIDMode{"SLAVE_POS": primary.SlavePos, "CURRENT_POS": primary.CurrentPos, "NO": primary.NoGTID}[o.Value]
			if !ok {
				return c, mysqlerr.NotYet("MASTER_USE_GTID = " + o.Value)
			}
			c.GTID = &mode
		case "MASTER_DEMOTE_TO_SLAVE":
			c.Demote = n != 0
		default:
			switch {
			case texts[o.Name] != nil:
				*texts[o.Name] = &o.Value
			case numbers[o.Name] != nil:
				*numbers[o.Name] = &n
			case flags[o.Name] != nil:
				on := n != 0
				*flags[o.Name] = &on
			case lists[o.Name] != nil:
				ids := []uint32{}
				for _, id := range o.IDs {
					if id > math.MaxUint32 {
						return c, mysqlerr.New(mysqlerr.WrongArguments, o.Name)
					}
					ids = append(ids, uint32(id))
				}
				*lists[o.Name] = &ids
			default:
				return c, mysqlerr.NotYet(o.Name)
			}
		}
	}
	return c, nil
}

// seconds is a number of seconds, which may have a fraction.
func seconds(text string) time.Duration {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f > math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(f * float64(time.Second))
}

// startSlave is START SLAVE.
func (s Session) startSlave(ctx context.Context, st dialect.StartSlave) error {
	how := replica.Start{IO: st.IO, SQL: st.SQL}
	for _, o := range st.Until {
		n, _ := strconv.ParseUint(o.Value, 10, 64)
		switch o.Name {
		case "MASTER_GTID_POS":
			how.Until.Kind, how.Until.List = replica.UntilGTID, o.Value
		case "MASTER_LOG_FILE":
			how.Until.Kind, how.Until.Place.File = replica.UntilPlace, o.Value
		case "RELAY_LOG_FILE":
			how.Until.Kind, how.Until.Place.File = replica.UntilRelay, o.Value
		default:
			how.Until.Place.Pos = n
		}
	}
	if st.All {
		return s.replicated(s.Engine.Replication.StartAll(ctx, how))
	}
	return s.replicated(s.Engine.Replication.Start(ctx, s.connection(st.Connection), how))
}

// stopSlave is STOP SLAVE.
func (s Session) stopSlave(ctx context.Context, st dialect.StopSlave) error {
	how := replica.Stop{IO: st.IO, SQL: st.SQL}
	if st.All {
		return s.replicated(s.Engine.Replication.StopAll(ctx, how))
	}
	return s.replicated(s.Engine.Replication.Stop(ctx, s.connection(st.Connection), how))
}

// showSlaveStatus is SHOW SLAVE STATUS.
func (s Session) showSlaveStatus(st dialect.ShowSlaveStatus) (*adminRows, error) {
	var shown []replica.Status
	if st.All {
		shown = s.Engine.Replication.All()
	} else {
		one, ok, err := s.Engine.Replication.Status(s.connection(st.Connection))
		if err != nil {
			return nil, ReplicaError(err)
		}
		if ok {
			shown = append(shown, one)
		}
	}
	out := &adminRows{unsigned: true}
	var columns []slaveColumn
	for _, c := range slaveColumns {
		if st.All || !c.allOnly {
			columns = append(columns, c)
			out.names, out.types = append(out.names, c.name), append(out.types, c.kind)
		}
	}
	for i := range shown {
		row := make([]any, len(columns))
		for j, c := range columns {
			row[j] = c.value(s.Session, &shown[i])
		}
		out.rows = append(out.rows, row)
	}
	return out, nil
}

// slaveColumn is a column of SHOW SLAVE STATUS; allOnly are those of SHOW ALL SLAVES STATUS.
type slaveColumn struct {
	name    string
	kind    byte // MYSQL_TYPE_*, 0 for a text
	allOnly bool
	value   func(s *session.Session, st *replica.Status) any
}

const (
	slaveLong     = mysql.MYSQL_TYPE_LONG
	slaveLongLong = mysql.MYSQL_TYPE_LONGLONG
)

// of makes a column's function of one that looks at the connection only.
func of[T any](f func(st *replica.Status) T) func(*session.Session, *replica.Status) any {
	return func(_ *session.Session, st *replica.Status) any { return f(st) }
}

// variable makes a column that shows a global variable.
func variable(name string) func(*session.Session, *replica.Status) any {
	d := session.MustVar(name)
	return func(s *session.Session, _ *replica.Status) any {
		text, _ := d.Format(s.Server.Globals.Value(d))
		return text
	}
}

// ofConnection makes a column that shows a variable of which each connection has its own.
func ofConnection(name string) func(*session.Session, *replica.Status) any {
	d := session.MustVar(name)
	return func(s *session.Session, st *replica.Status) any {
		v, err := s.Server.Globals.Part(d, st.Name)
		if err != nil { // RESET SLAVE ALL was faster
			return ""
		}
		text, _ := d.Format(v)
		return text
	}
}

func constant(v any) func(*session.Session, *replica.Status) any {
	return func(*session.Session, *replica.Status) any { return v }
}

// slaveColumns are in MariaDB's order. There is no relay log: what of it is shown are the values of a connection that has none yet, and the bytes that
// are received and not executed.
var slaveColumns = []slaveColumn{
	{"Connection_name", 0, true, of(func(st *replica.Status) string { return st.Name })},
	{"Slave_SQL_State", 0, true, of(func(st *replica.Status) string { return st.SQLState })},
	{"Slave_IO_State", 0, false, of(func(st *replica.Status) string { return st.IOState })},
	{"Master_Host", 0, false, of(func(st *replica.Status) string { return st.Settings.Host })},
	{"Master_User", 0, false, of(func(st *replica.Status) string { return st.Settings.User })},
	{"Master_Port", slaveLong, false, of(func(st *replica.Status) uint16 { return st.Settings.Port })},
	{"Connect_Retry", slaveLong, false, of(func(st *replica.Status) int64 { return int64(st.Settings.ConnectRetry / time.Second) })},
	{"Master_Log_File", 0, false, of(func(st *replica.Status) string { return st.Received.File })},
	{"Read_Master_Log_Pos", slaveLongLong, false, of(func(st *replica.Status) uint64 { return max(st.Received.Pos, firstLogPosition) })},
	{"Relay_Log_File", 0, false, constant("")},
	{"Relay_Log_Pos", slaveLongLong, false, constant(firstLogPosition)},
	{"Relay_Master_Log_File", 0, false, of(func(st *replica.Status) string { return st.Executed.File })},
	{"Slave_IO_Running", 0, false, of(func(st *replica.Status) string { return st.IOPhase.String() })},
	{"Slave_SQL_Running", 0, false, of(func(st *replica.Status) string { return yesNo(st.SQLRuns) })},
	{"Replicate_Do_DB", 0, false, ofConnection("replicate_do_db")},
	{"Replicate_Ignore_DB", 0, false, ofConnection("replicate_ignore_db")},
	{"Replicate_Do_Table", 0, false, ofConnection("replicate_do_table")},
	{"Replicate_Ignore_Table", 0, false, ofConnection("replicate_ignore_table")},
	{"Replicate_Wild_Do_Table", 0, false, ofConnection("replicate_wild_do_table")},
	{"Replicate_Wild_Ignore_Table", 0, false, ofConnection("replicate_wild_ignore_table")},
	{"Last_Errno", slaveLong, false, of(func(st *replica.Status) uint16 { return errorNumber(st.SQLError) })},
	{"Last_Error", 0, false, of(func(st *replica.Status) string { return errorText(st.SQLError) })},
	{"Skip_Counter", slaveLong, false, of(func(st *replica.Status) uint64 { return st.SkipCounter })},
	{"Exec_Master_Log_Pos", slaveLongLong, false, of(func(st *replica.Status) uint64 {
		if st.Executed.File == "" {
			return 0
		}
		return max(st.Executed.Pos, firstLogPosition)
	})},
	{"Relay_Log_Space", slaveLongLong, false, of(func(st *replica.Status) int { return st.QueueBytes })},
	{"Until_Condition", 0, false, of(func(st *replica.Status) string {
		return [...]string{replica.NoUntil: "None", replica.UntilPlace: "Master", replica.UntilRelay: "Relay", replica.UntilGTID: "Gtid"}[st.Until.Kind]
	})},
	{"Until_Log_File", 0, false, of(func(st *replica.Status) string { return st.Until.Place.File })},
	{"Until_Log_Pos", slaveLongLong, false, of(func(st *replica.Status) uint64 { return st.Until.Place.Pos })},
	{"Master_SSL_Allowed", 0, false, of(func(st *replica.Status) string { return yesNo(st.Settings.TLS.On) })},
	{"Master_SSL_CA_File", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.CA })},
	{"Master_SSL_CA_Path", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.CAPath })},
	{"Master_SSL_Cert", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.Cert })},
	{"Master_SSL_Cipher", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.Cipher })},
	{"Master_SSL_Key", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.Key })},
	{"Seconds_Behind_Master", slaveLongLong, false, of(func(st *replica.Status) any {
		if st.SecondsBehind == nil {
			return nil
		}
		return *st.SecondsBehind
	})},
	{"Master_SSL_Verify_Server_Cert", 0, false, of(func(st *replica.Status) string { return yesNo(st.Settings.TLS.VerifyServerCert) })},
	{"Last_IO_Errno", slaveLong, false, of(func(st *replica.Status) uint16 { return errorNumber(st.IOError) })},
	{"Last_IO_Error", 0, false, of(func(st *replica.Status) string { return errorText(st.IOError) })},
	{"Last_SQL_Errno", slaveLong, false, of(func(st *replica.Status) uint16 { return errorNumber(st.SQLError) })},
	{"Last_SQL_Error", 0, false, of(func(st *replica.Status) string { return errorText(st.SQLError) })},
	{"Replicate_Ignore_Server_Ids", 0, false, of(func(st *replica.Status) string { return idList(st.Settings.IgnoreServerIDs) })},
	{"Master_Server_Id", slaveLong, false, of(func(st *replica.Status) uint32 { return st.PrimaryID })},
	{"Master_SSL_Crl", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.CRL })},
	{"Master_SSL_Crlpath", 0, false, of(func(st *replica.Status) string { return st.Settings.TLS.CRLPath })},
	{"Using_Gtid", 0, false, of(func(st *replica.Status) string { return st.Settings.GTID.Shown() })},
	{"Gtid_IO_Pos", 0, false, of(func(st *replica.Status) string {
		if st.Set != nil {
			return st.Set.String()
		}
		return st.GTIDs.String()
	})},
	{"Replicate_Do_Domain_Ids", 0, false, of(func(st *replica.Status) string { return idList(st.Settings.DoDomains) })},
	{"Replicate_Ignore_Domain_Ids", 0, false, of(func(st *replica.Status) string { return idList(st.Settings.IgnoreDomains) })},
	{"Parallel_Mode", 0, false, variable("slave_parallel_mode")},
	{"SQL_Delay", slaveLong, false, of(func(st *replica.Status) int64 { return int64(st.Settings.Delay / time.Second) })},
	{"SQL_Remaining_Delay", slaveLong, false, of(func(st *replica.Status) any {
		if st.RemainingDelay == nil {
			return nil
		}
		return int64(*st.RemainingDelay / time.Second)
	})},
	{"Slave_SQL_Running_State", 0, false, of(func(st *replica.Status) string { return st.SQLState })},
	{"Slave_DDL_Groups", slaveLongLong, false, of(func(st *replica.Status) uint64 { return st.DDLGroups })},
	{"Slave_Non_Transactional_Groups", slaveLongLong, false, of(func(st *replica.Status) uint64 { return st.NonTransactionalGroups })},
	{"Slave_Transactional_Groups", slaveLongLong, false, of(func(st *replica.Status) uint64 { return st.TransactionalGroups })},
	{"Replicate_Rewrite_DB", 0, false, ofConnection("replicate_rewrite_db")},
	{"Retried_transactions", slaveLong, true, of(func(st *replica.Status) uint64 { return st.Retried })},
	{"Max_relay_log_size", slaveLongLong, true, func(s *session.Session, _ *replica.Status) any { return s.Server.Globals.Uint("max_relay_log_size") }},
	{"Executed_log_entries", slaveLong, true, of(func(st *replica.Status) uint64 { return st.Entries })},
	{"Slave_received_heartbeats", slaveLong, true, of(func(st *replica.Status) uint64 { return st.Heartbeats })},
	{"Slave_heartbeat_period", mysql.MYSQL_TYPE_DOUBLE, true, of(func(st *replica.Status) float64 { return st.Settings.HeartbeatPeriod.Seconds() })},
	{"Gtid_Slave_Pos", 0, true, variable("gtid_slave_pos")},
}

// firstLogPosition is where events begin in a log file.
const firstLogPosition = uint64(4)

func yesNo(yes bool) string {
	if yes {
		return "Yes"
	}
	return "No"
}

func errorNumber(e *primary.Error) uint16 {
	if e == nil {
		return 0
	}
	return e.Number
}

func errorText(e *primary.Error) string {
	if e == nil {
		return ""
	}
	return e.Text
}

func idList(ids []uint32) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatUint(uint64(id), 10)
	}
	return strings.Join(texts, ", ")
}

// relaylogEvents is SHOW RELAYLOG EVENTS: there is no relay log, and so none of its files.
func (s Session) relaylogEvents(st dialect.ShowRelaylogEvents) (*adminRows, error) {
	_, configured, err := s.Engine.Replication.Status(s.connection(st.Connection))
	switch {
	case err != nil:
		return nil, ReplicaError(err)
	case configured && st.File != "":
		return nil, eventsError("Could not find target log", nil)
	}
	return noRows("Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info"), nil
}

// replicaThreads are the rows of the process list about threads that follow primaries. work has, by threads, the rows of the sessions that run their
// statements: where one runs, the thread's row says what.
func (e *Server) replicaThreads(now time.Time, work map[uint32][]any) (rows [][]any) {
	for _, st := range e.Replication.All() {
		for _, t := range []struct {
			info           replica.ThreadInfo
			command, state string
		}{{st.IO, "Slave_IO", st.IOState}, {st.SQL, "Slave_SQL", st.SQLState}} {
			if t.info.ID == 0 {
				continue
			}
			row := []any{t.info.ID, "system user", "", nil, t.command, int64(now.Sub(t.info.Since).Seconds()), t.state, nil, "0.000"}
			if w := work[t.info.ID]; w != nil && w[7] != nil { // it runs a statement
				row[3], row[6], row[7] = w[3], w[6], w[7]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// replicaStatus adds the status variables about following primaries; SHOW STATUS shows those of the default connection, of which there may be none.
func (e *Server) replicaStatus(s *session.Session, add func(string, any)) {
	var heartbeats, retried uint64
	var sum, own replica.Status
	running := 0
	for _, st := range e.Replication.All() {
		if st.SQLRuns && st.IOPhase == replica.Receives {
			running++
		}
		heartbeats += st.Heartbeats
		retried += st.Retried
		addTo(&sum, &st)
	}
	state, period := "OFF", 0.0
	if st, ok, err := e.Replication.Status(s.Vars.Str("default_master_connection")); err == nil && ok {
		if st.SQLRuns && st.IOPhase == replica.Receives {
			state = "ON"
		}
		period = st.Settings.HeartbeatPeriod.Seconds()
		own = st
	}
	waiting, sent := e.SemiSyncReplica()
	add("Rpl_semi_sync_slave_status", map[bool]string{true: "ON", false: "OFF"}[waiting > 0])
	add("Rpl_semi_sync_slave_send_ack", sent)
	add("Slave_running", state)
	add("Slaves_running", running)
	add("Slave_heartbeat_period", fmt.Sprintf("%.3f", period))
	add("Slave_received_heartbeats", heartbeats)
	add("Slave_retried_transactions", retried)
	replicaCounters("Duramen_replica_", &sum, add)
	replicaCounters("Duramen_replica_connection_", &own, add)
}

// addTo adds what a connection counts to the sum of all. The age is that of the oldest group of any.
func addTo(sum, st *replica.Status) {
	sum.QueueBytes += st.QueueBytes
	sum.QueueGroups += st.QueueGroups
	sum.ReceivedGroups += st.ReceivedGroups
	sum.ReceivedBytes += st.ReceivedBytes
	sum.DDLGroups += st.DDLGroups
	sum.NonTransactionalGroups += st.NonTransactionalGroups
	sum.TransactionalGroups += st.TransactionalGroups
	sum.Retried += st.Retried
	sum.Heartbeats += st.Heartbeats
	sum.Acks += st.Acks
	if st.Age != nil && (sum.Age == nil || *st.Age > *sum.Age) {
		sum.Age = st.Age
	}
}

// replicaCounters adds the status variables that MariaDB does not have: of all connections together, or of one.
func replicaCounters(prefix string, st *replica.Status, add func(string, any)) {
	behind := "" // nobody knows
	if st.Age != nil {
		behind = strconv.FormatInt(int64(*st.Age/time.Second), 10)
	}
	add(prefix+"seconds_behind", behind)
	add(prefix+"queue_bytes", st.QueueBytes)
	add(prefix+"queue_transactions", st.QueueGroups)
	add(prefix+"received_bytes", st.ReceivedBytes)
	add(prefix+"received_transactions", st.ReceivedGroups)
	add(prefix+"executed_transactions", st.ExecutedGroups())
	add(prefix+"retried_transactions", st.Retried)
	add(prefix+"heartbeats", st.Heartbeats)
	add(prefix+"semi_sync_acks", st.Acks)
}

// sortedByID orders rows of the process list.
func sortedByID(rows [][]any) {
	slices.SortStableFunc(rows, func(a, b []any) int { return int(int64(a[0].(uint32)) - int64(b[0].(uint32))) })
}
