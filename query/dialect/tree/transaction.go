package tree

// Begin is START TRANSACTION, or BEGIN.
type Begin struct {
	Span
	Snapshot bool
	Access   string // READ ONLY, READ WRITE, or empty
}

// Completion is what follows a COMMIT or ROLLBACK. The empty strings leave it to completion_type.
type Completion struct {
	Chain, Release string // AND CHAIN, AND NO CHAIN; RELEASE, NO RELEASE
}

// Commit is COMMIT.
type Commit struct {
	Span
	Completion
}

// Rollback is ROLLBACK.
type Rollback struct {
	Span
	Completion
}

// RollbackTo is ROLLBACK TO SAVEPOINT.
type RollbackTo struct {
	Span
	Name Ident
}

// Savepoint is SAVEPOINT.
type Savepoint struct {
	Span
	Name Ident
}

// ReleaseSavepoint is RELEASE SAVEPOINT.
type ReleaseSavepoint struct {
	Span
	Name Ident
}

// XA is XA. Verb is START, END, PREPARE, COMMIT, ROLLBACK or RECOVER, which has no ID.
type XA struct {
	Span
	Verb   string
	ID     *XID
	Suffix string // JOIN, RESUME, SUSPEND, SUSPEND FOR MIGRATE, ONE PHASE, FORMAT = 'SQL'
}

// XID is the name of a transaction that has parts elsewhere.
type XID struct {
	Span
	Global, Branch string
	Format         string // a number, or empty
}

// LockTables is LOCK TABLES.
type LockTables struct {
	Span
	Tables []*LockedTable
	Wait   *LockWait
}

// LockedTable is one of LockTables. Lock is READ, READ LOCAL, WRITE, WRITE CONCURRENT or LOW_PRIORITY WRITE.
type LockedTable struct {
	Span
	Name  *TableName
	Alias *Ident
	Lock  string
}

// UnlockTables is UNLOCK TABLES.
type UnlockTables struct{ Span }

// Use is USE.
type Use struct {
	Span
	DB Ident
}

// Prepare is PREPARE.
type Prepare struct {
	Span
	Name Ident
	Text Expr
}

// Execute is EXECUTE.
type Execute struct {
	Span
	Name  Ident
	Using []Expr
}

// ExecuteImmediate is EXECUTE IMMEDIATE.
type ExecuteImmediate struct {
	Span
	Text  Expr
	Using []Expr
}

// Deallocate is DEALLOCATE PREPARE.
type Deallocate struct {
	Span
	Name Ident
}

// Explain is EXPLAIN, or ANALYZE, of a statement.
type Explain struct {
	Span
	Analyze   bool
	Option    string // EXTENDED, PARTITIONS, ALL, or empty
	Format    string // JSON, TRADITIONAL, or empty
	Statement Statement
}

// ExplainConnection is EXPLAIN FOR CONNECTION.
type ExplainConnection struct {
	Span
	Format string
	ID     Expr
}

// Describe is DESCRIBE of a table. Column and Like are nil for all of its columns.
type Describe struct {
	Span
	Table  *TableName
	Column *Ident
	Like   *TextLit
}

func (*Begin) statement()             {}
func (*Commit) statement()            {}
func (*Rollback) statement()          {}
func (*RollbackTo) statement()        {}
func (*Savepoint) statement()         {}
func (*ReleaseSavepoint) statement()  {}
func (*XA) statement()                {}
func (*LockTables) statement()        {}
func (*UnlockTables) statement()      {}
func (*Use) statement()               {}
func (*Prepare) statement()           {}
func (*Execute) statement()           {}
func (*ExecuteImmediate) statement()  {}
func (*Deallocate) statement()        {}
func (*Explain) statement()           {}
func (*Describe) statement()          {}
func (*ExplainConnection) statement() {}

func (n *Begin) print(p *printer) {
	p.word("START TRANSACTION")
	p.when(n.Snapshot, "WITH CONSISTENT SNAPSHOT")
	if n.Snapshot && n.Access != "" {
		p.byte(',')
	}
	p.words(n.Access)
}

func (n *Commit) print(p *printer) { p.words("COMMIT", n.Chain, n.Release) }

func (n *Rollback) print(p *printer) { p.words("ROLLBACK", n.Chain, n.Release) }

func (n *RollbackTo) print(p *printer) {
	p.word("ROLLBACK TO SAVEPOINT")
	n.Name.print(p)
}

func (n *Savepoint) print(p *printer) {
	p.word("SAVEPOINT")
	n.Name.print(p)
}

func (n *ReleaseSavepoint) print(p *printer) {
	p.word("RELEASE SAVEPOINT")
	n.Name.print(p)
}

func (n *XA) print(p *printer) {
	p.words("XA", n.Verb)
	if n.ID != nil {
		n.ID.print(p)
	}
	p.words(n.Suffix)
}

func (n *XID) print(p *printer) {
	p.text(n.Global)
	p.byte(',')
	p.text(n.Branch)
	if n.Format != "" {
		p.byte(',')
		p.word(n.Format)
	}
}

func (n *LockTables) print(p *printer) {
	p.word("LOCK TABLES")
	list(p, n.Tables)
	n.Wait.print(p)
}

func (n *LockedTable) print(p *printer) {
	n.Name.print(p)
	p.alias(n.Alias)
	p.word(n.Lock)
}

func (*UnlockTables) print(p *printer) { p.word("UNLOCK TABLES") }

func (n *Use) print(p *printer) {
	p.word("USE")
	n.DB.print(p)
}

func (n *Prepare) print(p *printer) {
	p.word("PREPARE")
	n.Name.print(p)
	p.word("FROM")
	n.Text.print(p)
}

func printUsing(p *printer, using []Expr) {
	if using != nil {
		p.word("USING")
		list(p, using)
	}
}

func (n *Execute) print(p *printer) {
	p.word("EXECUTE")
	n.Name.print(p)
	printUsing(p, n.Using)
}

func (n *ExecuteImmediate) print(p *printer) {
	p.word("EXECUTE IMMEDIATE")
	n.Text.print(p)
	printUsing(p, n.Using)
}

func (n *Deallocate) print(p *printer) {
	p.word("DEALLOCATE PREPARE")
	n.Name.print(p)
}

func (n *Explain) print(p *printer) {
	if n.Analyze {
		p.word("ANALYZE")
	} else {
		p.word("EXPLAIN")
	}
	p.words(n.Option)
	if n.Format != "" {
		p.words("FORMAT =", n.Format)
	}
	n.Statement.print(p)
}

func (n *ExplainConnection) print(p *printer) {
	p.word("EXPLAIN")
	if n.Format != "" {
		p.words("FORMAT =", n.Format)
	}
	p.word("FOR CONNECTION")
	n.ID.print(p)
}

func (n *Describe) print(p *printer) {
	p.word("DESCRIBE")
	n.Table.print(p)
	if n.Column != nil {
		n.Column.print(p)
	}
	if n.Like != nil {
		n.Like.print(p)
	}
}
