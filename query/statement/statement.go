// Package statement says what a statement is to the session that runs it, whatever its language is parsed by: what it
// does to transactions, and how it reads the tables that it names.
package statement

// Kind says how a statement deals with transactions.
type Kind byte

const (
	Read       Kind = iota // reads rows or metadata
	Session                // needs no transaction: SET, USE, PREPARE ...
	Write                  // INSERT, UPDATE, DELETE, REPLACE, LOAD DATA
	Definition             // commits before and after itself
	Control                // BEGIN, COMMIT, ROLLBACK, savepoints, LOCK TABLES: run by the session itself
	Call                   // CALL: its statements are classified one by one
)

// Strength is how the rows of one table are read.
type Strength byte

const (
	Snapshot  Strength = iota // as they were when the transaction's read view was made
	Latest                    // as they are committed now
	Shared                    // the same, with a shared lock
	Exclusive                 // the same, with an exclusive lock
)

// Wait is what to do when a row is locked by somebody else.
type Wait byte

const (
	WaitForLock Wait = iota // for as long as the lock wait timeout says
	NoWait
	SkipLocked
)

// Use is a table that a statement names.
type Use struct {
	DB, Name string // DB is "" for the session's current database
	Strength Strength
	Wait     Wait
}

// Statement is what is to be known of a statement, whoever runs it: its text, what it does to transactions, and which tables it
// names, read how. It is immutable once made.
type Statement struct {
	Text   string // without surrounding space and comments; executable comments opened
	Kind   Kind
	Tables []Use
	// Other is how tables that the statement does not name are read (below
	// views, by triggers and foreign keys).
	Other Strength
	// Locking says that rows are locked while reading, so that the statement
	// may have to run again and its result must be kept back until it is final.
	Locking bool
	// Temporary says that a DDL statement is about temporary tables only.
	Temporary bool
	// WaitSeconds is the n of FOR UPDATE WAIT n, -1 without.
	WaitSeconds int
	// Result says that the statement returns rows (by its syntax).
	Result bool
}

// Ref is a table under the name by which a statement, or LOCK TABLES, calls it.
type Ref struct {
	DB, Table string // DB is "" for the current database
	Alias     string // the table's name if it has no other
	Write     bool   // it is changed; it is locked with WRITE
}
