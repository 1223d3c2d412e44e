package query

import (
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

var varMaxUserConnections = mustVar("max_user_connections")

// admit counts the session for its account's limits and sets what the account says of its
// sessions. An error means that the limits refuse the login. Sessions of the server itself are not counted.
func (s *Session) admit(client bool) error {
	if !client {
		return nil
	}
	set := s.engine.accountSet()
	a := set.Find(s.privs.account)
	if a == nil {
		return nil
	}
	v, _ := s.engine.globals.Get("max_user_connections")
	global, _ := v.(int64)
	if err := s.engine.users.used.connect(a, global, set.Global(s.subject()).Has(privilege.ConnectionAdmin)); err != nil {
		return err
	}
	s.counted = a.Name
	if a.Limits.UserConnections != 0 {
		s.vars.Store(varMaxUserConnections, a.Limits.UserConnections)
	}
	if a.Limits.StatementTime != 0 {
		s.vars.Store(varMaxExecTime, a.Limits.StatementTime)
	}
	return nil
}

// leave gives the session's place among its account's connections back.
func (s *Session) leave() {
	if s.counted != (accounts.Name{}) {
		s.engine.users.used.disconnect(s.counted)
		s.counted = accounts.Name{}
	}
}

// checkAccount is asked before every statement of the client: whether its password must be changed
// first, and whether its account's limits leave one more statement.
func (s *Session) checkAccount(text string) error {
	a := s.engine.accountSet().Find(s.privs.account)
	limited := a != nil && a.Limits.Queries|a.Limits.Updates != 0
	if !limited && !s.privs.expired {
		return nil
	}
	word := strings.ToUpper(s.firstWord(text))
	if s.privs.expired {
		switch word {
		case "SET", "PREPARE", "EXECUTE", "DEALLOCATE":
		default:
			return mysqlerr.New(mysqlerr.MustChangePassword)
		}
	}
	if limited {
		return s.engine.users.used.statement(a, changesData[word])
	}
	return nil
}

// changesData are the first words of statements that count for MAX_UPDATES_PER_HOUR.
var changesData = map[string]bool{
	"INSERT": true, "UPDATE": true, "DELETE": true, "REPLACE": true, "LOAD": true, "CREATE": true, "ALTER": true,
	"DROP": true, "TRUNCATE": true, "RENAME": true, "GRANT": true, "REVOKE": true, "CALL": true, "OPTIMIZE": true, "REPAIR": true,
}

// firstWord is the first word of a statement, "" for none.
func (s *Session) firstWord(text string) string {
	head := dialect.Scanner{SQL: text, Mode: s.sqlModeLex}
	for {
		t, ok := head.Next()
		if !ok || t.Kind == dialect.Word {
			return t.Text
		}
		if !t.Is("(") {
			return ""
		}
	}
}
