package privilege

import (
	"fmt"
	"strings"
)

// Level is what a privilege is needed on.
type Level byte

// The levels of privileges.
const (
	Global Level = iota
	Database
	Table
	Procedure
	Function
)

// Need is one thing that a statement asks of its user: every privilege of All, and at least one of Any.
type Need struct {
	On       Level
	DB, Name string // DB is "" for the current database
	All, Any Set
	// ByColumn says that privileges on some column are enough here; Reads say which columns those have to be.
	ByColumn bool
	// Word stands in the error in place of the missing privileges.
	Word string
	// Hidden says that the object is not to be admitted to exist: the error is that there is none.
	Hidden bool
	// Account is the account (user@host) that the need is about; for one's own there is none.
	Account string
	// File is the privilege FILE, whose absence is error 1045.
	File bool
	// Temporary says that a temporary table of the session with that name needs no privilege.
	Temporary bool
	// Unsafe is the creation of what only SUPER may create while there is a binary log (1419).
	Unsafe bool
}

// Read is a column that a statement uses, as far as its text tells whose it is.
type Read struct {
	Privilege Set    // Select, Insert, Update or References
	Column    string // "" for all columns (*)
	// Whole says that what is missing is denied as the table, not as a column.
	Whole bool
	// Levels are the tables that may have the column, those of the innermost query block first.
	Levels [][]TableName
}

// TableName names a table; DB is "" for the current database.
type TableName struct{ DB, Name string }

// Needs is what a statement needs, in the order of MariaDB's checks.
type Needs struct {
	List  []Need
	Reads []Read
	// Definer is the account that the statement names as the definer of what it creates, as written; "" for none.
	Definer string
}

// String is for tests and messages.
func (n Needs) String() string {
	var out []string
	for _, x := range n.List {
		out = append(out, x.String())
	}
	if n.Definer != "" {
		out = append(out, "DEFINER "+n.Definer)
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, "; ")
}

// String is "SELECT, INSERT on d.t".
func (n Need) String() string {
	what := n.All.String()
	if n.Any != 0 {
		if what != "" {
			what += " and "
		}
		what += "any of " + n.Any.String()
		if n.Any == All || n.Any == OnDatabase {
			what = "anything"
		}
	}
	on := "*.*"
	switch n.On {
	case Database:
		on = n.DB + ".*"
	case Table:
		on = n.DB + "." + n.Name
	case Procedure:
		on = "PROCEDURE " + n.DB + "." + n.Name
	case Function:
		on = "FUNCTION " + n.DB + "." + n.Name
	}
	return fmt.Sprintf("%s on %s", what, on)
}

func (n *Needs) Add(x ...Need) { n.List = append(n.List, x...) }

func NeedGlobal(any Set) Need              { return Need{On: Global, Any: any} }
func NeedDatabase(db string, all Set) Need { return Need{On: Database, DB: db, All: all} }
func NeedTable(t TableName, all Set) Need {
	return Need{On: Table, DB: t.DB, Name: t.Name, All: all, Temporary: true}
}

// TriggerMark begins the Name of a need on the table of a trigger, whose name follows.
const TriggerMark = "\x00trigger "

// TriggerOf tells whether a need is about the table of a trigger, and of which.
func (n Need) TriggerOf() (trigger string, ok bool) { return strings.CutPrefix(n.Name, TriggerMark) }
