package temporal_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/duramendb/duramen/query/types/temporal"
)

// column is a column that texts, numbers and values are stored into.
type column struct {
	name  string
	kind  temporal.Kind
	fsp   int
	stamp bool
}

var columns = []column{
	{"d", temporal.Date, 0, false}, {"dt0", temporal.DateTime, 0, false}, {"dt3", temporal.DateTime, 3, false}, {"dt6", temporal.DateTime, 6, false},
	{"t0", temporal.Time, 0, false}, {"t4", temporal.Time, 4, false}, {"ts0", temporal.DateTime, 0, true}, {"ts6", temporal.DateTime, 6, true},
}

const createColumns = "CREATE TABLE clear.s (d DATE, dt0 DATETIME, dt3 DATETIME(3), dt6 DATETIME(6), t0 TIME, t4 TIME(4), ts0 TIMESTAMP NULL, ts6 TIMESTAMP(6) NULL, y YEAR)"

// stores are cases of columns that take what is not theirs, without strict mode.
func (as *asks) stores() {
	pool := as.textPool(150)
	anyModes := []string{plainMode, plainMode, zeroMode, roundMode, anyMode, bothModes, strictMode, strictMode}
	for i, text := range pool {
		if i > 330 && i < 590 { // every byte was a separator in other cases
			continue
		}
		for _, c := range columns {
			as.store(pick(as, anyModes), quote(text), c, true, func(m temporal.Mode) temporal.Result {
				return m.Parse([]byte(text), temporal.ContextOfColumn(c.kind))
			})
		}
	}
	for _, n := range integers {
		for _, suffix := range []string{"", ".5", ".9999995", ".25e0"} {
			for _, c := range columns {
				as.store(pick(as, anyModes), n+suffix, c, false, func(m temporal.Mode) temporal.Result {
					number, _ := numberOf(n + suffix)
					return m.Number(number, temporal.ContextOfColumn(c.kind))
				})
			}
		}
	}
	as.years()
	_, _, all := as.literals()
	for _, l := range all {
		for _, c := range columns {
			as.store(pick(as, []string{plainMode, roundMode, strictMode}), l.sql, c, false, func(temporal.Mode) temporal.Result {
				return temporal.Result{Value: l.v}
			})
		}
	}
}

// shownValue is how an error shows what a column was given.
func shownValue(expr string) string {
	switch {
	case strings.HasPrefix(expr, "x'"):
		b, _ := hex.DecodeString(strings.Trim(expr, "x'"))
		return escape(string(b))
	case expr[0] == '\'':
		return escape(strings.NewReplacer("''", "'", `\\`, `\`).Replace(expr[1 : len(expr)-1]))
	case strings.HasSuffix(expr, "'"): // a typed literal
		_, text, _ := strings.Cut(expr, "'")
		return strings.TrimSuffix(text, "'")
	}
	_, shown := numberOf(expr)
	return shown
}

// years are cases of a YEAR column.
func (as *asks) years() {
	for n := int64(-2); n < 2300; n++ {
		if n > 120 && n < 1890 && n%50 != 0 {
			continue
		}
		for _, text := range []bool{false, true} {
			expr := fmt.Sprint(n)
			short := text && len(expr) <= 2
			if text {
				expr = quote(expr)
			}
			as.addAsk(ask{mode: plainMode, sql: expr + " INTO y", expr: expr, column: "y", eval: func(e *session) string {
				year, ok := temporal.YearOf(n, short)
				if !ok {
					e.warnf('W', temporal.CodeOutOfRange, "Out of range value for column 'y' at row 1")
				}
				if back := temporal.YearOfByte(temporal.YearByte(year)); back != year {
					return fmt.Sprintf("%d comes back as %d", year, back)
				}
				return fmt.Sprintf("%04d", year)
			}})
		}
	}
}

// store adds a case: the column's value, and the warnings.
func (as *asks) store(mode, expr string, c column, text bool, read func(m temporal.Mode) temporal.Result) {
	as.addAsk(ask{mode: mode, sql: expr + " INTO " + c.name, expr: expr, column: c.name, eval: func(e *session) string {
		var cond temporal.Cond
		var r temporal.Result
		var out []byte
		if c.stamp {
			m := e.StampMode()
			r = read(m)
			var s temporal.Stamp
			s, cond, _ = m.StoreStamp(r, c.fsp, today, temporal.UTC)
			out = temporal.AppendDateTime(nil, temporal.UTC.DateTime(s), c.fsp)
		} else {
			r = read(e.ForColumn(c.kind, text))
			var v temporal.Packed
			v, cond = e.Store(r, c.kind, c.fsp, today)
			out = temporal.Value{Packed: v, Kind: c.kind}.Append(nil, c.fsp)
		}
		e.noNextHour(r)
		if mode == strictMode && cond&(temporal.Truncated|temporal.OutOfRange) != 0 {
			e.warnings = nil
			return fmt.Sprintf("Error 1292 (22007): Incorrect %s value: '%s' for column `clear`.`s`.`%s` at row 1", c.kind.Word(), shownValue(expr), c.name)
		}
		if cond&temporal.NoteTruncated != 0 {
			e.warnf('N', temporal.CodeTruncated, "Data truncated for column '%s' at row 1", c.name)
		}
		if cond&temporal.Truncated != 0 {
			e.warnf('W', temporal.CodeTruncated, "Data truncated for column '%s' at row 1", c.name)
		}
		if cond&temporal.OutOfRange != 0 {
			e.warnf('W', temporal.CodeOutOfRange, "Out of range value for column '%s' at row 1", c.name)
		}
		return string(out)
	}})
}

// zoned adds a case of a TIMESTAMP column in a session's time zone.
func (as *asks) zoned(zone, s string, c column) {
	as.addAsk(ask{mode: plainMode, sql: quote(s) + " IN " + zone + " INTO " + c.name, expr: quote(s), column: c.name, zone: zone, eval: func(e *session) string {
		z, err := temporal.ParseZone(zone)
		if err != nil {
			return err.Error()
		}
		m := e.StampMode()
		stamp, cond, gap := m.StoreStamp(m.Parse([]byte(s), temporal.InColumn), c.fsp, today, z)
		if gap {
			e.warnf('W', temporal.CodeSkippedTime, "Invalid TIMESTAMP value in column '%s' at row 1", c.name)
		}
		if cond == temporal.OutOfRange {
			e.warnf('W', temporal.CodeOutOfRange, "Out of range value for column '%s' at row 1", c.name)
		}
		return string(temporal.AppendDateTime(nil, z.DateTime(stamp), c.fsp))
	}})
}

// store asks what a column makes of an expression.
func (s *server) store(t *testing.T, a *ask) string {
	t.Helper()
	s.setMode(t, a.mode)
	if a.zone != "" {
		s.exec(t, "SET time_zone='"+a.zone+"'")
		defer s.exec(t, "SET time_zone='+00:00'")
	}
	s.exec(t, "DELETE FROM clear.s")
	if _, err := s.conn.ExecContext(context.Background(), fmt.Sprintf("INSERT INTO clear.s (%s) VALUES (%s)", a.column, a.expr)); err != nil {
		return err.Error() + "\t"
	}
	warnings := s.warnings(t)
	var v []byte
	if err := s.conn.QueryRowContext(context.Background(), "SELECT CONCAT("+a.column+") FROM clear.s").Scan(&v); err != nil {
		t.Fatal(err)
	}
	return string(v) + "\t" + warnings
}
