package relation

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Zone is the session's time zone. A TIMESTAMP is stored as a moment, and read
// and written as the time of day that it is in the session's time zone. The SQL
// engine knows nothing of that: to it a TIMESTAMP is a time of day. nil is UTC,
// where both are the same.
type Zone struct{ loc *time.Location }

// SessionZone finds the zone of the session; nil for UTC.
func SessionZone(ctx *sql.Context) *Zone {
	v, err := ctx.GetSessionVariable(ctx, "time_zone")
	if err != nil {
		return nil
	}
	name, _ := v.(string)
	loc := time.Local
	if !strings.EqualFold(name, "SYSTEM") {
		if offset, err := sql.MySQLOffsetToDuration(name); err == nil {
			if offset == 0 {
				return nil
			}
			loc = time.FixedZone(name, int(offset.Seconds()))
		} else if loc, err = time.LoadLocation(name); err != nil {
			return nil
		}
	}
	if loc == time.UTC || loc.String() == "UTC" {
		return nil
	}
	return &Zone{loc}
}

// Skipped reports whether clocks have skipped a time of day, as they were set forward: there is no such moment.
func (z *Zone) Skipped(v any) bool {
	t, ok := v.(time.Time)
	if !ok || z == nil || t.IsZero() {
		return false
	}
	at, _ := z.Store(v).(time.Time)
	local := at.In(z.loc)
	return local.Hour() != t.Hour() || local.Minute() != t.Minute()
}

// Store turns a time of day, as a UTC time, into the moment; '0000-00-00'
// stays what it is.
func (z *Zone) Store(v any) any {
	t, ok := v.(time.Time)
	if !ok || z == nil || t.IsZero() {
		return v
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), z.loc).UTC()
}

// load turns a moment into the time of day. It refuses one whose time of day is that of another moment, too, as clocks were set back: what is
// compared, or stored again, would be the other one.
func (z *Zone) load(v any) (any, error) {
	t, ok := v.(time.Time)
	if !ok || z == nil || t.IsZero() {
		return v, nil
	}
	local := t.In(z.loc)
	day := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), time.UTC)
	if at, _ := z.Store(day).(time.Time); !at.Equal(t) {
		return nil, mysqlerr.NotYet("a TIMESTAMP in the hour that clocks repeat, in a statement like this; SET time_zone = '+00:00'")
	}
	return day, nil
}

// ZoneOf is the zone to convert TIMESTAMP columns of a table with; nil if it
// has none.
func (v *Version) ZoneOf(ctx *sql.Context) *Zone {
	if !v.hasStamps {
		return nil
	}
	return SessionZone(ctx)
}

// SessionLocation is the session's time zone.
func SessionLocation(ctx *sql.Context) *time.Location {
	if z := SessionZone(ctx); z != nil {
		return z.loc
	}
	return time.UTC
}
