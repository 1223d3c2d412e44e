package process

import (
	"context"
	"sync"
	"time"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Info is what SHOW PROCESSLIST shows of a connection.
type Info struct {
	ID      uint32 // of the connection
	User    string
	Host    string // host:port as far as they are known
	DB      string // current database, "" for none
	Command string // Sleep, Query, Binlog Dump ...
	State   string
	Query   string    // the running statement, "" for none
	Since   time.Time // of Command
}

// Entry is one connection. Safe for concurrent use.
type Entry struct {
	mu     sync.Mutex
	info   Info
	cancel context.CancelCauseFunc // of the running statement
	close  func()                  // ends the connection
	killed bool
}

// Connect says whose the connection is from now on. closing, which may be nil, ends the connection; it is called from any goroutine.
func (e *Entry) Connect(id uint32, user, host string, closing func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.info = Info{ID: id, User: user, Host: host, Command: "Sleep", Since: time.Now()}
	e.close = closing
}

// Info is how things are at this moment.
func (e *Entry) Info() Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// SetDB notes the current database.
func (e *Entry) SetDB(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.info.DB = name
}

// SetState notes the Command and the State of what is no statement ("Binlog Dump").
func (e *Entry) SetState(command, state string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.info.Command != command {
		e.info.Since = time.Now()
	}
	e.info.Command, e.info.State = command, state
}

// Begin begins a statement. The context that it returns is cancelled by Kill; end must be called, and says how long it took.
func (e *Entry) Begin(ctx context.Context, query string) (run context.Context, end func() time.Duration) {
	run, cancel := context.WithCancelCause(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.info.Command, e.info.State, e.info.Query = "Query", "starting", query
	began := time.Now()
	e.info.Since, e.cancel = began, cancel
	if e.killed {
		cancel(mysqlerr.New(mysqlerr.ConnectionKilled))
	}
	return run, func() time.Duration {
		ended := time.Now()
		e.mu.Lock()
		e.info.Command, e.info.State, e.info.Query = "Sleep", "", ""
		e.info.Since, e.cancel = ended, nil
		e.mu.Unlock()
		cancel(nil)
		return ended.Sub(began)
	}
}

// Kill cancels the running statement (1317), or with all set ends the connection and every statement that it still begins (1927).
func (e *Entry) Kill(all bool) {
	e.mu.Lock()
	cancel, closing := e.cancel, e.close
	if all {
		e.killed = true
	}
	e.mu.Unlock()
	if cancel != nil {
		number := mysqlerr.QueryInterrupted
		if all {
			number = mysqlerr.ConnectionKilled
		}
		cancel(mysqlerr.New(number))
	}
	if all && closing != nil {
		closing()
	}
}
