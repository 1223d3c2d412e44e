package dialect

import (
	"slices"
	"strings"
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
	"ERROR LOGS", "ENGINE LOGS", "GENERAL LOGS", "SLOW LOGS", "RELAY LOGS", "QUERY CACHE", "HOSTS", "STATUS", "DES_KEY_FILE", "SSL",
	"THREADS", "USER_STATISTICS", "CLIENT_STATISTICS", "INDEX_STATISTICS", "TABLE_STATISTICS",
}

// IsFlushed reports whether FLUSH may name something.
func IsFlushed(what Flushed) bool { return slices.Contains(flushable, what) }

// OfLog reports whether what is flushed is a log that each server has of its own: such a statement is not for replicas.
func (f Flushed) OfLog() bool {
	switch f {
	case FlushedLogs, FlushedBinaryLogs, FlushedMaster, "RELAY LOGS":
		return true
	}
	return false
}

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
