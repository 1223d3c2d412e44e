package dialect

import "github.com/duramendb/duramen/query/mysqlerr"

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
	What      string // TABLE, PROCEDURE, TRIGGER or EVENT
	Temporary bool
	Name      TableName
	// Create is the statement without OR REPLACE, and Text the whole, as it goes into the log.
	Create, Text string
}

func (s CreateOrReplace) String() string { return s.Text }

// Drop is the statement that makes room for what is created.
func (s CreateOrReplace) Drop() string {
	return words("DROP", when(s.Temporary, "TEMPORARY"), s.What, "IF EXISTS", s.Name.text())
}

// ParseCreateOrReplace parses CREATE OR REPLACE [TEMPORARY] {TABLE | PROCEDURE | TRIGGER | EVENT} name ... It yields nil without an error for
// another statement.
func ParseCreateOrReplace(sql string, mode Mode) (Statement, error) {
	p := NewParser(sql, mode)
	if !p.Accept("CREATE", "OR", "REPLACE") {
		return nil, nil
	}
	s := CreateOrReplace{Temporary: p.Accept("TEMPORARY"), Text: p.SQL}
	s.Create = words("CREATE", when(s.Temporary, "TEMPORARY"), p.Rest())
	kinds := []string{"TABLE", "PROCEDURE", "TRIGGER", "EVENT"}
	if s.Temporary {
		kinds = kinds[:1]
	}
	for _, what := range kinds {
		if !p.Accept(what) {
			continue
		}
		s.What = what
		if p.Accept("IF", "NOT", "EXISTS") {
			return nil, mysqlerr.New(mysqlerr.WrongUsage, "OR REPLACE", "IF NOT EXISTS")
		}
		var err error
		s.Name, err = p.table()
		return s, err
	}
	return nil, nil
}
