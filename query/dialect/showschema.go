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

func parseShowColumns(p *Parser) (Statement, error) { return p.showColumns(false) }

// showColumns is SHOW [FULL] COLUMNS FROM table [FROM db] [filter].
func (p *Parser) showColumns(full bool) (Statement, error) {
	table, err := p.fromTable()
	if err != nil {
		return nil, err
	}
	f, err := p.filter()
	return ShowColumns{table, full, f}, err
}

// fromTable takes {FROM | IN} table [{FROM | IN} db].
func (p *Parser) fromTable() (TableName, error) {
	if !p.AcceptAny("FROM", "IN") {
		return TableName{}, p.Syntax()
	}
	table, err := p.table()
	if err != nil {
		return table, err
	}
	db, err := p.fromDB()
	if db != "" {
		table.DB = db
	}
	return table, err
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

// parseDescribe is DESCRIBE table [column | 'pattern']. Of a statement, it is EXPLAIN, which is not ours.
func parseDescribe(p *Parser) (Statement, error) {
	for _, w := range []string{"SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "VALUES", "ANALYZE", "FOR", "("} {
		if p.Peek().Is(w) {
			return nil, nil
		}
	}
	if next := p.Peek(); len(p.Tokens) > p.Pos+1 && !p.Tokens[p.Pos+1].Is(".") && (next.Is("EXTENDED") || next.Is("PARTITIONS") || next.Is("FORMAT")) {
		return nil, nil
	}
	table, err := p.table()
	if err != nil {
		return nil, err
	}
	s := Describe{Table: table}
	if !p.End() {
		column := p.Peek()
		if column.Kind == Punct {
			return nil, p.Syntax()
		}
		p.Pos++
		s.Like = column.Text
	}
	return p.only(s)
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

func parseShowTables(p *Parser) (Statement, error) { return p.showTables(false) }

// showTables is SHOW [FULL] TABLES [FROM db] [filter].
func (p *Parser) showTables(full bool) (Statement, error) {
	db, f, err := p.ofDB()
	return ShowTables{full, db, f}, err
}

// ofDB takes [{FROM | IN} db] [filter], which ends a statement.
func (p *Parser) ofDB() (db string, f Filter, err error) {
	if db, err = p.fromDB(); err != nil {
		return "", f, err
	}
	f, err = p.filter()
	return db, f, err
}

// ShowTableStatus is SHOW TABLE STATUS.
type ShowTableStatus struct {
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowTableStatus) String() string {
	return words("SHOW TABLE STATUS", fromText(s.DB), s.Filter.text())
}

// parseShowTable is SHOW TABLE STATUS [FROM db] [filter].
func parseShowTable(p *Parser) (Statement, error) {
	if !p.Accept("STATUS") {
		return nil, p.Syntax()
	}
	db, f, err := p.ofDB()
	return ShowTableStatus{db, f}, err
}

// ShowOpenTables is SHOW OPEN TABLES.
type ShowOpenTables struct {
	DB     string // "" for all databases
	Filter Filter
}

func (s ShowOpenTables) String() string {
	return words("SHOW OPEN TABLES", fromText(s.DB), s.Filter.text())
}

// parseShowOpen is SHOW OPEN TABLES [FROM db] [filter].
func parseShowOpen(p *Parser) (Statement, error) {
	if !p.Accept("TABLES") {
		return nil, p.Syntax()
	}
	db, f, err := p.ofDB()
	return ShowOpenTables{db, f}, err
}

// ShowIndex is SHOW INDEX.
type ShowIndex struct {
	Table TableName
	Where string
}

func (s ShowIndex) String() string {
	return words("SHOW INDEX FROM", s.Table.text(), Filter{Where: s.Where}.text())
}

// parseShowIndex is SHOW INDEX FROM table [FROM db] [WHERE condition].
func parseShowIndex(p *Parser) (Statement, error) {
	table, err := p.fromTable()
	if err != nil {
		return nil, err
	}
	where, err := p.where()
	if err != nil {
		return nil, err
	}
	return p.only(ShowIndex{table, where})
}

// ShowCollation is SHOW COLLATION.
type ShowCollation struct{ Filter Filter }

func (s ShowCollation) String() string { return words("SHOW COLLATION", s.Filter.text()) }

func parseShowCollation(p *Parser) (Statement, error) {
	f, err := p.filter()
	return ShowCollation{f}, err
}

// ShowTriggers is SHOW TRIGGERS.
type ShowTriggers struct {
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowTriggers) String() string { return words("SHOW TRIGGERS", fromText(s.DB), s.Filter.text()) }

func parseShowTriggers(p *Parser) (Statement, error) {
	db, f, err := p.ofDB()
	return ShowTriggers{db, f}, err
}

// ShowEvents is SHOW EVENTS.
type ShowEvents struct {
	DB     string // "" for the current database
	Filter Filter
}

func (s ShowEvents) String() string { return words("SHOW EVENTS", fromText(s.DB), s.Filter.text()) }

func parseShowEvents(p *Parser) (Statement, error) {
	db, f, err := p.ofDB()
	return ShowEvents{db, f}, err
}

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

func parseShowProcedure(p *Parser) (Statement, error) { return p.showRoutines(Procedure) }
func parseShowFunction(p *Parser) (Statement, error)  { return p.showRoutines(Function) }

func parseShowPackage(p *Parser) (Statement, error) {
	if p.Accept("BODY") {
		return p.showRoutines(PackageBody)
	}
	return p.showRoutines(Package)
}

// showRoutines is SHOW kind STATUS [filter]. SHOW kind CODE is not ours.
func (p *Parser) showRoutines(kind Routine) (Statement, error) {
	if p.Peek().Is("CODE") {
		return nil, nil
	}
	if !p.Accept("STATUS") {
		return nil, p.Syntax()
	}
	f, err := p.filter()
	return ShowRoutines{kind, f}, err
}
