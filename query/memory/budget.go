package memory

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/query/mysqlerr"
)

const (
	// memoryGrant is how many bytes a session takes from the server's budget at once,
	// so that sessions meet at the shared counter seldom.
	memoryGrant = 256 << 10
	// largeValueBytes is the size from which a single value is checked against the heap.
	largeValueBytes = 64 << 10
	// EntryBytes is what an entry of a hash table weighs, without the value in it.
	EntryBytes = 64
)

// Server is the budget of all sessions of a server. The zero value has no limit.
type Server struct {
	held     atomic.Int64 // bytes granted to sessions
	limit    int64        // of held; 0: none
	heapMax  int64        // bytes of objects on the heap; 0: none
	heapUsed func() int64 // replaced by tests

	collecting sync.Mutex // one collection at a time
}

// NewServer divides what the process may use: half of it can be held by
// statements, and beyond four fifths no large value is made. 0 is no limit.
func NewServer(processBytes int64) *Server {
	return &Server{limit: processBytes / 2, heapMax: processBytes / 5 * 4, heapUsed: heapObjects}
}

// heapObjects are the bytes of all objects on the heap, garbage that was not
// collected yet included.
func heapObjects() int64 {
	sample := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample[:])
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// errServerMemory is the error of a statement that the server has no memory for.
func errServerMemory() error { return mysqlerr.New(mysqlerr.OutOfResources) }

// reserve grants n bytes of what sessions may hold together.
func (m *Server) reserve(n int64) error {
	if held := m.held.Add(n); m.limit > 0 && held > m.limit {
		m.held.Add(-n)
		return errServerMemory()
	}
	if err := m.admit(n); err != nil {
		m.held.Add(-n)
		return err
	}
	return nil
}

// admit says whether the heap has room for n bytes more, collecting garbage if that
// may help.
func (m *Server) admit(n int64) error {
	if m.heapMax <= 0 || m.heapUsed()+n <= m.heapMax {
		return nil
	}
	m.collecting.Lock()
	defer m.collecting.Unlock()
	if m.heapUsed()+n <= m.heapMax { // another one has collected
		return nil
	}
	runtime.GC()
	if m.heapUsed()+n > m.heapMax {
		return errServerMemory()
	}
	return nil
}

// LooseMax is how long a value may become whose length is known only roughly before
// it is made: an eighth of the heap, 1 GiB at most.
func (m *Server) LooseMax() int64 {
	if m.heapMax <= 0 {
		return 1 << 30
	}
	return min(m.heapMax/8, 1<<30)
}

// Session counts what one session holds. It is safe for concurrent use: a
// statement may be evaluated by more than one goroutine.
type Session struct {
	Server    *Server
	statement atomic.Int64 // bytes held by the running statement
	kept      atomic.Int64 // bytes that outlive statements: user variables, parameters
	allowed   atomic.Int64 // statement+kept below this need no further question
	limit     atomic.Int64 // max_session_mem_used
	failure   atomic.Pointer[error]

	mu      sync.Mutex
	granted int64 // by server
}

// Begin starts a statement under a limit, and returns what is held already, for end.
func (m *Session) Begin(limit int64) (mark int64) {
	m.failure.Store(nil)
	if m.limit.Swap(limit) != limit {
		m.mu.Lock()
		m.allowed.Store(min(m.granted, limit))
		m.mu.Unlock()
	}
	return m.statement.Load()
}

// Mark is what the statement holds by now, for End.
func (m *Session) Mark() int64 { return m.statement.Load() }

// End gives back what was taken since mark.
func (m *Session) End(mark int64) {
	m.statement.Store(mark)
	m.failure.Store(nil)
	m.shrink()
}

// Close gives everything back.
func (m *Session) Close() {
	m.kept.Store(0)
	m.End(0)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Server.held.Add(-m.granted)
	m.granted = 0
	m.allowed.Store(0)
}

// Hold counts n more bytes that the statement keeps. Its error, which is also kept
// for failed, is that of the statement.
func (m *Session) Hold(n int64) error {
	if m.statement.Add(n)+m.kept.Load() <= m.allowed.Load() {
		return nil
	}
	return m.grow()
}

// Release takes back what hold counted.
func (m *Session) Release(n int64) { m.statement.Add(-n) }

// Return takes back what Hold counted, and gives the server what it granted for that.
func (m *Session) Return(n int64) {
	m.Release(n)
	m.shrink()
}

// Keep counts n more (or less) bytes that outlive the statement.
func (m *Session) Keep(n int64) error {
	if m.kept.Add(n)+m.statement.Load() <= m.allowed.Load() || n <= 0 {
		return nil
	}
	err := m.grow()
	if err != nil {
		m.kept.Add(-n)
	}
	return err
}

// Kept is what outlives the statement, in bytes.
func (m *Session) Kept() int64 { return m.kept.Load() }

// TryKeep is Keep for what can be done without: it reports whether there was memory for it, and nothing fails if there was none.
func (m *Session) TryKeep(n int64) bool {
	if m.kept.Add(n)+m.statement.Load() <= m.allowed.Load() || m.reserve() == nil {
		return true
	}
	m.kept.Add(-n)
	return false
}

// Failed is the error of the first hold that was refused, for those who could not
// return it.
func (m *Session) Failed() error {
	if e := m.failure.Load(); e != nil {
		return *e
	}
	return nil
}

// Value asks for the room of one value of n bytes that is about to be made. It is
// not counted as held.
func (m *Session) Value(n int64) error {
	if limit := m.limit.Load(); n+m.statement.Load()+m.kept.Load() > limit {
		return errSessionMemory(limit)
	}
	if n < largeValueBytes {
		return nil
	}
	return m.Server.admit(n)
}

func (m *Session) grow() error {
	err := m.reserve()
	if err != nil {
		m.failure.CompareAndSwap(nil, &err)
	}
	return err
}

// reserve asks the server for what the session uses more than it was granted.
func (m *Session) reserve() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	used, limit := m.statement.Load()+m.kept.Load(), m.limit.Load()
	var err error
	if used > limit {
		err = errSessionMemory(limit)
	} else if used > m.granted {
		more := used - m.granted + memoryGrant
		if err = m.Server.reserve(more); err == nil {
			m.granted += more
		}
	}
	m.allowed.Store(min(m.granted, limit))
	return err
}

// shrink returns what was granted and is not needed any more, except for one grant.
func (m *Session) shrink() {
	m.mu.Lock()
	defer m.mu.Unlock()
	surplus := m.granted - m.statement.Load() - m.kept.Load() - memoryGrant
	if surplus <= 0 {
		return
	}
	m.granted -= surplus
	m.Server.held.Add(-surplus)
	m.allowed.Store(min(m.granted, m.limit.Load()))
}

func errSessionMemory(limit int64) error {
	return mysqlerr.New(mysqlerr.OptionPreventsStatement, fmt.Sprintf("--max-session-mem-used=%d", limit))
}

// OfProcess is what the process may use: Go's memory limit, 0 without one. The
// server sets it from the machine's memory before it starts.
func OfProcess() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	return 0
}
