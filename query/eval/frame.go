package eval

import (
	"errors"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// Frame is what changes while a statement runs: its row, its parameters, its conditions, scratch memory. It is used by one goroutine.
type Frame struct {
	Env    *types.Env
	Diag   *types.Diagnostics
	Params []types.Value
	// Asked notes what was looked at of what another run has otherwise; nil: nobody wants to know.
	Asked *Asked
	// Rows are the rows that are read now: one for each table of the statement.
	Rows []*row.Reader
	// Aggregates are the results of the aggregate functions for the group that is read now, in the order of their nodes (NewAggregated).
	Aggregates []types.Value
	// Kept are values that were computed once for the row or group that is read now, in the order of their nodes (NewKept).
	Kept []types.Value
	// Accepted is the number of the row among those that WHERE has accepted so far, if it is the next of them.
	Accepted uint64
	// KeysLeft is how many of the groups' keys the row has that is shown; the others are NULL, in a super row (Super).
	KeysLeft int
	Super    bool
	// Row counts the rows that were read, from 1, for messages.
	Row uint64

	// Fills says that a row is filled with what a query gives, one value after the other: then columns of text become numbers without a warning
	// (fill_record in MariaDB's sql/sql_base.cc, which is told to ignore such errors).
	Fills  bool
	untold types.Diagnostics

	// MaxPacket is max_allowed_packet: functions give NULL and warning 1301 instead of a longer text.
	MaxPacket uint64
	// Started is when the statement started, in microseconds since 1970 (SET timestamp counts). Expressions ask Now for it.
	Started temporal.Stamp
	Zone    *temporal.Zone
	Names   *temporal.Names // of lc_time_names
	// Random makes the numbers of RAND() without an argument.
	Random interface{ Float64() float64 }
	// Session answers what only the session knows.
	Session SessionInfo
	// Interrupted is asked by what takes long; not nil when the statement is to end.
	Interrupted func() error

	// Charge counts so many bytes as the statement's memory; its error refuses them. Of fewer than none it takes back what was counted.
	// nil: nobody counts.
	Charge func(n int64) error
	held   int64 // what was counted for texts of this row
	// uncounted are the bytes of texts of this row that were too few to be counted.
	uncounted int64

	// State is memory of nodes that keep something from row to row (RAND(n), @a:=), by slot.
	State []any

	arena arena

	readers []*row.Reader // that were given out, and some more
	given   int
}

// Reader makes a reader of rows, which is used until the frame is renewed.
func (f *Frame) Reader(l *row.Layout) *row.Reader {
	if f.given == len(f.readers) {
		f.readers = append(f.readers, row.NewReader(l))
	} else {
		f.readers[f.given].Renew(l)
	}
	f.given++
	return f.readers[f.given-1]
}

// SessionInfo is what functions about the session and the server ask. Errors of it make the statement fail.
type SessionInfo interface {
	// UserVariable is the value of @name and its type; ok is false for a value of which no type is known. SetUserVariable sets it.
	UserVariable(name string) (v types.Value, t types.Type, ok bool)
	SetUserVariable(name string, v types.Value, t types.Type) error
	// Info is the answer of a function without arguments: USER, CURRENT_USER, SESSION_USER, CURRENT_ROLE, DATABASE, VERSION (text in
	// utf8mb3), CONNECTION_ID, LAST_INSERT_ID, FOUND_ROWS, ROW_COUNT (integers). The type's kind is Null for NULL.
	Info(what string) (types.Value, types.Type)
	// Do does what a function asks of the server, with its arguments as they were computed; they live until it returns:
	//
	//	LAST_INSERT_ID(Int)                    sets what Info says; the answer does not count
	//	GET_LOCK(Text, Float: seconds)         Int, or NULL; names of locks are bytes, at least one
	//	RELEASE_LOCK, IS_FREE_LOCK, IS_USED_LOCK(Text)   Int, or NULL
	//	RELEASE_ALL_LOCKS()                    Int
	//	SLEEP(Float: seconds, more than 0)     Int: 1 if it was interrupted
	//	LOAD_FILE(Text)                        Text of at most MaxPacket bytes, or NULL
	//	UUID(), SYS_GUID()                     Text of 36 and 32 ASCII characters
	//	UUID_SHORT()                           Int
	//	MASTER_POS_WAIT(Text, Int[, Float: seconds[, Text: connection]])   Int, or NULL
	//	MASTER_GTID_WAIT(Text[, Float: seconds])                           Int, or NULL
	//	BINLOG_GTID_POS(Text, Int)             Text, or NULL
	Do(f *Frame, what string, args []types.Value) (types.Value, error)
}

// Beside is a frame for rows that are computed beside those of f, under another Env: of the same session, with the same conditions.
func (f *Frame) Beside(env *types.Env) *Frame {
	return &Frame{
		Env: env, Diag: f.Diag, Row: f.Row, MaxPacket: f.MaxPacket, Started: f.Started, Zone: f.Zone, Names: f.Names, Random: f.Random,
		Session: f.Session, Interrupted: f.Interrupted, Charge: f.Charge,
	}
}

// Asked is what somebody has looked at of a frame while a statement was bound: the values of placeholders, and what time it is.
type Asked struct {
	Params []bool
	Clock  bool
	// Function is a function that was bound and is for one run alone, as its value does not follow from its arguments and the frame's time, zone and Env, or as
	// it keeps much; "" for none.
	Function string
}

// param is the value of a placeholder.
func (f *Frame) param(i int) *types.Value {
	if f.Asked != nil {
		f.Asked.Params[i] = true
	}
	return &f.Params[i]
}

// Now is when the statement started: what NOW() says.
func (f *Frame) Now() temporal.Stamp {
	if f.Asked != nil {
		f.Asked.Clock = true
	}
	return f.Started
}

// Renew makes the frame as it was made, without parameters, for another statement: what is kept is memory.
func (f *Frame) Renew() {
	f.arena.reset() // what was counted of it ended with its statement
	clear(f.Params)
	for _, r := range f.readers[:f.given] {
		r.Forget()
	}
	*f = Frame{
		Env: f.Env, Diag: f.Diag, MaxPacket: f.MaxPacket, Zone: f.Zone, Names: f.Names, Random: f.Random, Session: f.Session, Charge: f.Charge,
		Interrupted: f.Interrupted, Params: f.Params[:0], Rows: f.Rows[:0], arena: f.arena, readers: f.readers,
	}
	*f.Diag = types.Diagnostics{Most: f.Diag.Most, NoNotes: f.Diag.NoNotes}
}

// Reset begins another row: text of the last one is forgotten.
func (f *Frame) Reset() {
	f.arena.reset()
	f.uncounted = 0
	if f.held > 0 {
		_ = f.Charge(-f.held)
		f.held = 0
	}
}

// Fail makes the statement fail; what called it yields NULL.
func (f *Frame) Fail(number uint16, args ...any) { f.Diag.Fail(mysqlerr.New(number, args...)) }

// Warn adds a warning.
func (f *Frame) Warn(number uint16, args ...any) { f.Diag.Warn(number, args...) }

// Note adds a note.
func (f *Frame) Note(number uint16, args ...any) { f.Diag.Note(number, args...) }

// Failed reports whether the statement has failed.
func (f *Frame) Failed() bool { return f.Diag.Failed() != nil }

// Buffer is an empty slice of scratch memory, to which n bytes can be appended without another allocation. It lives until the frame's
// next row.
func (f *Frame) Buffer(n int) []byte { return f.arena.take(n) }

// Fits reports whether a function may give a text of so many bytes. If it may not, it gives NULL: the warning is added here.
func (f *Frame) Fits(name string, n uint64) bool {
	if n > f.MaxPacket {
		f.Warn(mysqlerr.WarnAllowedPacketOverflowed, name, f.MaxPacket)
		return false
	}
	return f.charge(n)
}

// FailWith makes the statement fail with an error that came from elsewhere.
func (f *Frame) FailWith(err error) {
	var e *mysqlerr.Error
	if !errors.As(err, &e) {
		e = mysqlerr.Newf(mysqlerr.UnknownError, "%v", err).WithCause(err)
	}
	f.Diag.Fail(e)
}

// charged is the length of the texts of a row, in bytes, from which on their memory is counted.
const charged = 1 << 16

const chunk = 4096

// arena hands out memory that is all taken back at once.
type arena struct {
	buf []byte // the current chunk; its length is what was handed out
}

func (a *arena) take(n int) []byte {
	if n > cap(a.buf)-len(a.buf) {
		if n > chunk/2 {
			return make([]byte, 0, n)
		}
		a.buf = make([]byte, 0, chunk) // the full one is left to the garbage collector
	}
	start := len(a.buf)
	a.buf = a.buf[:start+n]
	return a.buf[start : start : start+n]
}

func (a *arena) reset() { a.buf = a.buf[:0] }
