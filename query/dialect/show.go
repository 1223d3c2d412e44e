package dialect

import "strings"

// shows are the words that follow SHOW in the statements that are ours.
var shows map[string]parse

func init() {
	shows = map[string]parse{
		"MASTER": parseShowMaster, "BINLOG": parseShowBinlog, "BINARY": parseShowBinary, "RELAYLOG": parseShowRelaylog,
		"SLAVE": parseShowSlave, "REPLICA": parseShowSlave, "ALL": parseShowAll,
		"ENGINES": parseShowEngines, "STORAGE": parseShowStorage, "ENGINE": parseShowEngine, "PLUGINS": parseShowPlugins,
		"PROFILES": parseShowProfiles, "PROCESSLIST": parseShowProcesslist,
		"WARNINGS": parseShowWarnings, "ERRORS": parseShowErrors, "COUNT": parseShowCount,
		"VARIABLES": parseShowVariables, "STATUS": parseShowStatus, "GLOBAL": parseShowGlobal,
		"SESSION": parseShowSession, "LOCAL": parseShowSession,
		"FULL": parseShowFull, "COLUMNS": parseShowColumns, "FIELDS": parseShowColumns, "TABLES": parseShowTables,
		"TABLE": parseShowTable, "OPEN": parseShowOpen, "INDEX": parseShowIndex, "INDEXES": parseShowIndex, "KEYS": parseShowIndex,
		"COLLATION": parseShowCollation, "TRIGGERS": parseShowTriggers, "EVENTS": parseShowEvents,
		"PROCEDURE": parseShowProcedure, "FUNCTION": parseShowFunction, "PACKAGE": parseShowPackage,
		"CREATE": parseShowCreate,
	}
}

// parseShow finds the SHOW statements that are ours.
func parseShow(p *Parser) (Statement, error) {
	t := p.Peek()
	if t.Kind != Word {
		return nil, nil
	}
	parse := shows[strings.ToUpper(t.Text)]
	if parse == nil {
		return nil, nil
	}
	p.Pos++
	return parse(p)
}

// only is a statement that consists of the words that were read.
func (p *Parser) only(s Statement) (Statement, error) { return s, p.Done() }

// ShowEngines is SHOW ENGINES.
type ShowEngines struct{}

func (ShowEngines) String() string { return "SHOW ENGINES" }

func parseShowEngines(p *Parser) (Statement, error) { return p.only(ShowEngines{}) }

// parseShowStorage is SHOW STORAGE ENGINES.
func parseShowStorage(p *Parser) (Statement, error) {
	if !p.Accept("ENGINES") {
		return nil, p.Syntax()
	}
	return p.only(ShowEngines{})
}

// ShowEngine is SHOW ENGINE.
type ShowEngine struct {
	Engine string // "" for ALL
	What   string // STATUS, MUTEX or LOGS
}

func (s ShowEngine) String() string {
	engine := "ALL"
	if s.Engine != "" {
		engine = QuoteName(s.Engine)
	}
	return words("SHOW ENGINE", engine, s.What)
}

// parseShowEngine is SHOW ENGINE {name | 'name' | ALL} {STATUS | MUTEX | LOGS}.
func parseShowEngine(p *Parser) (Statement, error) {
	var s ShowEngine
	if name := p.Peek(); name.Kind == String && name.Text != "" {
		p.Pos++
		s.Engine = name.Text
	} else if !p.Accept("ALL") {
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		s.Engine = name
	}
	what := p.Peek()
	if !p.AcceptAny("STATUS", "MUTEX", "LOGS") {
		return nil, p.Syntax()
	}
	s.What = strings.ToUpper(what.Text)
	return p.only(s)
}

// ShowPlugins is SHOW PLUGINS.
type ShowPlugins struct{}

func (ShowPlugins) String() string { return "SHOW PLUGINS" }

// parseShowPlugins is SHOW PLUGINS [SONAME ...].
func parseShowPlugins(p *Parser) (Statement, error) {
	if p.Accept("SONAME") {
		return nil, notYet("SHOW PLUGINS SONAME")
	}
	return p.only(ShowPlugins{})
}

// ShowProfiles is SHOW PROFILES.
type ShowProfiles struct{}

