package native

import (
	"context"
	"strings"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// ofFallback are functions that are known, but ask something of the server which only the fallback does. A statement that has one is its.
var ofFallback = map[string]bool{"NEXTVAL": true, "LASTVAL": true, "SETVAL": true}

// functions answers what functions ask about the session.
type functions struct {
	s   Session
	now *underway
}

// underway is what there is of a statement that runs.
type underway struct {
	ctx context.Context //nolint:containedctx // of the running statement
	// lastInsertID is what LAST_INSERT_ID(value) was given.
	lastInsertID givenID
	// loaded are the user variables that the statement gives the fields of a file.
	loaded []loadedVariable
	text   types.Type // theirs
}

type givenID struct {
	id  uint64
	set bool
}

// UserVariable implements eval.SessionInfo.
func (f functions) UserVariable(name string) (types.Value, types.Type, bool) {
	for i := range f.now.loaded {
		if v := &f.now.loaded[i]; strings.EqualFold(v.name, name) {
			return v.value, f.now.text, true
		}
	}
	return f.s.Rest.UserVariable(name)
}

// SetUserVariable implements eval.SessionInfo.
func (f functions) SetUserVariable(name string, v types.Value, t types.Type) error {
	return f.s.Rest.SetUserVariable(name, v, t)
}

// Info implements eval.SessionInfo.
func (f functions) Info(what string) (types.Value, types.Type) {
	s := f.s
	switch what {
	case "DATABASE", "SCHEMA":
		return text(s.DB())
	case "USER", "SESSION_USER", "SYSTEM_USER":
		return text(s.Info.User + "@" + s.Info.Host)
	case "CURRENT_USER":
		account := s.Authority.Account
		if s.Authority.InBody() {
			account = s.Authority.Subject().Account
		}
		return text(account.User + "@" + account.Host)
	case "CURRENT_ROLE":
		if s.Authority.InBody() {
			return text(s.Authority.Subject().Role)
		}
		return text(s.Authority.Role)
	case "VERSION":
		return text(s.Rest.Version())
	case "CONNECTION_ID":
		id := s.Info.ID
		if r := s.Replicated; r != nil && r.Query != nil {
			id = r.Query.ThreadID
		}
		return types.Value{Int: int64(id)}, types.BigintType(10, false)
	case "LAST_INSERT_ID":
		return types.Value{Int: int64(s.Rest.LastInsertID())}, types.BigintType(21, false)
	case "FOUND_ROWS":
		return types.Value{Int: s.Rest.FoundRows()}, types.BigintType(21, false)
	case "ROW_COUNT":
		return types.Value{Int: s.Rest.RowCount()}, types.BigintType(21, false)
	}
	return types.Value{Null: true}, types.NullType()
}

// text is a text as functions about the server give it; the empty one is NULL.
func text(s string) (types.Value, types.Type) {
	set, _ := charset.SetByName("utf8mb3")
	if s == "" {
		return types.Value{Null: true}, types.NullType()
	}
	return types.Value{Text: []byte(s)}, types.StringType(uint64(len(s)), set.Default(), charset.SysConst, false)
}
