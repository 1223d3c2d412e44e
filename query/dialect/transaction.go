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

// parseBegin is BEGIN [WORK]. BEGIN NOT ATOMIC is not ours.
func parseBegin(p *Parser) (Statement, error) {
	p.Accept("WORK")
	if !p.End() {
		return nil, nil
	}
	return StartTransaction{}, nil
}

// parseStart is START TRANSACTION [{READ ONLY | READ WRITE | WITH CONSISTENT SNAPSHOT}, ...], or START SLAVE.
func parseStart(p *Parser) (Statement, error) {
	if !p.Accept("TRANSACTION") {
		return parseStartSlave(p)
	}
	var s StartTransaction
	for first := true; first && !p.End() || p.Accept(","); first = false {
		if p.Accept("WITH", "CONSISTENT", "SNAPSHOT") {
			s.Snapshot = true
			continue
		}
		access := p.access()
		if access == "" || s.Access != "" && s.Access != access {
			return nil, p.Syntax()
		}
		s.Access = access
	}
	return s, p.Done()
}

func (p *Parser) access() Access {
	switch {
	case p.Accept("READ", "ONLY"):
		return ReadOnly
	case p.Accept("READ", "WRITE"):
		return ReadWrite
	}
	return ""
}

func (p *Parser) isolation() Isolation {
	switch {
	case p.Accept("READ", "UNCOMMITTED"):
		return ReadUncommitted
	case p.Accept("READ", "COMMITTED"):
		return ReadCommitted
	case p.Accept("REPEATABLE", "READ"):
		return RepeatableRead
	case p.Accept("SERIALIZABLE"):
		return Serializable
	}
	return ""
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

// completion takes [WORK] [AND [NO] CHAIN] [[NO] RELEASE], which ends a statement.
func (p *Parser) completion() (Completion, error) {
	chain := p.Accept("AND", "CHAIN")
	if !chain && p.Accept("AND") && !p.Accept("NO", "CHAIN") {
		return Completion{}, p.Syntax()
	}
	if chain && p.Peek().Is("RELEASE") { // there is no connection for the other transaction
		return Completion{}, p.Syntax()
	}
	release := p.Accept("RELEASE")
	if !release && p.Accept("NO") && !p.Accept("RELEASE") {
		return Completion{}, p.Syntax()
	}
	return Completion{chain, release}, p.Done()
}

// parseCommit is COMMIT [WORK] [AND [NO] CHAIN] [[NO] RELEASE].
func parseCommit(p *Parser) (Statement, error) {
	p.Accept("WORK")
	c, err := p.completion()
	return Commit{c}, err
}

// parseRollback is ROLLBACK [WORK] [AND [NO] CHAIN] [[NO] RELEASE], or ROLLBACK [WORK] TO [SAVEPOINT] name.
func parseRollback(p *Parser) (Statement, error) {
	p.Accept("WORK")
	if !p.Accept("TO") {
		c, err := p.completion()
		return Rollback{c}, err
	}
	if p.Accept("SAVEPOINT") && p.End() { // it is a name, too
		return RollbackTo{"SAVEPOINT"}, nil
	}
	name, err := p.lastName()
	return RollbackTo{name}, err
}

// lastName takes the identifier that ends a statement.
func (p *Parser) lastName() (string, error) {
	name, err := p.name()
	if err != nil {
		return "", err
	}
	return name, p.Done()
}

// RollbackTo is ROLLBACK TO SAVEPOINT.
type RollbackTo struct{ Name string }

func (s RollbackTo) String() string { return "ROLLBACK TO SAVEPOINT " + QuoteName(s.Name) }

// Savepoint is SAVEPOINT.
type Savepoint struct{ Name string }

func (s Savepoint) String() string { return "SAVEPOINT " + QuoteName(s.Name) }

// parseSavepoint is SAVEPOINT name.
func parseSavepoint(p *Parser) (Statement, error) {
	name, err := p.lastName()
	return Savepoint{name}, err
}

// ReleaseSavepoint is RELEASE SAVEPOINT.
type ReleaseSavepoint struct{ Name string }

func (s ReleaseSavepoint) String() string { return "RELEASE SAVEPOINT " + QuoteName(s.Name) }

// parseRelease is RELEASE SAVEPOINT name.
func parseRelease(p *Parser) (Statement, error) {
	if !p.Accept("SAVEPOINT") {
		return nil, p.Syntax()
	}
	name, err := p.lastName()
	return ReleaseSavepoint{name}, err
}
