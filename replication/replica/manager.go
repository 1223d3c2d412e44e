package replica

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// Manager has the connections of a server by their names, in any case of letters; ” is there always. Its methods are safe for concurrent use. Their
// errors are *primary.Error, with MariaDB's number and text, or that of the context.
type Manager struct {
	cfg Config
	// file is held while the file is written.
	file sync.Mutex
	mu   struct {
		sync.RWMutex
		byName map[string]*connection // by names in small letters
		closed bool
	}
}

// New loads the settings. Nothing runs until it is started.
func New(cfg Config) (*Manager, error) {
	cfg.ensureDefaults()
	m := &Manager{cfg: cfg}
	m.mu.byName = map[string]*connection{}
	content, err := load(&cfg)
	if err != nil {
		return nil, err
	}
	for _, fc := range content.Connections {
		c := m.newConnection(fc.Name)
		c.mu.settings = fc.Settings
		c.mu.received.place, c.mu.executed.place = fc.Settings.Place, fc.Settings.Place
		if c.mu.atPlace, err = gtid.ParsePosition(fc.SlavePos); err != nil {
			return nil, fmt.Errorf("SlavePos of connection '%s' in %s: %w", fc.Name, FileName, err)
		}
		m.mu.byName[strings.ToLower(fc.Name)] = c
	}
	if m.mu.byName[""] == nil {
		m.mu.byName[""] = m.newConnection("")
	}
	return m, nil
}

func (m *Manager) newConnection(name string) *connection {
	c := &connection{name: name, cfg: &m.cfg, save: m.save, queue: newQueue(m.cfg.QueueBytes), fellBack: make(chan struct{})}
	c.mu.settings = m.defaults()
	return c
}

// defaults are the settings of a new connection.
func (m *Manager) defaults() primary.Settings {
	return primary.Settings{Port: 3306, ConnectRetry: time.Minute, HeartbeatPeriod: m.cfg.NetTimeout() / 2}
}

// find is a connection that is there.
func (m *Manager) find(name string) (*connection, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if c := m.mu.byName[strings.ToLower(name)]; c != nil {
		return c, nil
	}
	return nil, fail(noConnection, "There is no master connection '%s'", name)
}

// hold is a connection that is there and stays, with its statement locked.
func (m *Manager) hold(name string) (*connection, error) {
	for {
		c, err := m.find(name)
		if err != nil {
			return nil, err
		}
		c.statement.Lock()
		if now, err := m.find(name); err == nil && now == c {
			return c, nil
		}
		c.statement.Unlock() // RESET SLAVE ALL was faster
	}
}

// holdOrMake is hold for a connection that may have to be made first.
func (m *Manager) holdOrMake(name string) (c *connection, made bool, err error) {
	if c, err = m.hold(name); err == nil {
		return c, false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := strings.ToLower(name)
	if m.mu.closed {
		return nil, false, errClosed
	}
	if m.mu.byName[key] != nil {
		return nil, false, fail(connectionExists, "Connection '%s' conflicts with existing connection '%s'", name, m.mu.byName[key].name)
	}
	c = m.newConnection(name)
	c.statement.Lock() // nobody knows it yet: this does not wait
	m.mu.byName[key] = c
	return c, true, nil
}

func (m *Manager) isClosed() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.mu.closed
}

// forget removes a connection; ” becomes one without settings.
func (m *Manager) forget(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := strings.ToLower(c.name)
	delete(m.mu.byName, key)
	if key == "" {
		m.mu.byName[""] = m.newConnection("")
	}
}

// sorted are all connections by their names.
func (m *Manager) sorted() []*connection {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var out []*connection
	for _, key := range slices.Sorted(maps.Keys(m.mu.byName)) {
		out = append(out, m.mu.byName[key])
	}
	return out
}

// put gives a connection settings, once they are in the file; check may refuse them by what other connections have.
func (m *Manager) put(c *connection, s primary.Settings, check func() error) error {
	return m.write(func(content *file) error {
		i := slices.IndexFunc(content.Connections, func(fc fileConnection) bool { return fc.Name == c.name })
		content.Connections[i].Settings, content.Connections[i].SlavePos = s, m.cfg.SlavePos().String()
		return check()
	}, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.mu.settings = s
	})
}

// save writes the file as things are.
func (m *Manager) save() error { return m.write(func(*file) error { return nil }, func() {}) }

// write writes the file with a change, and then makes the change in memory.
func (m *Manager) write(change func(*file) error, then func()) error {
	m.file.Lock()
	defer m.file.Unlock()
	var content file
	slavePos := m.cfg.SlavePos() // before the places: it must not be beyond them
	for _, c := range m.sorted() {
		content.Connections = append(content.Connections, c.stored(slavePos))
	}
	if err := change(&content); err != nil {
		return err
	}
	if err := store(&m.cfg, content); err != nil {
		m.cfg.Logger.Error("replica: the settings cannot be written", "err", err)
		return badSettings("", err)
	}
	then()
	return nil
}

