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

// ChecksumTables is CHECKSUM TABLE.
type ChecksumTables struct {
	Tables []TableName
	Option string // QUICK, EXTENDED or ""
}

func (s ChecksumTables) String() string {
	return words("CHECKSUM TABLE", namesText(s.Tables), s.Option)
}
