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
