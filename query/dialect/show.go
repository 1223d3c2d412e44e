package dialect

// ShowEngines is SHOW ENGINES.
type ShowEngines struct{}

func (ShowEngines) String() string { return "SHOW ENGINES" }

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

// ShowPlugins is SHOW PLUGINS.
type ShowPlugins struct{}

func (ShowPlugins) String() string { return "SHOW PLUGINS" }

// ShowProfiles is SHOW PROFILES.
type ShowProfiles struct{}

func (ShowProfiles) String() string { return "SHOW PROFILES" }

// ShowProcesslist is SHOW [FULL] PROCESSLIST.
type ShowProcesslist struct{ Full bool }

func (s ShowProcesslist) String() string { return words("SHOW", when(s.Full, "FULL"), "PROCESSLIST") }

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

// ShowWarningCount is SHOW COUNT(*) of WARNINGS or ERRORS.
type ShowWarningCount struct{ ErrorsOnly bool }

func (s ShowWarningCount) String() string { return words("SHOW COUNT(*)", warningsWord(s.ErrorsOnly)) }

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
