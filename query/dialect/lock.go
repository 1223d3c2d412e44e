package dialect

import "strings"

// LockTables is LOCK TABLES. LOW_PRIORITY, CONCURRENT and LOCAL mean nothing to tables with transactions, and are not kept.
type LockTables struct {
	Tables []LockTable
	Wait   Wait
}

// LockTable is one table of LOCK TABLES.
type LockTable struct {
	Table TableName
	Alias string // "" without one
	Write bool
}

func (s LockTables) String() string {
	list := make([]string, len(s.Tables))
	for i, t := range s.Tables {
		alias := ""
		if t.Alias != "" {
			alias = "AS " + QuoteName(t.Alias)
		}
		how := "READ"
		if t.Write {
			how = "WRITE"
		}
		list[i] = words(t.Table.text(), alias, how)
	}
	return words("LOCK TABLES", strings.Join(list, ", "), s.Wait.text())
}

// Wait is how long a statement waits for locks: WAIT n, NOWAIT, or what the session's variables say.
type Wait struct {
	Given   bool
	Seconds uint64
}

func (w Wait) text() string {
	switch {
	case !w.Given:
		return ""
	case w.Seconds == 0:
		return "NOWAIT"
	}
	return "WAIT " + number(w.Seconds)
}

// UnlockTables is UNLOCK TABLES.
type UnlockTables struct{}

func (UnlockTables) String() string { return "UNLOCK TABLES" }
