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

// wait takes [WAIT n | NOWAIT].
func (p *Parser) wait() (w Wait, err error) {
	switch {
	case p.Accept("NOWAIT"):
		return Wait{Given: true}, nil
	case p.Accept("WAIT"):
		w.Given = true
		w.Seconds, err = p.need()
	}
	return w, err
}

// parseLock is LOCK TABLES table [[AS] alias] {READ [LOCAL] | [LOW_PRIORITY] WRITE [CONCURRENT]}, ... [WAIT n | NOWAIT].
func parseLock(p *Parser) (Statement, error) {
	if err := p.tableWord(); err != nil {
		return nil, err
	}
	var s LockTables
	for {
		t, err := p.lockTable()
		if err != nil {
			return nil, err
		}
		s.Tables = append(s.Tables, t)
		if !p.Accept(",") {
			break
		}
	}
	var err error
	if s.Wait, err = p.wait(); err != nil {
		return nil, err
	}
	return s, p.Done()
}

func (p *Parser) lockTable() (t LockTable, err error) {
	if t.Table, err = p.table(); err != nil {
		return t, err
	}
	as, next := p.Accept("AS"), p.Peek()
	how := next.Is("READ") || next.Is("WRITE") || next.Is("LOW_PRIORITY")
	switch {
	case as && how:
		return t, p.Syntax()
	case !how:
		if t.Alias, err = p.name(); err != nil {
			return t, err
		}
	}
	switch {
	case p.Accept("READ"):
		p.Accept("LOCAL")
		return t, nil
	case p.Accept("LOW_PRIORITY", "WRITE"), p.Accept("WRITE"):
		p.Accept("CONCURRENT")
		t.Write = true
		return t, nil
	}
	p.Accept("LOW_PRIORITY")
	return t, p.Syntax()
}

// UnlockTables is UNLOCK TABLES.
type UnlockTables struct{}

func (UnlockTables) String() string { return "UNLOCK TABLES" }

// parseUnlock is UNLOCK TABLES.
func parseUnlock(p *Parser) (Statement, error) {
	if err := p.tableWord(); err != nil {
		return nil, err
	}
	return UnlockTables{}, p.Done()
}
