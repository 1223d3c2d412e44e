package admin

import (
	"context"
	"strconv"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

// usingValues are the values of EXECUTE ... USING.
func (s Session) usingValues(ctx context.Context, using []dialect.Operand) ([]result.Value, error) {
	var out []result.Value
	for _, o := range using {
		var v result.Value
		switch o.Kind {
		case dialect.StringOperand:
			if o.Text != "" || !s.Vars.Mode("EMPTY_STRING_IS_NULL") {
				v = result.Text([]byte(o.Text))
			}
		case dialect.NumberOperand:
			v = numberOf(o.Text)
		case dialect.VariableOperand:
			var err error
			if v, err = s.SQL.UserVarValue(ctx, o.Text); err != nil {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// numberOf is a number that is written with digits only.
func numberOf(digits string) result.Value {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return result.Signed(n)
	}
	if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return result.Unsigned(n)
	}
	return result.Decimal([]byte(digits))
}
