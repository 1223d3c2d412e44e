package session

import (
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/sysvar"
)

// QueryEvent is the log record of a statement: its text with the settings of the
// session that it depends on.
func (s *Session) QueryEvent(text string) event.Query {
	if s.Replicated != nil && s.Replicated.Query != nil {
		return s.Replicated.event(s, text)
	}
	mode, _ := s.Vars.Value(VarSQLMode).(string)
	text, client := TextsOf(s).logged(text)
	q := event.Query{
		ThreadID: s.Info.ID,
		Flags2:   event.Flags2ExplicitTimestamp,
		Schema:   s.DB(),
		SQL:      text,
		SQLMode:  sysvar.SQLModeBits(mode),
		Charset: [3]uint16{
			client,
			s.Server.SQL.CollationID(s.Vars.Str("collation_connection")),
			s.Server.SQL.CollationID(s.Vars.Str("collation_server")),
		},
		AutoIncrementIncrement: uint16(s.Vars.Uint("auto_increment_increment")),
		AutoIncrementOffset:    uint16(s.Vars.Uint("auto_increment_offset")),
	}
	// A replica makes this account the definer of views, triggers and routines.
	invoker := s.Authority.Subject().Account
	q.InvokerUser, q.InvokerHost = invoker.User, invoker.Host
	if !s.Vars.On("foreign_key_checks") {
		q.Flags2 |= event.Flags2NoForeignKeyChecks
	}
	if !s.Vars.On("unique_checks") {
		q.Flags2 |= event.Flags2NoUniqueChecks
	}
	if !s.autocommit {
		q.Flags2 |= event.Flags2NotAutocommit
	}
	if !s.Vars.On("check_constraint_checks") {
		q.Flags2 |= event.Flags2NoCheckConstraint
	}
	return q
}
