package tables

import (
	"context"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/txn"
)

// Access is how a statement reads the rows of a table.
type Access struct {
	Mode txn.ReadMode
	Wait txn.WaitPolicy
}

// Session is what this package needs of the session that runs a statement. It
// is found in sql.Context.Session.
type Session interface {
	sql.Session
	// Txn returns the session's transaction and begins one if there is none.
	Txn(ctx *sql.Context) (*txn.Txn, error)
	// Access says how the running statement reads rows of the table.
	Access(db, table string) Access
	// Statement is the state of the running statement; never nil.
	Statement() *Statement
	// Temporary holds the session's temporary tables; never nil.
	Temporary() *TempTables
	// TakeInsertID is where the statement's AUTO_INCREMENT values begin, 0 for where the table's do; see session.Session.
	TakeInsertID() uint64

	// A plan may be made outside of a session of ours, by a tool: who needs one of these asks whether it is there.

	accountNamer
	expressionSession
	memoryKeeper
	Definers
}

// Conversion makes values of a column that gets another type.
type Conversion interface {
	// Convert makes an image of the new table in which only the column is set, of one of the old table.
	Convert(image []byte) ([]byte, error)
	Close()
}

// Generation computes generated columns.
type Generation interface {
	// Complete is the image of a row with its generated columns.
	Complete(image []byte) ([]byte, error)
}

// Statement is what is remembered during one run of one statement. The session
// makes a new one for each statement and for each re-run.
type Statement struct {
	// AST is the parsed statement, nil if there is none. Definitions in it say
	// things that the SQL engine leaves out: the precision of TIME columns, table options.
	AST sqlparser.Statement
	// Names are those of the tables and views that the statement names, as they were written.
	Names []string
	// Engine is the storage engine of the tables that the statement makes; nil is the default one.
	Engine *engines.Engine
	// MovesTo is the storage engine to which ALTER TABLE moves its table: copies of it are made there. nil if it does not.
	MovesTo *engines.Engine
	// Convert finds how values of a column of a table as it was become those of one of the table as it will be; nil for what go-mysql-server's values
	// become by converter. It may be nil.
	Convert func(ctx context.Context, from, to *catalog.Table, fromAt, toAt int) (Conversion, error)
	// Generate finds how the generated columns of a table as it will be are computed; nil for those that go-mysql-server computes. It may be nil.
	Generate func(ctx context.Context, to *catalog.Table) (Generation, error)
	// Planning says that the statement is being planned; see FulltextConstraint.
	Planning bool
	// Copied is the number of rows that a change of a column's type has copied; nil if there was none.
	Copied *uint64
	// Duplicate describes the last duplicate key that an editor met.
	Duplicate DuplicateEntry
	// StrictWarning is the first warning of an evaluation that strict mode makes an
	// error in statements that store values; nil if there was none.
	StrictWarning *sql.Warning
	// Deleted counts the rows that a DELETE has deleted: go-mysql-server counts those of its join. Cascades says that rows of other tables may be among them.
	Deleted  uint64
	Cascades bool

	rowIDs   map[uint32]rowIDs           // hidden row ids seen, by table id
	reserved map[uint32]*txn.Reservation // auto-increment values, by table id
	counted  bool                        // the rows of the INSERT have their reservation
	changed  map[uint32]*changedRows     // rows changed, by table id

	rescansKnown, mayRescan bool // see rescans
	manySpans               bool // a scan reads several spans one after the other
	passed                  []*txn.Passed
}

// DuplicateEntry is what MariaDB says about a duplicate key: the values of the
// key, and the name of the key.
type DuplicateEntry struct {
	Entry string
	Key   string
}

// rowIDs finds the hidden row ids that follow a row image. An id is taken out when
// its row is changed or deleted, so that equal rows are told apart.
type rowIDs map[string][]uint64

func (s *Statement) seen(table uint32, image []byte, id uint64) {
	ids := s.rowIDs[table]
	if ids == nil {
		if s.rowIDs == nil {
			s.rowIDs = map[uint32]rowIDs{}
		}
		ids = rowIDs{}
		s.rowIDs[table] = ids
	}
	ids[string(image)] = append(ids[string(image)], id)
}

func (s *Statement) take(table uint32, image []byte) (id uint64, ok bool) {
	ids := s.rowIDs[table]
	list := ids[string(image)]
	if len(list) == 0 {
		return 0, false
	}
	if len(list) == 1 {
		delete(ids, string(image))
	} else {
		ids[string(image)] = list[1:]
	}
	return list[0], true
}

var errNoSession = errors.New("tables: the context's session has no storage")

func sessionOf(ctx *sql.Context) (Session, error) {
	s, ok := ctx.Session.(Session)
	if !ok {
		return nil, errNoSession
	}
	return s, nil
}
