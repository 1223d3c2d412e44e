package inspect

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/gtid"
)

// ErrFilter is what every error about a filter wraps.
var ErrFilter = errors.New("wrong filter")

// GTIDRange are the GTIDs of one server, or of all servers of a domain, from
// First to Last, both included.
type GTIDRange struct {
	Domain      uint32
	Server      uint32
	AnyServer   bool
	First, Last uint64
}

// ParseGTIDRanges reads a comma separated list of "domain-server-seq",
// "domain-server-first..last" (either end may be left out), with "*" for any server.
func ParseGTIDRanges(text string) ([]GTIDRange, error) {
	var list []GTIDRange
	for part := range strings.SplitSeq(text, ",") {
		r, err := parseGTIDRange(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

func parseGTIDRange(text string) (GTIDRange, error) {
	wrong := fmt.Errorf("%w: %q is not a GTID like 0-1-42 or a range like 0-1-42..99", ErrFilter, text)
	parts := strings.SplitN(text, "-", 3)
	if len(parts) != 3 {
		return GTIDRange{}, wrong
	}
	r := GTIDRange{Last: math.MaxUint64, AnyServer: parts[1] == "*"}
	first, last, isRange := strings.Cut(parts[2], "..")
	if !isRange {
		last = first
	}
	if !number(&r.Domain, parts[0]) || !r.AnyServer && !number(&r.Server, parts[1]) {
		return GTIDRange{}, wrong
	}
	if (first != "" || !isRange) && !number(&r.First, first) || (last != "" || !isRange) && !number(&r.Last, last) {
		return GTIDRange{}, wrong
	}
	if r.Last < r.First {
		return GTIDRange{}, fmt.Errorf("%w: %q ends before it begins", ErrFilter, text)
	}
	return r, nil
}

// number reads an unsigned decimal number that fits into dst.
func number[T uint32 | uint64](dst *T, text string) bool {
	if text == "" || text[0] == '+' || text[0] == '-' {
		return false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	*dst = T(n)
	return err == nil && uint64(*dst) == n
}

// Contains reports whether g lies in the range.
func (r GTIDRange) Contains(g gtid.GTID) bool {
	return g.Domain == r.Domain && (r.AnyServer || g.Server == r.Server) && g.Seq >= r.First && g.Seq <= r.Last
}

// String is the form that ParseGTIDRanges reads.
func (r GTIDRange) String() string {
	server := strconv.FormatUint(uint64(r.Server), 10)
	if r.AnyServer {
		server = "*"
	}
	text := fmt.Sprintf("%d-%s-%d", r.Domain, server, r.First)
	switch r.Last {
	case r.First:
		return text
	case math.MaxUint64:
		return text + ".."
	}
	return fmt.Sprintf("%s..%d", text, r.Last)
}

// Bound is a --start-position or --stop-position: an offset in a file, or a GTID position.
type Bound struct {
	Set    bool
	Offset uint64
	GTIDs  gtid.Position // nil: Offset counts
}

// ParseBound reads an offset or a GTID position.
func ParseBound(text string) (Bound, error) {
	b := Bound{Set: true}
	if number(&b.Offset, text) {
		return b, nil
	}
	p, err := gtid.ParsePosition(text)
	if err != nil || len(p) == 0 {
		return Bound{}, fmt.Errorf("%w: position %q is neither an offset nor a GTID position", ErrFilter, text)
	}
	b.GTIDs = p
	return b, nil
}

// ParseTime reads "2026-11-21 11:14:50" or "2026-11-21" in local time, or RFC 3339.
func ParseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.DateTime, time.DateOnly, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: time %q is not like %q", ErrFilter, text, time.DateTime)
	}
	return t, nil
}

// TableName is a --table: db.table, or a table of any database.
type TableName struct{ DB, Table string }

// ParseTables reads a comma separated list of [db.]table.
func ParseTables(text string) ([]TableName, error) {
	var list []TableName
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		db, table, qualified := strings.Cut(part, ".")
		if !qualified {
			db, table = "", part
		}
		if table == "" {
			return nil, fmt.Errorf("%w: %q is not a table", ErrFilter, part)
		}
		list = append(list, TableName{db, table})
	}
	return list, nil
}

// Filter chooses what Show shows. The zero value chooses everything.
type Filter struct {
	GTIDs []GTIDRange
	// Start applies to the first file, Stop to the last one. As GTID positions: show what a
	// replica at Start lacks, up to Stop, which is included.
	Start, Stop Bound
	// After and Before bound the time of events: After <= time < Before; zero means no bound.
	After, Before time.Time
	Databases     []string
	Tables        []TableName
}

// groups reports whether whole groups are chosen by their GTID.
func (f *Filter) groups() bool {
	return len(f.GTIDs) > 0 || f.Start.GTIDs != nil || f.Stop.GTIDs != nil
}

// content reports whether events are chosen by what they touch.
func (f *Filter) content() bool { return len(f.Databases) > 0 || len(f.Tables) > 0 }

// wants reports whether the group with this GTID is chosen.
func (f *Filter) wants(g gtid.GTID) bool {
	if len(f.GTIDs) > 0 {
		found := false
		for _, r := range f.GTIDs {
			found = found || r.Contains(g)
		}
		if !found {
			return false
		}
	}
	if start, ok := f.Start.GTIDs[g.Domain]; ok && g.Seq <= start.Seq {
		return false
	}
	if f.Stop.GTIDs != nil {
		stop, ok := f.Stop.GTIDs[g.Domain]
		if !ok || g.Seq > stop.Seq {
			return false
		}
	}
	return true
}

// table reports whether a table is chosen.
func (f *Filter) table(db, table string) bool {
	return f.database(db) && (len(f.Tables) == 0 || f.named(db, func(name string) bool { return strings.EqualFold(name, table) }))
}

func (f *Filter) database(db string) bool {
	for _, d := range f.Databases {
		if strings.EqualFold(d, db) {
			return true
		}
	}
	return len(f.Databases) == 0
}

// named reports whether one of the chosen tables passes.
func (f *Filter) named(db string, is func(table string) bool) bool {
	for _, t := range f.Tables {
		if (t.DB == "" || strings.EqualFold(t.DB, db)) && is(t.Table) {
			return true
		}
	}
	return false
}

// statement reports whether a statement is chosen: by its current database, and by the
// tables that its text names.
func (f *Filter) statement(db, sql string) bool {
	words := map[string]bool{}
	if f.content() {
		for word := range strings.FieldsFuncSeq(sql, func(r rune) bool {
			return r < 0x80 && r != '_' && r != '$' && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		}) {
			words[strings.ToLower(word)] = true
		}
	}
	inDatabase := f.database(db)
	for _, d := range f.Databases {
		inDatabase = inDatabase || words[strings.ToLower(d)]
	}
	if !inDatabase || len(f.Tables) == 0 {
		return inDatabase
	}
	for _, t := range f.Tables {
		if words[strings.ToLower(t.Table)] && (t.DB == "" || strings.EqualFold(t.DB, db) || words[strings.ToLower(t.DB)]) {
			return true
		}
	}
	return false
}

// timely reports whether an event of that time is chosen.
func (f *Filter) timely(unix uint32) bool {
	t := int64(unix)
	return (f.After.IsZero() || t >= f.After.Unix()) && (f.Before.IsZero() || t < f.Before.Unix())
}

// past reports whether the time lies after all that is chosen.
func (f *Filter) past(unix uint32) bool { return !f.Before.IsZero() && int64(unix) >= f.Before.Unix() }