// Start says which threads START SLAVE starts. The zero value means both.
type Start struct {
	IO, SQL bool
	Until   Until
}

// Start starts a connection's threads.
func (m *Manager) Start(ctx context.Context, name string, how Start) ([]Note, error) {
	c, err := m.hold(name)
	if err != nil {
		return nil, err
	}
	defer c.statement.Unlock()
	return m.start(ctx, c, how)
}

func (m *Manager) start(ctx context.Context, c *connection, how Start) (notes []Note, err error) {
	s := c.settings()
	io, sql := c.threads()
	startIO, startSQL := how.IO || !how.SQL, how.SQL || !how.IO
	only := !startIO || !startSQL
	startIO, startSQL = startIO && io == nil, startSQL && sql == nil
	if !startIO && !startSQL && how.Until.Kind != UntilGTID {
		return []Note{note(alreadyRunning, "Slave is already running")}, nil
	}
	if s.Host == "" {
		return nil, fail(misconfigured, "Misconfigured slave: MASTER_HOST was not set; Fix in config file or with CHANGE MASTER TO")
	}
	until := how.Until
	switch until.Kind {
	case UntilGTID:
		switch {
		case s.GTID == primary.NoGTID:
			return nil, fail(untilNeedsGTID, "START SLAVE UNTIL master_gtid_pos requires that slave is using GTID")
		case only:
			return nil, fail(badUntil, "Incorrect parameter or combination of parameters for START SLAVE UNTIL")
		case io != nil || sql != nil:
			return nil, fail(alreadyRunning, "Slave is already running")
		}
		if until.GTIDs, err = gtid.ParsePosition(until.List); err != nil {
			e := fail(badGTIDList, "Could not parse GTID list")
			e.Cause = err
			return nil, e
		}
	case UntilRelay:
		if startSQL {
			return nil, fail(badUntil, "Incorrect parameter or combination of parameters for START SLAVE UNTIL")
		}
	}
	switch {
	case until.Kind != NoUntil && !startSQL:
		notes, until = append(notes, note(untilIgnored, "SQL thread is not to be started so UNTIL options are ignored")), Until{}
	case until.Kind != NoUntil && !m.cfg.SkipStart:
		notes = append(notes, note(untilNeedsSkip, "It is recommended to use --skip-slave-start when doing step-by-step replication with START SLAVE UNTIL; otherwise, you will get problems if you get an unexpected slave's mariadbd restart"))
	}
	if m.cfg.Receive == nil || m.cfg.Apply == nil {
		return nil, fail(notSupportedYet, "This version of MariaDB doesn't yet support 'START SLAVE'")
	}
	if m.isClosed() { // if it is closed from now on, Close waits for this statement
		return notes, errClosed
	}
	if startSQL {
		c.mu.Lock()
		c.mu.until = until
		c.mu.Unlock()
	}
	if startIO {
		c.startIO()
	}
	if startSQL {
		err = c.startSQL(ctx)
	}
	return notes, err
}

// Stop says which threads STOP SLAVE stops. The zero value means both.
type Stop struct{ IO, SQL bool }

// Stop ends a connection's threads and waits until they have ended. The end of ctx ends the waiting only.
func (m *Manager) Stop(ctx context.Context, name string, how Stop) ([]Note, error) {
	c, err := m.hold(name)
	if err != nil {
		return nil, err
	}
	defer c.statement.Unlock()
	io, sql := c.threads()
	if how.IO && !how.SQL {
		sql = nil
	}
	if how.SQL && !how.IO {
		io = nil
	}
	if io == nil && sql == nil {
		return []Note{note(alreadyStopped, "Slave already has been stopped")}, nil
	}
	return nil, c.stop(ctx, errStopped, sql, io)
}

// StartAll starts everything that has a host and does not run.
func (m *Manager) StartAll(ctx context.Context, how Start) ([]Note, error) {
	return m.each(func(c *connection) (bool, error) {
		io, sql := c.threads()
		if c.settings().Host == "" || io != nil && sql != nil {
			return false, nil
		}
		_, err := m.start(ctx, c, how)
		return err == nil, err
	}, "START", func(name string) Note { return note(started, "SLAVE '%s' started", name) })
}

// StopAll stops everything that runs.
func (m *Manager) StopAll(ctx context.Context, how Stop) ([]Note, error) {
	return m.each(func(c *connection) (bool, error) {
		io, sql := c.threads()
		if how.IO && !how.SQL {
			sql = nil
		}
		if how.SQL && !how.IO {
			io = nil
		}
		return io != nil || sql != nil, c.stop(ctx, errStopped, sql, io)
	}, "STOP", func(name string) Note { return note(stopped, "SLAVE '%s' stopped", name) })
}

