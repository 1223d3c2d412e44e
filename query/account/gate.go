package account

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// CheckStatement is asked before every statement of a client: whether its password must be changed
// first, and whether its account's limits leave one more statement.
func (s *Store) CheckStatement(id *Identity, text string, mode dialect.Mode) error {
	a := s.Set().Find(id.Account)
	limited := a != nil && a.Limits.Queries|a.Limits.Updates != 0
	if !limited && !id.Expired {
		return nil
	}
	word := strings.ToUpper(firstWord(text, mode))
	if id.Expired {
		switch word {
		case "SET", "PREPARE", "EXECUTE", "DEALLOCATE":
		default:
			return mysqlerr.New(mysqlerr.MustChangePassword)
		}
	}
	if limited {
		return s.Use.statement(a, changesData[word])
	}
	return nil
}

// changesData are the first words of statements that count for MAX_UPDATES_PER_HOUR.
var changesData = map[string]bool{
	"INSERT": true, "UPDATE": true, "DELETE": true, "REPLACE": true, "LOAD": true, "CREATE": true, "ALTER": true,
	"DROP": true, "TRUNCATE": true, "RENAME": true, "GRANT": true, "REVOKE": true, "CALL": true, "OPTIMIZE": true, "REPAIR": true,
}

// firstWord is the first word of a statement, "" for none.
func firstWord(text string, mode dialect.Mode) string {
	head := dialect.Scanner{SQL: text, Mode: mode}
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
