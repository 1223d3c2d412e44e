package dialect

// ShowColumns is SHOW [FULL] COLUMNS.
type ShowColumns struct {
	Table  TableName
	Full   bool
	Filter Filter
}

func (s ShowColumns) String() string {
	return words("SHOW", when(s.Full, "FULL"), "COLUMNS FROM", s.Table.text(), s.Filter.text())
}

// Describe is DESCRIBE of a table.
type Describe struct {
	Table TableName
	Like  string // a pattern for the columns, "" for all
}

func (s Describe) String() string {
	like := ""
	if s.Like != "" {
		like = QuoteString(s.Like)
	}
	return words("DESCRIBE", s.Table.text(), like)
}

// ShowTables is SHOW [FULL] TABLES.
type ShowTables struct {
	Full   bool
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowTables) String() string {
	return words("SHOW", when(s.Full, "FULL"), "TABLES", fromText(s.DB), s.Filter.text())
}

// ShowTableStatus is SHOW TABLE STATUS.
type ShowTableStatus struct {
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowTableStatus) String() string {
	return words("SHOW TABLE STATUS", fromText(s.DB), s.Filter.text())
}

// ShowOpenTables is SHOW OPEN TABLES.
type ShowOpenTables struct {
	DB     string // "" for all databases
	Filter Filter
}

func (s ShowOpenTables) String() string {
	return words("SHOW OPEN TABLES", fromText(s.DB), s.Filter.text())
}

// ShowIndex is SHOW INDEX.
type ShowIndex struct {
	Table TableName
	Where string
}

func (s ShowIndex) String() string {
	return words("SHOW INDEX FROM", s.Table.text(), Filter{Where: s.Where}.text())
}

// ShowCollation is SHOW COLLATION.
type ShowCollation struct{ Filter Filter }

func (s ShowCollation) String() string { return words("SHOW COLLATION", s.Filter.text()) }

// ShowTriggers is SHOW TRIGGERS.
type ShowTriggers struct {
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowTriggers) String() string { return words("SHOW TRIGGERS", fromText(s.DB), s.Filter.text()) }

// ShowEvents is SHOW EVENTS.
type ShowEvents struct {
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowEvents) String() string { return words("SHOW EVENTS", fromText(s.DB), s.Filter.text()) }

// Routine is a kind of stored routine, in MariaDB's words.
type Routine string

// The kinds of routines.
const (
	Procedure   Routine = "PROCEDURE"
	Function    Routine = "FUNCTION"
	Package     Routine = "PACKAGE"
	PackageBody Routine = "PACKAGE BODY"
)

// ShowRoutines is SHOW PROCEDURE STATUS and its like.
type ShowRoutines struct {
	Kind   Routine
	Filter Filter
}

func (s ShowRoutines) String() string {
	return words("SHOW", string(s.Kind), "STATUS", s.Filter.text())
}
