package replica

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Change is CHANGE MASTER TO: what is nil stays as it is, or follows from the rest.
type Change struct {
	Host, User, Password *string
	// Port is 0 if it stays; ConnectRetry, too.
	Port         uint64
	ConnectRetry time.Duration
	// Heartbeats are all that the statement says of MASTER_HEARTBEAT_PERIOD, in its order: each may earn a warning, the last one counts.
	Heartbeats []time.Duration
	// LogFile and LogPos are MASTER_LOG_FILE and MASTER_LOG_POS, the others RELAY_LOG_FILE and RELAY_LOG_POS.
	LogFile, RelayLogFile *string
	LogPos, RelayLogPos   *uint64
	// Delay is in seconds.
	Delay *uint64
	GTID  *primary.GTIDMode
	// Demote is MASTER_DEMOTE_TO_SLAVE.
	Demote                                    bool
	IgnoreServerIDs, DoDomains, IgnoreDomains *[]uint32
	TLS                                       TLSChange
}

// TLSChange is what a Change says of TLS.
type TLSChange struct {
	On, VerifyServerCert                        *bool
	CA, CAPath, Cert, Key, Cipher, CRL, CRLPath *string
}

// Limits of MariaDB.
const (
	heartbeatMax    = 4294967 * time.Second
	delayMaxSeconds = math.MaxInt32
	hostMax         = 255 // characters; so of the file names
	userMax         = 128
	passwordMax     = 96
	fileNameMax     = 511
)

// Change changes the settings of a connection, which it makes if there is none of the name. Nothing is changed if it fails.
func (m *Manager) Change(ctx context.Context, name string, to Change) ([]Note, error) {
	c, made, err := m.holdOrMake(name)
	if err != nil {
		return nil, err
	}
	defer c.statement.Unlock()
	notes, err := m.change(ctx, c, to)
	if err != nil && made {
		m.forget(c)
	}
	return notes, err
}

func (m *Manager) change(ctx context.Context, c *connection, to Change) ([]Note, error) {
	if c.runs() {
		return nil, errRunning(c.name)
	}
	old := c.settings()
	s, notes, err := m.changed(c, old, to)
	if err != nil {
		return notes, err
	}
	check := func() error { return m.conflict(c, &s, to) }
	if err := check(); err != nil {
		return notes, err
	}
	if to.Demote {
		if err := m.demote(ctx, s.GTID); err != nil {
			return notes, err
		}
	}
	// What was received and not executed is received again.
	if err := m.put(c, s, check); err != nil {
		return notes, err
	}
	c.queue.empty()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.followsOn, c.mu.until = false, Until{}
	c.mu.received.place, c.mu.executed.place, c.mu.atPlace = s.Place, s.Place, nil
	c.mu.status.sqlError, c.mu.status.skip = nil, 0
	return notes, nil
}

// changed are the settings after a change.
func (m *Manager) changed(c *connection, old primary.Settings, to Change) (s primary.Settings, notes []Note, err error) {
	s = old
	if notes, err = m.heartbeat(&s, to.Heartbeats); err != nil {
		return s, notes, err
	}
	if to.Delay != nil {
		if *to.Delay > delayMaxSeconds {
			return s, notes, fail(delayRange, "The requested value %d for the master delay exceeds the maximum %d", *to.Delay, delayMaxSeconds)
		}
		s.Delay = time.Duration(*to.Delay) * time.Second
	}
	if err := setText(&s, to); err != nil {
		return s, notes, err
	}
	if to.Port > math.MaxUint16 {
		return s, notes, fail(wrongArguments, "Incorrect arguments to MASTER_PORT")
	}
	if to.Port != 0 {
		s.Port = uint16(to.Port)
	}
	if to.ConnectRetry != 0 {
		s.ConnectRetry = to.ConnectRetry
	}
	setTLS(&s.TLS, to.TLS)
	more, err := setGTID(&s, to)
	if notes = append(notes, more...); err != nil {
		return s, notes, err
	}
	s.Place = changedPlace(c, old, to)
	s.BySet = to.GTID != nil && s.GTID != primary.NoGTID || s.Place.File == "" || old.BySet && to.LogFile == nil && to.LogPos == nil
	return s, notes, m.setIDs(c.name, &s, to)
}

