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
	// Thread, if not 0, is the thread of a replica that the connection works for: they are one row.
	Thread uint32
}

// Entry is one connection. Safe for concurrent use.
type Entry struct {
	mu     sync.Mutex
	info   Info
	cancel context.CancelCauseFunc // of the running statement
	// run is the context of the running statement, or of the next one, below parent; end cancels it.
	run, parent context.Context //nolint:containedctx // see Begin
	end         context.CancelCauseFunc
	close       func() // ends the connection
	killed      bool
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

// WorkFor says which thread of a replica the connection works for.
func (e *Entry) WorkFor(thread uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.info.Thread = thread
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

// SetQuery has another text shown for the running statement: one without its passwords.
func (e *Entry) SetQuery(query string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.info.Query != "" {
		e.info.Query = query
	}
}

// Begin begins a statement. The context that it returns is cancelled by Kill. End must be called.
func (e *Entry) Begin(ctx context.Context, query string) (run context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.run == nil || e.parent != ctx || e.run.Err() != nil {
		e.parent = ctx
		e.run, e.end = context.WithCancelCause(ctx)
	}
	e.info.Command, e.info.State, e.info.Query = "Query", "starting", query
	e.info.Since, e.cancel = time.Now(), e.end
	if e.killed {
		e.end(mysqlerr.New(mysqlerr.ConnectionKilled))
	}
	return e.run
}

// End ends the statement, and says how long it took. Its context is cancelled, unless nothing is left that waits for that: then the next statement has it.
func (e *Entry) End(nothingWaits bool) time.Duration {
	ended := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	took := ended.Sub(e.info.Since)
	e.info.Command, e.info.State, e.info.Query = "Sleep", "", ""
	e.info.Since, e.cancel = ended, nil
	if !nothingWaits && e.run != nil {
		e.end(nil)
		e.run = nil
	}
	return took
}

// Kill cancels the running statement (1317), or with all set ends the connection and every statement that it still begins (1927).
func (e *Entry) Kill(all bool) {
	e.mu.Lock()
	closing := e.close
	number := mysqlerr.QueryInterrupted
	if all {
		e.killed, number = true, mysqlerr.ConnectionKilled
	}
	if e.cancel != nil { // under the mutex: the next statement may have the same context
		e.cancel(mysqlerr.New(number))
	}
	e.mu.Unlock()
	if all && closing != nil {
		closing()
	}
}
