package dialect

// ShowCreateTable is SHOW CREATE TABLE.
type ShowCreateTable struct{ Table TableName }

func (s ShowCreateTable) String() string { return "SHOW CREATE TABLE " + s.Table.text() }

// ShowCreateView is SHOW CREATE VIEW.
type ShowCreateView struct{ View TableName }

func (s ShowCreateView) String() string { return "SHOW CREATE VIEW " + s.View.text() }

// ShowCreateTrigger is SHOW CREATE TRIGGER.
type ShowCreateTrigger struct{ Trigger TableName }

func (s ShowCreateTrigger) String() string { return "SHOW CREATE TRIGGER " + s.Trigger.text() }

// ShowCreateProcedure is SHOW CREATE PROCEDURE.
type ShowCreateProcedure struct{ Procedure TableName }

func (s ShowCreateProcedure) String() string { return "SHOW CREATE PROCEDURE " + s.Procedure.text() }

// ShowCreateEvent is SHOW CREATE EVENT.
type ShowCreateEvent struct{ Event TableName }

func (s ShowCreateEvent) String() string { return "SHOW CREATE EVENT " + s.Event.text() }

// ShowCreateDatabase is SHOW CREATE DATABASE.
type ShowCreateDatabase struct {
	IfNotExists bool
	DB          string
}

func (s ShowCreateDatabase) String() string {
	return words("SHOW CREATE DATABASE", when(s.IfNotExists, "IF NOT EXISTS"), QuoteName(s.DB))
}

// parseShowCreate is SHOW CREATE {TABLE | VIEW | TRIGGER | PROCEDURE | EVENT} name, or SHOW CREATE DATABASE [IF NOT EXISTS] name. SHOW CREATE
// of other objects is not ours.
func parseShowCreate(p *Parser) (Statement, error) {
	var value func(TableName) Statement
	switch {
	case p.Accept("TABLE"):
		value = func(n TableName) Statement { return ShowCreateTable{n} }
	case p.Accept("VIEW"):
		value = func(n TableName) Statement { return ShowCreateView{n} }
	case p.Accept("TRIGGER"):
		value = func(n TableName) Statement { return ShowCreateTrigger{n} }
	case p.Accept("PROCEDURE"):
		value = func(n TableName) Statement { return ShowCreateProcedure{n} }
	case p.Accept("EVENT"):
		value = func(n TableName) Statement { return ShowCreateEvent{n} }
	case p.AcceptAny("DATABASE", "SCHEMA"):
		s := ShowCreateDatabase{IfNotExists: p.Accept("IF", "NOT", "EXISTS")}
		var err error
		s.DB, err = p.lastName()
		return s, err
	case p.End():
		return nil, p.Syntax()
	default:
		return nil, nil
	}
	name, err := p.table()
	if err != nil {
		return nil, err
	}
	return p.only(value(name))
}