// heartbeat sets the time between heartbeats: without a word of it, to half of slave_net_timeout.
func (m *Manager) heartbeat(s *primary.Settings, all []time.Duration) (notes []Note, err error) {
	timeout := m.cfg.NetTimeout()
	s.HeartbeatPeriod = min(timeout/2, heartbeatMax)
	for _, d := range all {
		switch {
		case d < 0 || d > heartbeatMax:
			return notes, fail(heartbeatRange, "The requested value for the heartbeat period is either negative or exceeds the maximum allowed (%d seconds)", heartbeatMax/time.Second)
		case d > timeout:
			notes = append(notes, Note{Warning: true, Number: heartbeatTooLong,
				Text: "The requested value for the heartbeat period exceeds the value of `slave_net_timeout' seconds. A sensible value for the period should be less than the timeout"})
		case d > 0 && d < time.Millisecond:
			notes = append(notes, Note{Warning: true, Number: heartbeatTooShort,
				Text: "The requested value for the heartbeat period is less than 1 millisecond. The value is reset to 0, meaning that heartbeating will effectively be disabled"})
			d = 0
		}
		s.HeartbeatPeriod = d
	}
	return notes, nil
}

// setText sets host, account and file names.
func setText(s *primary.Settings, to Change) error {
	if to.Host != nil && *to.Host == "" {
		return fail(wrongArguments, "Incorrect arguments to MASTER_HOST")
	}
	for _, t := range []struct {
		option string
		value  *string
		most   int
		at     *string
	}{
		{"MASTER_HOST", to.Host, hostMax, &s.Host},
		{"MASTER_USER", to.User, userMax, &s.User},
		{"MASTER_PASSWORD", to.Password, passwordMax, &s.Password},
		{"MASTER_SSL_CA", to.TLS.CA, fileNameMax, &s.TLS.CA},
		{"MASTER_SSL_CAPATH", to.TLS.CAPath, fileNameMax, &s.TLS.CAPath},
		{"MASTER_SSL_CERT", to.TLS.Cert, fileNameMax, &s.TLS.Cert},
		{"MASTER_SSL_KEY", to.TLS.Key, fileNameMax, &s.TLS.Key},
		{"MASTER_SSL_CIPHER", to.TLS.Cipher, fileNameMax, &s.TLS.Cipher},
		{"MASTER_SSL_CRL", to.TLS.CRL, fileNameMax, &s.TLS.CRL},
		{"MASTER_SSL_CRLPATH", to.TLS.CRLPath, fileNameMax, &s.TLS.CRLPath},
	} {
		if t.value == nil {
			continue
		}
		if letters := []rune(*t.value); len(letters) > t.most {
			const shown = 67
			return fail(tooLong, "String '%s...' is too long for %s (should be no longer than %d)", string(letters[:min(shown, len(letters))]), t.option, t.most)
		}
		*t.at = *t.value
	}
	return nil
}

func setTLS(s *primary.TLS, to TLSChange) {
	if to.On != nil {
		s.On = *to.On
	}
	if to.VerifyServerCert != nil {
		s.VerifyServerCert = *to.VerifyServerCert
	}
}

// setGTID sets MASTER_USE_GTID, which follows from a place in a log if it is not said.
func setGTID(s *primary.Settings, to Change) (notes []Note, err error) {
	placed := to.LogFile != nil || to.LogPos != nil || to.RelayLogFile != nil || to.RelayLogPos != nil
	switch {
	case to.GTID != nil:
		s.GTID = *to.GTID
		for _, o := range []struct {
			name  string
			there bool
		}{
			{"MASTER_LOG_FILE", to.LogFile != nil}, {"MASTER_LOG_POS", to.LogPos != nil},
			{"RELAY_LOG_FILE", to.RelayLogFile != nil}, {"RELAY_LOG_POS", to.RelayLogPos != nil},
		} {
			if o.there && s.GTID != primary.NoGTID {
				notes = append(notes, note(optionIgnored, "<%s> option ignored", o.name))
			}
		}
	case placed && s.GTID != primary.NoGTID:
		notes = append(notes, changing("CHANGE MASTER TO", s.GTID, primary.NoGTID))
		s.GTID = primary.NoGTID
	}
	if to.RelayLogFile != nil {
		return notes, fail(badRelayLog, "Failed initializing relay log position: Could not find target log during relay log initialization")
	}
	return notes, nil
}

