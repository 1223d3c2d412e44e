package dialect

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Flush is FLUSH of anything but tables: what it empties or reloads, in the order of the statement.
type Flush struct {
	Local bool
	What  []Flushed
	// DeleteDomains are the GTID domains that FLUSH BINARY LOGS is to forget.
	DeleteDomains []uint64
}

// Flushed is one thing that FLUSH names, in MariaDB's words.
type Flushed string

// What the server has, of all that FLUSH may name.
const (
	FlushedLogs          Flushed = "LOGS"
	FlushedBinaryLogs    Flushed = "BINARY LOGS"
	FlushedPrivileges    Flushed = "PRIVILEGES"
	FlushedUserResources Flushed = "USER_RESOURCES"
	FlushedMaster        Flushed = "MASTER"
)

// flushable is all that FLUSH may name.
var flushable = []Flushed{
	FlushedLogs, FlushedBinaryLogs, FlushedPrivileges, FlushedUserResources, FlushedMaster,
	"ERROR LOGS", "ENGINE LOGS", "GENERAL LOGS", "SLOW LOGS", "RELAY LOGS", "QUERY CACHE", "HOSTS", "STATUS", "SLAVE", "DES_KEY_FILE", "SSL",
	"THREADS", "USER_STATISTICS", "CLIENT_STATISTICS", "INDEX_STATISTICS", "TABLE_STATISTICS",
}

// IsFlushed reports whether FLUSH may name something.
func IsFlushed(what Flushed) bool { return slices.Contains(flushable, what) }

func (s Flush) String() string {
	list := make([]string, len(s.What))
	for i, what := range s.What {
		list[i] = string(what)
		if what == FlushedBinaryLogs && s.DeleteDomains != nil {
			domains := make([]string, len(s.DeleteDomains))
			for i, d := range s.DeleteDomains {
				domains[i] = number(d)
			}
			list[i] += " DELETE_DOMAIN_ID = (" + strings.Join(domains, ", ") + ")"
		}
	}
	return words("FLUSH", when(s.Local, "LOCAL"), strings.Join(list, ", "))
}

// parseFlush is FLUSH [NO_WRITE_TO_BINLOG | LOCAL] {what, ... | TABLES ...}.
func parseFlush(p *Parser) (Statement, error) {
	s := Flush{Local: p.local()}
	if p.AcceptAny("TABLES", "TABLE") {
		return parseFlushTables(p, s.Local)
	}
	for {
		i := slices.IndexFunc(flushable, func(f Flushed) bool { return p.Accept(strings.Fields(string(f))...) })
		if i < 0 {
			p.AcceptAny("BINARY", "ERROR", "ENGINE", "GENERAL", "SLOW", "RELAY", "QUERY") // of two words, the second is wrong
			return nil, p.Syntax()
		}
		s.What = append(s.What, flushable[i])
		switch flushable[i] {
		case FlushedBinaryLogs:
			if err := p.deleteDomains(&s); err != nil {
				return nil, err
			}
		case "RELAY LOGS", "SLAVE":
			if _, named := p.StringLiteral(); named {
				return nil, notYet("FLUSH of a replication connection by its name")
			}
		}
		if !p.Accept(",") {
			return s, p.Done()
		}
	}
}

// deleteDomains takes [DELETE_DOMAIN_ID = ([id, ...])].
func (p *Parser) deleteDomains(s *Flush) error {
	if !p.Accept("DELETE_DOMAIN_ID") {
		return nil
	}
	if !p.Accept("=") || !p.Accept("(") {
		return p.Syntax()
	}
	s.DeleteDomains = []uint64{}
	for first := true; first && !p.Peek().Is(")") || p.Accept(","); first = false {
		at := p.Pos
		n, ok := p.Number()
		if !ok || n > 1<<32-1 {
			p.Pos = at
			return p.Syntax()
		}
		s.DeleteDomains = append(s.DeleteDomains, n)
	}
	if !p.Accept(")") {
		return p.Syntax()
	}
	return nil
}

// FlushTables is FLUSH TABLES.
type FlushTables struct {
	Local  bool
	Tables []TableName // none for all tables
	Lock   FlushLock
}

// FlushLock is the lock that FLUSH TABLES takes, in MariaDB's words; "" for none.
type FlushLock string

// The locks of FLUSH TABLES.
const (
	WithReadLock      FlushLock = "WITH READ LOCK"
	DisableCheckpoint FlushLock = "WITH READ LOCK AND DISABLE CHECKPOINT"
	ForExport         FlushLock = "FOR EXPORT"
)

func (s FlushTables) String() string {
	return words("FLUSH", when(s.Local, "LOCAL"), "TABLES", namesText(s.Tables), string(s.Lock))
}

// parseFlushTables is FLUSH TABLES [table, ...] [WITH READ LOCK [AND DISABLE CHECKPOINT] | FOR EXPORT].
func parseFlushTables(p *Parser, local bool) (Statement, error) {
	s := FlushTables{Local: local}
	if next := p.Peek(); !p.End() && !next.Is("WITH") && !next.Is("FOR") {
		var err error
		if s.Tables, err = p.tables(nil); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Lock, err = p.flushLock(s.Tables); err != nil {
		return nil, err
	}
	return s, p.Done()
}

// flushLock takes [WITH READ LOCK [AND DISABLE CHECKPOINT] | FOR EXPORT].
func (p *Parser) flushLock(tables []TableName) (FlushLock, error) {
	start := p.Peek().Start
	lock, err := p.all("WITH", "READ", "LOCK")
	if err != nil {
		return "", err
	}
	if lock {
		without, err := p.all("AND", "DISABLE", "CHECKPOINT")
		if without {
			return DisableCheckpoint, nil
		}
		return WithReadLock, err
	}
	export, err := p.all("FOR", "EXPORT")
	switch {
	case !export:
		return "", err
	case tables == nil:
		line := 1 + strings.Count(p.SQL[:start], "\n")
		return "", mysqlerr.New(mysqlerr.Parse, "No tables used", p.SQL[start:], line)
	}
	return ForExport, nil
}

func notYet(what string) error { return mysqlerr.NotYet(what) }
