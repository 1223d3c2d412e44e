package date

import (
	"strconv"
	"time"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/temporal"
)

// clocks are functions that say what time it is.
var clocks = []eval.Def{
	now("CURRENT_TIMESTAMP", "current_timestamp", types.Datetime, inZone),
	now("CURRENT_DATE", "curdate", types.Date, inZone),
	now("CURRENT_TIME", "curtime", types.Time, inZone),
	now("UTC_TIMESTAMP", "utc_timestamp", types.Datetime, inUTC),
	now("UTC_DATE", "utc_date", types.Date, inUTC),
	now("UTC_TIME", "utc_time", types.Time, inUTC),
	now("SYSDATE", "sysdate", types.Datetime, func(f *eval.Frame) temporal.Packed {
		return f.Zone.DateTime(temporal.Stamp(time.Now().UnixMicro()))
	}),
}

func inZone(f *eval.Frame) temporal.Packed { return f.Zone.DateTime(f.Now()) }

func inUTC(f *eval.Frame) temporal.Packed { return temporal.UTC.DateTime(f.Now()) }

// now is a function of the current time, whose argument is the number of digits of the fraction.
func now(name, shown string, kind types.Kind, at func(*eval.Frame) temporal.Packed) eval.Def {
	return eval.Def{Name: name, Min: 0, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		fraction := int64(0)
		if len(args) > 0 {
			v, _, ok := b.ConstInt(args[0])
			if !ok || v < 0 || v > temporal.FractionMax {
				return nil, mysqlerr.New(mysqlerr.TooBigPrecision, shown, temporal.FractionMax)
			}
			fraction = v
		}
		x := eval.New(shown, types.TemporalType(kind, int(fraction)), func(f *eval.Frame) (temporal.Packed, bool) {
			v := temporal.Value{Packed: at(f).Truncate(int(fraction)), Kind: temporal.DateTime}
			return v.As(eval.KindOf(kind), 0).Packed, false
		}).With(eval.Session)
		switch name {
		case "SYSDATE":
			x.With(eval.Volatile)
		case "CURRENT_TIMESTAMP":
			x.At(eval.New(shown, types.BigintType(20, false), func(f *eval.Frame) (int64, bool) {
				return int64(f.Now()) - int64(at(f)-at(f).Truncate(int(fraction))), false
			}).With(eval.Session))
		}
		return x.Printed(func(dst []byte) []byte {
			dst = append(append(dst, shown...), '(')
			if fraction > 0 {
				dst = strconv.AppendInt(dst, fraction, 10)
			}
			return append(dst, ')')
		}), nil
	}}
}
