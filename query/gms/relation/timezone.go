package relation

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
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
			loc = time.FixedZone(name, int(offset.Seconds()))
		} else if loc, err = time.LoadLocation(name); err != nil {
			return nil
		}
	}
	if loc == time.UTC || loc.String() == "UTC" {
		return nil
	}
	if _, offset := time.Unix(0, 0).In(loc).Zone(); offset == 0 && loc.String() == name {
		return nil // "+00:00"
	}
	return &Zone{loc}
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

// load turns a moment into the time of day.
func (z *Zone) load(v any) any {
	t, ok := v.(time.Time)
	if !ok || z == nil || t.IsZero() {
		return v
	}
	t = t.In(z.loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
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
