package gms

import (
	"context"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/gms/value"
	"github.com/duramendb/duramen/query/result"
)

// UserVarValue is the value of a user variable as a parameter.
func (s *Session) UserVarValue(ctx context.Context, name string) (result.Value, error) {
	c := s.newContext(ctx, "")
	typ, v, err := s.base.GetUserVariable(c, name)
	if err != nil || v == nil || typ == nil {
		return result.Value{}, err
	}
	out, err := value.NewRow([]value.Source{{Type: typ, Digits: -1}}, sql.CharacterSet_utf8mb4).Value(c, 0, v)
	if err != nil {
		return out, fmt.Errorf("user variable %s: %w", name, err)
	}
	return out, nil
}
