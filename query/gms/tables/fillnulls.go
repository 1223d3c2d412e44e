package tables

import (
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// IsTimestamp reports whether NULL is the present time in a column that cannot be NULL.
func IsTimestamp(t sql.Type) bool {
	_, moment := t.(sql.DatetimeType)
	return moment && t.Type() == sqltypes.Timestamp
}

// Present is the time of the statement as a column of times keeps it.
func Present(ctx *sql.Context, t sql.Type) any {
	now := ctx.QueryTime().In(relation.SessionLocation(ctx))
	unit := time.Second
	if d, ok := t.(sql.DatetimeType); ok {
		for range d.Precision() {
			unit /= 10
		}
	}
	return time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), now.Nanosecond(), time.UTC).Truncate(unit)
}

// FillNulls gives a column that is about to become NOT NULL values in the place of NULL: the present time to a TIMESTAMP, to others their type's zero with a
// warning, which is an error in strict mode.
func (t *alterable) FillNulls(ctx *sql.Context, name string) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	at := cur.v.Schema.Schema.IndexOfColName(name)
	if at < 0 {
		return sql.ErrTableColumnNotFound.New(t.v.Def().Name, name)
	}
	col := cur.v.Schema.Schema[at]
	mode := sql.LoadSqlMode(ctx)
	strict := mode.ModeEnabled("STRICT_TRANS_TABLES") || mode.ModeEnabled("STRICT_ALL_TABLES")
	number, some := 0, false
	err = cur.eachRow(ctx, func(r sql.Row) error {
		number++
		if r[at] != nil {
			return nil
		}
		some = true
		if IsTimestamp(col.Type) {
			return nil
		}
		e := mysqlerr.New(mysqlerr.DataTruncated, col.Name, number)
		if strict {
			return e
		}
		ctx.Warn(int(e.Number), "%s", e.Message)
		return nil
	}, func() error { return nil })
	if err != nil || !some {
		return err
	}
	generate, err := generator(ctx, cur.v.Def())
	if err != nil {
		return err
	}
	return t.rewriteRows(ctx, cur.v.Schema, nil, nil, func(r sql.Row) (sql.Row, error) {
		if r[at] != nil {
			return r, nil
		}
		r = slices.Clone(r)
		switch e, enum := col.Type.(sql.EnumType); {
		case IsTimestamp(col.Type):
			r[at] = Present(ctx, col.Type)
		case enum && types.IsEnum(e):
			r[at] = uint16(0)
		default:
			r[at] = col.Type.Zero()
		}
		return r, generate(ctx, r)
	})
}
