package expressions

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// session is one without a server: it has user variables, and knows nothing else.
type session struct {
	variables map[string]variable
}

type variable struct {
	value types.Value
	kind  types.Type
}

// UserVariable implements eval.SessionInfo.
func (s *session) UserVariable(name string) (types.Value, types.Type, bool) {
	v, ok := s.variables[name]
	return v.value, v.kind, ok
}

// SetUserVariable implements eval.SessionInfo.
func (s *session) SetUserVariable(name string, v types.Value, t types.Type) error {
	if s.variables == nil {
		s.variables = map[string]variable{}
	}
	s.variables[name] = variable{v, t}
	return nil
}

// Info implements eval.SessionInfo.
func (s *session) Info(string) (types.Value, types.Type) {
	return types.Value{Null: true}, types.NullType()
}

// Do implements eval.SessionInfo.
func (s *session) Do(_ *eval.Frame, what string, args []types.Value) (types.Value, error) {
	if what == "LAST_INSERT_ID" {
		return args[0], nil
	}
	return types.Value{}, mysqlerr.NotYet(what)
}
