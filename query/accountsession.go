package query

import (
	"github.com/duramendb/duramen/query/access"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// checkAccount is asked before every statement of the client.
func (s *Session) checkAccount(text string) error {
	return s.engine.Accounts.CheckStatement(&s.Authority.Identity, text, s.LexMode)
}

// CanRegister is CanReplicate for COM_REGISTER_SLAVE.
func (s *Session) CanRegister() error {
	if s.CanReplicate() != nil {
		return mysqlerr.New(mysqlerr.AccessDenied, s.Info.User, s.Info.Host, access.PasswordWord(s.Session))
	}
	return nil
}

// CanReplicate checks the privilege that a replica's account needs (COM_BINLOG_DUMP).
func (s *Session) CanReplicate() error {
	return s.Require(privilege.ReplicationSlave)
}

// CanDebug checks the privilege for COM_DEBUG.
func (s *Session) CanDebug() error { return s.Require(privilege.Super) }
