package session

import (
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/sysvar"
)

// MayChange asks what forbids a statement, whatever the account may do: a read-only transaction, a read-only
// server. LOCK TABLES is asked with the tables (confine).
func (s *Session) MayChange(st *statement.Statement) error {
	if st.Kind == statement.Write && s.ReadOnlyTransaction() {
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnlyTransaction)
	}
	return s.CheckReadOnly(st)
}

// CheckReadOnly refuses changes on a server with read_only=1, except for those
// who may override it.
func (s *Session) CheckReadOnly(st *statement.Statement) error {
	if err := refuseMarked(s.Vars, st); err != nil {
		return err
	}
	if st.Kind != statement.Write && (st.Kind != statement.Definition || st.Temporary) || !s.Server.Globals.On("read_only") {
		return nil
	}
	if s.May(privilege.ReadOnlyAdmin) {
		return nil
	}
	return mysqlerr.New(mysqlerr.OptionPreventsStatement, "--read-only")
}

// refuseMarked refuses to change anything under skip_replication: the events would have to say so, for replicas
// that leave them out. The variable itself may be set: a replica does so to have them left out of what it is sent.
func refuseMarked(vars *sysvar.Session, st *statement.Statement) error {
	if st.Kind != statement.Write && st.Kind != statement.Definition || vars.Value(varSkipReplication) == int8(0) {
		return nil
	}
	return mysqlerr.New(mysqlerr.NotSupportedYet, "skip_replication=ON")
}
