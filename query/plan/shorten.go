package plan

import (
	"math"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Shortened is the moment of a TIMESTAMP x as it is kept in a TIMESTAMP column with fewer digits: its value in microseconds. The last moment there is does
// not become the next one by rounding; what is cut to the moment 0 is none.
func Shortened(mode types.Mode, x *eval.Expr, to *assign.Column) (*eval.Expr, error) {
	m := x.Instant()
	moment := eval.Of[int64](m)
	unit := int64(math.Pow10(temporal.FractionMax - int(to.Decimals)))
	half := int64(0)
	if mode.Temporal().RoundFraction {
		half = unit / 2
	}
	zero, err := forbiddenZero(mode, x, to)
	if err != nil {
		return nil, err
	}
	return eval.New(m.Name, m.Type, func(f *eval.Frame) (int64, bool) {
		v, null := moment(f)
		switch {
		case null && !to.Nullable:
			v = int64(f.Now())
			return v - v%unit, false
		case null:
			return 0, true
		case v == 0:
			if zero != nil {
				zero.Assign(&assign.Context{Diag: f.Diag, Zone: f.Zone, Row: f.Row}, types.Value{})
			}
			return 0, false
		}
		v += half
		if v -= v % unit; v > int64(temporal.StampMax) {
			f.Diag.Warn(mysqlerr.WarnDataOutOfRange, to.Name, f.Row)
			v = int64(temporal.StampMax) - int64(temporal.StampMax)%unit
		}
		if v == 0 {
			if f.Diag.Strict != nil && f.Diag.Strict(mysqlerr.TruncatedWrongValue) {
				f.Diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect datetime value: '1970-01-01 00:00:00 +00:00' for column `%s`.`%s`.`%s` at row %d",
					to.Database, to.Table, to.Name, f.Row)
			} else {
				f.Diag.Warn(mysqlerr.WarnDataOutOfRange, to.Name, f.Row)
			}
		}
		return v, false
	}, x), nil
}

// forbiddenZero is what becomes of a zero TIMESTAMP x; nil if that is nothing special.
func forbiddenZero(mode types.Mode, x *eval.Expr, to *assign.Column) (*assign.Assigner, error) {
	if mode&types.NoZeroDate == 0 {
		return nil, nil //nolint:nilnil // see above
	}
	return assign.New(mode, to, assign.Source{Type: x.Type, Column: true})
}

// moment is the value of a TIMESTAMP, or of NOW(), that becomes that of a TIMESTAMP column, without the way over the local time, which may be that of another
// moment, too; nil for all else.
func (c *compiler) moment(at int, x *eval.Expr) (*eval.Expr, error) {
	to, m := target(c.scope.src, at), x.Instant()
	if to.Kind != types.Timestamp || m == nil {
		return nil, nil //nolint:nilnil // see above
	}
	if x.Type.Decimals <= to.Decimals && (to.Nullable || !x.Type.Nullable) {
		return m, nil
	}
	return Shortened(c.b.Env.Mode, x, to)
}

// zero is what becomes of a zero TIMESTAMP whose moment is all that the column is given; nil if that is nothing special.
func (c *compiler) zero(at int, x *eval.Expr) (*assign.Assigner, error) {
	to := target(c.scope.src, at)
	if x.Type.Decimals > to.Decimals || !to.Nullable && x.Type.Nullable { // see Shortened
		return nil, nil //nolint:nilnil // see above
	}
	return forbiddenZero(c.b.Env.Mode, x, to)
}

// target is a column to assign to.
func target(src *Source, at int) *assign.Column {
	t := src.Table
	col := &t.Columns[at]
	return &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
}
