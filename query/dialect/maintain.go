package dialect

import "strings"

// Maintenance is what MaintainTables does.
type Maintenance string

// The kinds of maintenance.
const (
	Check    Maintenance = "CHECK"
	Analyze  Maintenance = "ANALYZE"
	Optimize Maintenance = "OPTIMIZE"
	Repair   Maintenance = "REPAIR"
)

// MaintainTables is CHECK, ANALYZE, OPTIMIZE or REPAIR TABLE. Which statistics ANALYZE is to collect is not kept: there are none.
type MaintainTables struct {
	Do      Maintenance
	Local   bool
	Tables  []TableName
	Options []string // QUICK and the like, in capitals
	Wait    Wait     // of OPTIMIZE
}

func (s MaintainTables) String() string {
	return words(string(s.Do), when(s.Local, "LOCAL"), "TABLE", namesText(s.Tables), strings.Join(s.Options, " "), s.Wait.text())
}

// maintenanceOptions are the words that may follow the tables, in any number.
var maintenanceOptions = map[Maintenance][]string{
	Check:  {"QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED"},
	Repair: {"QUICK", "EXTENDED", "USE_FRM", "FORCE"},
}

// parseCheck is CHECK TABLE table, ... [FOR UPGRADE | QUICK | FAST | MEDIUM | EXTENDED | CHANGED] ...
func parseCheck(p *Parser) (Statement, error) { return p.maintain(MaintainTables{Do: Check}) }

// parseAnalyze is ANALYZE TABLE table [PERSISTENT FOR ...], ... The ANALYZE of other statements is refused.
func parseAnalyze(p *Parser) (Statement, error) {
	s := MaintainTables{Do: Analyze, Local: p.local()}
	if next := p.Peek(); !s.Local && next.Kind == Word && !next.Is("TABLE") && !next.Is("TABLES") {
		return nil, notYet("ANALYZE statement")
	}
	return p.maintain(s)
}

// parseOptimize is OPTIMIZE TABLE table, ... [WAIT n | NOWAIT].
func parseOptimize(p *Parser) (Statement, error) {
	return p.maintain(MaintainTables{Do: Optimize, Local: p.local()})
}

// parseRepair is REPAIR TABLE table, ... [QUICK | EXTENDED | USE_FRM | FORCE] ...
func parseRepair(p *Parser) (Statement, error) {
	return p.maintain(MaintainTables{Do: Repair, Local: p.local()})
}

// maintain takes what follows the first words: TABLE, the names and the options.
func (p *Parser) maintain(s MaintainTables) (Statement, error) {
	err := p.tableWord()
	if err != nil {
		return nil, err
	}
	var follows func() error
	if s.Do == Analyze {
		follows = p.persistent
	}
	if s.Tables, err = p.tables(follows); err != nil {
		return nil, err
	}
	if s.Do == Analyze && (p.Accept("UPDATE", "HISTOGRAM") || p.Accept("DROP", "HISTOGRAM")) {
		p.Pos = len(p.Tokens) // MySQL's, which its tools and tests write
	}
	for s.Do != Optimize && !p.End() {
		option := strings.ToUpper(p.Peek().Text)
		switch {
		case s.Do == Check && p.Accept("FOR", "UPGRADE"):
			option = "FOR UPGRADE"
		case !p.AcceptAny(maintenanceOptions[s.Do]...):
			return nil, p.Syntax()
		}
		s.Options = append(s.Options, option)
	}
	if s.Do == Optimize {
		if s.Wait, err = p.wait(); err != nil {
			return nil, err
		}
	}
	return s, p.Done()
}

// persistent takes [PERSISTENT FOR {ALL | COLUMNS {ALL | ([column, ...])} INDEXES {ALL | ([index, ...])}}].
func (p *Parser) persistent() error {
	if !p.Accept("PERSISTENT") {
		return nil
	}
	if !p.Accept("FOR") {
		return p.Syntax()
	}
	if p.Accept("ALL") {
		return nil
	}
	for _, what := range []string{"COLUMNS", "INDEXES"} {
		if !p.Accept(what) {
			return p.Syntax()
		}
		if err := p.allOrNames(); err != nil {
			return err
		}
	}
	return nil
}

// allOrNames takes ALL, or names in parentheses.
func (p *Parser) allOrNames() error {
	if p.Accept("ALL") {
		return nil
	}
	if !p.Accept("(") {
		return p.Syntax()
	}
	for first := true; first && !p.Peek().Is(")") || p.Accept(","); first = false {
		if _, err := p.name(); err != nil {
			return err
		}
	}
	if !p.Accept(")") {
		return p.Syntax()
	}
	return nil
}

// ChecksumTables is CHECKSUM TABLE.
type ChecksumTables struct {
	Tables []TableName
	Option string // QUICK, EXTENDED or ""
}

func (s ChecksumTables) String() string {
	return words("CHECKSUM TABLE", namesText(s.Tables), s.Option)
}

// parseChecksum is CHECKSUM TABLE table, ... [QUICK | EXTENDED].
func parseChecksum(p *Parser) (Statement, error) {
	if err := p.tableWord(); err != nil {
		return nil, err
	}
	names, err := p.tables(nil)
	if err != nil {
		return nil, err
	}
	s := ChecksumTables{Tables: names}
	if option := p.Peek(); p.AcceptAny("QUICK", "EXTENDED") {
		s.Option = strings.ToUpper(option.Text)
	}
	return s, p.Done()
}
