package gms

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/gms/tables"
)

// TemporaryTables are temporary tables that no session has at the moment. The zero value is empty.
type TemporaryTables = tables.TempSet

// ExchangeTemporary gives a session other temporary tables, and yields those that it had. No transaction may be running.
func ExchangeTemporary(s *Session, next TemporaryTables) TemporaryTables {
	return s.tables.Exchange(next)
}

// WorkFor has the server's own session work for an account, which CURRENT_USER and new definitions name.
func WorkFor(s *Session, n accounts.Name) {
	s.Authority.WorkFor(n)
	s.base.SetClient(sql.Client{User: n.User, Address: n.Host, Capabilities: s.Info.Capabilities})
}
