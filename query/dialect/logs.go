package dialect

// PurgeBinaryLogs is PURGE BINARY LOGS, up to a file or a point in time.
type PurgeBinaryLogs struct {
	To     string // the first file that stays
	Before string // an expression; "" if a file is named
}

func (s PurgeBinaryLogs) String() string {
	if s.Before != "" {
		return "PURGE BINARY LOGS BEFORE " + s.Before
	}
	return "PURGE BINARY LOGS TO " + QuoteString(s.To)
}

// parsePurge is PURGE {BINARY | MASTER} LOGS {TO 'file' | BEFORE time}.
func parsePurge(p *Parser) (Statement, error) {
	if !p.AcceptAny("BINARY", "MASTER") || !p.Accept("LOGS") {
		return nil, p.Syntax()
	}
	switch {
	case p.Accept("TO"):
		file, ok := p.StringLiteral()
		if !ok {
			return nil, p.Syntax()
		}
		return PurgeBinaryLogs{To: file}, p.Done()
	case p.Accept("BEFORE"):
		when, err := p.remainder()
		return PurgeBinaryLogs{Before: when}, err
	}
	return nil, p.Syntax()
}

// ResetMaster is RESET MASTER: an empty log that begins with a file number.
type ResetMaster struct{ To uint64 }

func (s ResetMaster) String() string { return "RESET MASTER TO " + number(s.To) }

// ResetSlave is RESET SLAVE.
type ResetSlave struct{ All bool }

func (s ResetSlave) String() string { return words("RESET SLAVE", when(s.All, "ALL")) }

// ResetQueryCache is RESET QUERY CACHE.
type ResetQueryCache struct{}

func (ResetQueryCache) String() string { return "RESET QUERY CACHE" }

// parseReset is RESET {QUERY CACHE | SLAVE [ALL] | MASTER [TO n]}. MariaDB takes a list of these.
func parseReset(p *Parser) (Statement, error) {
	var s Statement
	switch {
	case p.Accept("QUERY", "CACHE"):
		s = ResetQueryCache{}
	case p.AcceptAny("SLAVE", "REPLICA"):
		if p.Peek().Kind == String {
			return nil, notYet("RESET of a replication connection by its name")
		}
		s = ResetSlave{All: p.Accept("ALL")}
	case p.Accept("MASTER"):
		to := uint64(1)
		if p.Accept("TO") {
			n, err := p.need()
			if err != nil {
				return nil, err
			}
			to = max(n, 1)
		}
		s = ResetMaster{To: to}
	}
	if s == nil {
		return nil, p.Syntax()
	}
	if p.Peek().Is(",") {
		return nil, notYet("RESET of several things")
	}
	return s, p.Done()
}
