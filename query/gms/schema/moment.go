package schema

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/temporal"
)

// moment is the literal default of a TIMESTAMP: a moment, which is another time of day in each time zone.
type moment struct {
	at     temporal.Stamp
	digits int
	typ    sql.Type
}

var _ sql.Expression = (*moment)(nil)

func isMoment(x sql.Expression) bool {
	_, ok := x.(*moment)
	return ok
}

// momentOf is the default of a column that has a moment.
func momentOf(c *catalog.ColumnDef, typ sql.Type) (*sql.ColumnDefaultValue, error) {
	m := &moment{at: temporal.Stamp(c.DefaultMoment), digits: int(c.Meta), typ: typ}
	return sql.NewColumnDefaultValue(m, typ, true, false, false)
}

// keepMoment gives a TIMESTAMP's literal default its moment. One that was stored without stays so while its text does.
func keepMoment(ctx *sql.Context, def, old *catalog.ColumnDef, col *sql.Column) error {
	if def.Type != mysql.MYSQL_TYPE_TIMESTAMP2 || !def.HasDefault || !def.DefaultLiteral {
		return nil
	}
	if old != nil && old.Type == def.Type && old.HasDefault && old.DefaultMoment == 0 && old.Default == def.Default {
		return nil
	}
	at := temporal.Stamp(0)
	if m, ok := col.Default.Expr.(*moment); ok {
		at = m.at
	} else {
		zone, err := sessionZone(ctx)
		if err != nil {
			return err
		}
		var gap bool
		if at, gap = readMoment(def.Default, int(def.Meta), zone); gap {
			return mysqlerr.New(mysqlerr.InvalidDefault, def.Name)
		}
		if at == 0 {
			return nil
		}
	}
	def.DefaultMoment, def.Default = int64(at), quoteMoment(at, int(def.Meta), temporal.UTC)
	return nil
}

// readMoment is what a TIMESTAMP column keeps of a literal: a text, or a number. It is 0 for what is no moment, NULL among it; gap says that clocks skip
// that time.
func readMoment(text string, digits int, zone *temporal.Zone) (at temporal.Stamp, gap bool) {
	mode := temporal.Mode{}.StampMode()
	context := temporal.ContextOfColumn(temporal.DateTime)
	var r temporal.Result
	if len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' {
		r = mode.Parse([]byte(text[1:len(text)-1]), context)
	} else if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		r = mode.Number(temporal.IntNumber(n), context)
	} else {
		return 0, false
	}
	at, cond, gap := mode.StoreStamp(r, digits, 0, zone)
	if cond&(temporal.Truncated|temporal.OutOfRange) != 0 {
		at = 0
	}
	return at, gap
}

func quoteMoment(at temporal.Stamp, digits int, zone *temporal.Zone) string {
	shown := temporal.Value{Packed: zone.DateTime(at), Kind: temporal.DateTime}
	return "'" + string(shown.Append(nil, digits)) + "'"
}

// lastZone is the zone that was asked for last: finding one may read files, and all rows of a statement ask for the same.
var lastZone atomic.Pointer[temporal.Zone]

func sessionZone(ctx *sql.Context) (*temporal.Zone, error) {
	v, err := ctx.GetSessionVariable(ctx, "time_zone")
	if err != nil {
		return nil, err
	}
	name, _ := v.(string)
	if z := lastZone.Load(); z != nil && z.String() == name {
		return z, nil
	}
	z, err := temporal.ParseZone(name)
	if err == nil {
		lastZone.Store(z)
	}
	return z, err
}

func (m *moment) Eval(ctx *sql.Context, _ sql.Row) (any, error) {
	zone, err := sessionZone(ctx)
	if err != nil {
		return nil, err
	}
	text := strings.Trim(quoteMoment(m.at, m.digits, zone), "'")
	v, _, err := m.typ.Convert(ctx, text)
	return v, err
}

func (m *moment) String() string { return quoteMoment(m.at, m.digits, temporal.UTC) }

func (*moment) Resolved() bool               { return true }
func (m *moment) Type(*sql.Context) sql.Type { return m.typ }
func (*moment) IsNullable(*sql.Context) bool { return false }
func (*moment) Children() []sql.Expression   { return nil }
func (m *moment) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) > 0 {
		return nil, fmt.Errorf("schema: a moment has no operands: %d", len(children))
	}
	return m, nil
}
