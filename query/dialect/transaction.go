package dialect

// Isolation is an isolation level, in MariaDB's words; "" if a statement names none.
type Isolation string

// The isolation levels.
const (
	ReadUncommitted Isolation = "READ UNCOMMITTED"
	ReadCommitted   Isolation = "READ COMMITTED"
	RepeatableRead  Isolation = "REPEATABLE READ"
	Serializable    Isolation = "SERIALIZABLE"
)

// Access says whether a transaction may write, in MariaDB's words; "" if a statement does not say.
type Access string

// The access modes.
const (
	ReadOnly  Access = "READ ONLY"
	ReadWrite Access = "READ WRITE"
)

// StartTransaction is BEGIN and START TRANSACTION.
type StartTransaction struct {
	Access   Access
	Snapshot bool // WITH CONSISTENT SNAPSHOT
}

func (s StartTransaction) String() string {
	options := words(when(s.Snapshot, "WITH CONSISTENT SNAPSHOT"))
	if s.Snapshot && s.Access != "" {
		options += ","
	}
	return words("START TRANSACTION", options, string(s.Access))
}

// Commit is COMMIT.
type Commit struct{ Completion }

func (s Commit) String() string { return words("COMMIT", s.text()) }

// Rollback is ROLLBACK of the whole transaction.
type Rollback struct{ Completion }

func (s Rollback) String() string { return words("ROLLBACK", s.text()) }

// Completion is what follows the end of a transaction.
type Completion struct {
	Chain   bool // another transaction like it
	Release bool // the end of the connection
}

func (c Completion) text() string {
	return words(when(c.Chain, "AND CHAIN"), when(c.Release, "RELEASE"))
}

// RollbackTo is ROLLBACK TO SAVEPOINT.
type RollbackTo struct{ Name string }

func (s RollbackTo) String() string { return "ROLLBACK TO SAVEPOINT " + QuoteName(s.Name) }

// Savepoint is SAVEPOINT.
type Savepoint struct{ Name string }

func (s Savepoint) String() string { return "SAVEPOINT " + QuoteName(s.Name) }

// ReleaseSavepoint is RELEASE SAVEPOINT.
type ReleaseSavepoint struct{ Name string }

func (s ReleaseSavepoint) String() string { return "RELEASE SAVEPOINT " + QuoteName(s.Name) }
