package dialect

// AlterKeys is ALTER TABLE ... {DISABLE | ENABLE} KEYS, which mariadb-dump writes.
type AlterKeys struct {
	Table  TableName
	Enable bool
}

func (s AlterKeys) String() string {
	what := "DISABLE"
	if s.Enable {
		what = "ENABLE"
	}
	return words("ALTER TABLE", s.Table.text(), what, "KEYS")
}

// CreateOrReplace is CREATE OR REPLACE of what go-mysql-server's parser does not know it for.
type CreateOrReplace struct {
	What      string // TABLE, DATABASE, INDEX, PROCEDURE, TRIGGER or EVENT
	Index     string // of INDEX, whose table is Name
	Temporary bool
	Name      TableName
	// Create is the statement without OR REPLACE, and Text the whole, as it goes into the log.
	Create, Text string
}

func (s CreateOrReplace) String() string { return s.Text }

// Drop is the statement that makes room for what is created.
func (s CreateOrReplace) Drop() string {
	if s.What == "INDEX" {
		return words("DROP INDEX IF EXISTS", QuoteName(s.Index), "ON", s.Name.text())
	}
	return words("DROP", when(s.Temporary, "TEMPORARY"), s.What, "IF EXISTS", s.Name.text())
}

// DropRoutine is DROP FUNCTION and DROP PROCEDURE.
type DropRoutine struct {
	Kind     Routine
	IfExists bool
	Name     TableName
}

func (s DropRoutine) String() string {
	return words("DROP", string(s.Kind), when(s.IfExists, "IF EXISTS"), s.Name.text())
}