// each does something with all connections, with a note about each of which it reports that it was done. The error is that there were some.
func (m *Manager) each(do func(*connection) (done bool, err error), word string, say func(name string) Note) (notes []Note, err error) {
	for _, c := range m.sorted() {
		c.statement.Lock()
		done, e := do(c)
		c.statement.Unlock()
		switch {
		case e != nil:
			err = fail(cannotStartStop, "Can't %s SLAVE '%s'", word, c.name)
			var pe *primary.Error
			if errors.As(e, &pe) {
				notes = append(notes, Note{Warning: true, Number: pe.Number, Text: pe.Text})
			}
		case done:
			notes = append(notes, say(c.name))
		}
	}
	return notes, err
}

// Reset is RESET SLAVE: where the connection was is forgotten, and with all, the connection.
func (m *Manager) Reset(name string, all bool) ([]Note, error) {
	c, err := m.hold(name)
	if err != nil {
		return nil, err
	}
	defer c.statement.Unlock()
	if c.runs() {
		return nil, errRunning(c.name)
	}
	if all {
		return nil, m.write(func(content *file) error {
			content.Connections = slices.DeleteFunc(content.Connections, func(fc fileConnection) bool { return fc.Name == c.name })
			return nil
		}, func() { m.forget(c) })
	}
	s := c.settings()
	var notes []Note
	if s.GTID != primary.SlavePos {
		notes = append(notes, changing("RESET SLAVE", s.GTID, primary.SlavePos))
	}
	fresh := m.defaults()
	s.BySet = true
	s.GTID, s.Place, s.Delay, s.HeartbeatPeriod, s.TLS.VerifyServerCert = primary.SlavePos, primary.Place{}, 0, fresh.HeartbeatPeriod, false
	if err := m.put(c, s, func() error { return nil }); err != nil {
		return notes, err
	}
	c.queue.empty()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.followsOn, c.mu.until = false, Until{}
	c.mu.received, c.mu.executed = progress{}, progress{}
	c.mu.status.ioError, c.mu.status.sqlError, c.mu.status.skip = nil, nil, 0
	return notes, nil
}

// Status is what a connection does; ok is false if it is not set up. It waits for no thread.
func (m *Manager) Status(name string) (s Status, ok bool, err error) {
	c, err := m.find(name)
	if err != nil {
		return Status{}, false, err
	}
	s = c.status()
	return s, s.Settings.Host != "", nil
}

// All are the connections that are set up, by their names.
func (m *Manager) All() []Status {
	var out []Status
	for _, c := range m.sorted() {
		if s := c.status(); s.Settings.Host != "" {
			out = append(out, s)
		}
	}
	return out
}

// Running is the name of a connection of which a thread runs.
func (m *Manager) Running() (name string, ok bool) {
	for _, c := range m.sorted() {
		if c.runs() {
			return c.name, true
		}
	}
	return "", false
}

// MustStop is the error (1198) of what has to wait until nothing runs; nil if nothing does.
func (m *Manager) MustStop() error {
	if name, ok := m.Running(); ok {
		return errRunning(name)
	}
	return nil
}

// WhileNotApplying runs f while no SQL thread of a connection runs, or starts. Its errors are 1617, 1198 and that of f.
func (m *Manager) WhileNotApplying(name string, f func() error) error {
	c, err := m.hold(name)
	if err != nil {
		return err
	}
	defer c.statement.Unlock()
	if _, sql := c.threads(); sql != nil {
		return errRunning(c.name)
	}
	return f()
}

// SetSkipCounter is SET GLOBAL sql_slave_skip_counter, of a connection that does not run.
func (m *Manager) SetSkipCounter(name string, n uint64) error {
	c, err := m.hold(name)
	if err != nil {
		return err
	}
	defer c.statement.Unlock()
	if c.runs() {
		return errRunning(c.name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.status.skip = n
	return nil
}

// StartAtBoot starts everything that has a host; what cannot be started is logged.
func (m *Manager) StartAtBoot(ctx context.Context) {
	notes, err := m.StartAll(ctx, Start{})
	for _, n := range notes {
		m.cfg.Logger.Info("replica: " + n.Text)
	}
	if err != nil {
		m.cfg.Logger.Error("replica: not everything could be started", "err", err)
	}
}

// Close ends all threads and waits for them, at most until the end of ctx: its error is that then some still run. Nothing can be started any more.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.mu.closed = true
	m.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, c := range m.sorted() {
			c.statement.Lock() // it may wait for a thread that does not end
			io, sql := c.threads()
			_ = c.stop(context.Background(), errClosed, sql, io) // that context does not end
			c.statement.Unlock()
		}
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("threads that follow primaries do not end: %w", context.Cause(ctx))
	}
}
