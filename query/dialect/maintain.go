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

// MaintainTables is CHECK, ANALYZE, OPTIMIZE or REPAIR TABLE.
type MaintainTables struct {
	Do     Maintenance
	Local  bool
	Tables []TableName
	// Persistent are the clauses PERSISTENT FOR of ANALYZE, as they are printed, of each table; nil if no table has one. They are for replicas: there are no such
	// statistics here.
	Persistent []string
	Options    []string // QUICK and the like, in capitals
	Wait       Wait     // of OPTIMIZE
}

func (s MaintainTables) String() string {
	tables := namesText(s.Tables)
	if s.Persistent != nil {
		list := make([]string, len(s.Tables))
		for i, t := range s.Tables {
			list[i] = words(t.text(), s.Persistent[i])
		}
		tables = strings.Join(list, ", ")
	}
	return words(string(s.Do), when(s.Local, "LOCAL"), "TABLE", tables, strings.Join(s.Options, " "), s.Wait.text())
}

// ChecksumTables is CHECKSUM TABLE.
type ChecksumTables struct {
	Tables []TableName
	Option string // QUICK, EXTENDED or ""
}

func (s ChecksumTables) String() string {
	return words("CHECKSUM TABLE", namesText(s.Tables), s.Option)
}