func changing(statement string, from, to primary.GTIDMode) Note {
	return note(gtidModeChanged, "%s is implicitly changing the value of 'Using_Gtid' from '%s' to '%s'", statement, from.Shown(), to.Shown())
}

// changedPlace is where the connection reads on: at the place that is said, at the start if it is another primary, else behind what was executed.
func changedPlace(c *connection, old primary.Settings, to Change) primary.Place {
	c.mu.Lock()
	at := c.mu.executed.place
	c.mu.Unlock()
	switch {
	case to.LogFile != nil:
		at = primary.Place{File: *to.LogFile, Pos: firstPosition}
		if to.LogPos != nil {
			at.Pos = max(*to.LogPos, firstPosition)
		}
	case to.LogPos != nil:
		at = primary.Place{File: at.File, Pos: max(*to.LogPos, firstPosition)}
	case to.Host != nil || to.Port != 0:
		at = primary.Place{}
	}
	return at
}

// setIDs sets which servers and domains count.
func (m *Manager) setIDs(name string, s *primary.Settings, to Change) error {
	sorted := func(at *[]uint32, list *[]uint32) {
		if list != nil {
			*at = slices.Compact(slices.Sorted(slices.Values(*list)))
		}
	}
	sorted(&s.IgnoreServerIDs, to.IgnoreServerIDs)
	if own := m.cfg.ServerID(); to.IgnoreServerIDs != nil && m.cfg.SameServerID && slices.Contains(s.IgnoreServerIDs, own) {
		return fail(ownServerID, "The requested server id %d clashes with the slave startup option --replicate-same-server-id", own)
	}
	sorted(&s.DoDomains, to.DoDomains)
	sorted(&s.IgnoreDomains, to.IgnoreDomains)
	if len(s.DoDomains) > 0 && len(s.IgnoreDomains) > 0 || s.GTID == primary.NoGTID && len(s.DoDomains)+len(s.IgnoreDomains) > 0 {
		return badSettings(name, errors.New("DO_DOMAIN_IDS and IGNORE_DOMAIN_IDS exclude each other, and need GTIDs"))
	}
	return nil
}

// badSettings is 1201.
func badSettings(name string, cause error) error {
	e := fail(badMasterInfo, "Could not initialize master info structure for '%s'; more error messages can be found in the MariaDB error log", name)
	e.Cause = cause
	return e
}

// conflict refuses a second connection to the same server.
func (m *Manager) conflict(c *connection, s *primary.Settings, to Change) error {
	if s.Host == "" || to.Host == nil && to.Port == 0 {
		return nil
	}
	for _, other := range m.sorted() {
		if o := other.settings(); other != c && o.Host == s.Host && o.Port == s.Port {
			return fail(connectionExists, "Connection '%s' conflicts with existing connection '%s'", c.name, other.name)
		}
	}
	return nil
}

// demote is MASTER_DEMOTE_TO_SLAVE: what this server has logged counts as replicated.
func (m *Manager) demote(ctx context.Context, mode primary.GTIDMode) error {
	if mode != primary.SlavePos {
		return fail(missing, "CHANGE MASTER TO option 'MASTER_DEMOTE_TO_SLAVE=TRUE' is missing requirement Using_Gtid=Slave_Pos")
	}
	if m.cfg.SetSlavePos == nil {
		return fail(notSupportedYet, "This version of MariaDB doesn't yet support 'MASTER_DEMOTE_TO_SLAVE'")
	}
	return m.cfg.SetSlavePos(ctx, demoted(m.cfg.SlavePos(), m.cfg.BinlogPos()))
}

// demoted has of each domain the higher sequence number.
func demoted(slave, binlog gtid.Position) gtid.Position {
	out := slave.Clone()
	for _, g := range binlog {
		if have, ok := out[g.Domain]; !ok || g.Seq > have.Seq {
			out.Update(g)
		}
	}
	return out
}