func (ShowProfiles) String() string { return "SHOW PROFILES" }

func parseShowProfiles(p *Parser) (Statement, error) { return p.only(ShowProfiles{}) }

// ShowProcesslist is SHOW [FULL] PROCESSLIST.
type ShowProcesslist struct{ Full bool }

func (s ShowProcesslist) String() string { return words("SHOW", when(s.Full, "FULL"), "PROCESSLIST") }

func parseShowProcesslist(p *Parser) (Statement, error) { return p.only(ShowProcesslist{}) }

// parseShowFull is SHOW FULL {PROCESSLIST | COLUMNS ... | TABLES ...}.
func parseShowFull(p *Parser) (Statement, error) {
	switch {
	case p.Accept("PROCESSLIST"):
		return p.only(ShowProcesslist{Full: true})
	case p.AcceptAny("COLUMNS", "FIELDS"):
		return p.showColumns(true)
	case p.Accept("TABLES"):
		return p.showTables(true)
	}
	return nil, p.Syntax()
}

// ShowWarnings is SHOW WARNINGS and SHOW ERRORS.
type ShowWarnings struct {
	ErrorsOnly bool
	Limit      Limit
}

func (s ShowWarnings) String() string {
	return words("SHOW", warningsWord(s.ErrorsOnly), s.Limit.text())
}

func warningsWord(errorsOnly bool) string {
	if errorsOnly {
		return "ERRORS"
	}
	return "WARNINGS"
}

func parseShowWarnings(p *Parser) (Statement, error) { return p.showWarnings(false) }
func parseShowErrors(p *Parser) (Statement, error)   { return p.showWarnings(true) }

// showWarnings is SHOW {WARNINGS | ERRORS} [LIMIT [offset,] count].
func (p *Parser) showWarnings(errorsOnly bool) (Statement, error) {
	limit, err := p.limitClause()
	if err != nil {
		return nil, err
	}
	return p.only(ShowWarnings{errorsOnly, limit})
}

// ShowWarningCount is SHOW COUNT(*) of WARNINGS or ERRORS.
type ShowWarningCount struct{ ErrorsOnly bool }

func (s ShowWarningCount) String() string { return words("SHOW COUNT(*)", warningsWord(s.ErrorsOnly)) }

// parseShowCount is SHOW COUNT(*) {WARNINGS | ERRORS}.
func parseShowCount(p *Parser) (Statement, error) {
	if !p.Accept("(", "*", ")") {
		return nil, p.Syntax()
	}
	switch {
	case p.Accept("ERRORS"):
		return p.only(ShowWarningCount{ErrorsOnly: true})
	case p.Accept("WARNINGS"):
		return p.only(ShowWarningCount{})
	}
	return nil, p.Syntax()
}

// ShowVariables is SHOW [GLOBAL | SESSION] VARIABLES.
type ShowVariables struct {
	Global bool
	Filter Filter
}

func (s ShowVariables) String() string {
	return words("SHOW", when(s.Global, "GLOBAL"), "VARIABLES", s.Filter.text())
}

// ShowStatus is SHOW [GLOBAL | SESSION] STATUS.
type ShowStatus struct {
	Global bool
	Filter Filter
}

func (s ShowStatus) String() string {
	return words("SHOW", when(s.Global, "GLOBAL"), "STATUS", s.Filter.text())
}

func parseShowVariables(p *Parser) (Statement, error) {
	f, err := p.filter()
	return ShowVariables{Filter: f}, err
}

func parseShowStatus(p *Parser) (Statement, error) {
	f, err := p.filter()
	return ShowStatus{Filter: f}, err
}

func parseShowGlobal(p *Parser) (Statement, error)  { return p.showScoped(true) }
func parseShowSession(p *Parser) (Statement, error) { return p.showScoped(false) }

// showScoped is SHOW scope {VARIABLES | STATUS} [filter].
func (p *Parser) showScoped(global bool) (Statement, error) {
	variables := p.Accept("VARIABLES")
	if !variables && !p.Accept("STATUS") {
		return nil, p.Syntax()
	}
	f, err := p.filter()
	if variables {
		return ShowVariables{global, f}, err
	}
	return ShowStatus{global, f}, err
}
