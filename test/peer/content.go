package peer

import (
	"context"
	"database/sql"
	"fmt"
	"sort"
	"strings"
	"testing"
)

// SystemDatabases are those that two servers need not have in common.
var SystemDatabases = map[string]bool{
	"information_schema": true, "performance_schema": true, "mysql": true, "sys": true,
}

// Exec runs statements one after the other and fails the test on an error.
func Exec(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, q := range statements {
		if _, err := db.ExecContext(context.Background(), q); err != nil {
			t.Fatalf("%s: %v", abbreviate(q), err)
		}
	}
}

func abbreviate(q string) string {
	if len(q) > 300 {
		return q[:300] + "..."
	}
	return q
}

// Rows runs a query and gives each row as one line; values are quoted, NULL is
// a bare word.
func Rows(db *sql.DB, query string, args ...any) ([]string, error) {
	rows, err := db.Query(query, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", abbreviate(query), err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	cells := make([]sql.RawBytes, len(cols))
	dest := make([]any, len(cols))
	for i := range cells {
		dest[i] = &cells[i]
	}
	var lines []string
	var line strings.Builder
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		line.Reset()
		for i, c := range cells {
			if i > 0 {
				line.WriteByte(' ')
			}
			if c == nil {
				line.WriteString("NULL")
			} else {
				fmt.Fprintf(&line, "%q", []byte(c))
			}
		}
		lines = append(lines, line.String())
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", abbreviate(query), err)
	}
	return lines, nil
}

// MustRows is Rows for a test.
func MustRows(t testing.TB, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	lines, err := Rows(db, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// Tables lists "database.table" of all user tables (not views).
func Tables(t testing.TB, db *sql.DB) []string {
	t.Helper()
	var names []string
	for _, q := range MustRows(t, db, "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type='BASE TABLE'") {
		var schema, table string
		if _, err := fmt.Sscanf(q, "%q %q", &schema, &table); err != nil {
			t.Fatalf("table name %s: %v", q, err)
		}
		if !SystemDatabases[strings.ToLower(schema)] {
			names = append(names, schema+"."+table)
		}
	}
	sort.Strings(names)
	return names
}

// Dump gives all rows of a table, ordered, as text. Ordering happens here, so
// that a table needs no key and collations need not agree.
func Dump(t testing.TB, db *sql.DB, table string) []string {
	t.Helper()
	schema, name, _ := strings.Cut(table, ".")
	lines := MustRows(t, db, fmt.Sprintf("SELECT * FROM `%s`.`%s`", schema, name))
	sort.Strings(lines)
	return lines
}

// RequireEqualContent compares every user table of two servers row by row.
func RequireEqualContent(t testing.TB, want, got *sql.DB) {
	t.Helper()
	tables := Tables(t, want)
	if other := Tables(t, got); strings.Join(tables, "\n") != strings.Join(other, "\n") {
		t.Fatalf("different tables:\n%s\nagainst\n%s", strings.Join(tables, " "), strings.Join(other, " "))
	}
	total := 0
	for _, table := range tables {
		a, b := Dump(t, want, table), Dump(t, got, table)
		total += len(a)
		if diff := firstDifference(a, b); diff != "" {
			t.Errorf("table %s: %s", table, diff)
		}
	}
	if !t.Failed() {
		t.Logf("%d tables with %d rows are equal row by row", len(tables), total)
	}
}

func firstDifference(a, b []string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("%d against %d rows; additional: %s", len(a), len(b), abbreviate(b[i]))
		case i >= len(b):
			return fmt.Sprintf("%d against %d rows; missing: %s", len(a), len(b), abbreviate(a[i]))
		case a[i] != b[i]:
			return fmt.Sprintf("%d against %d rows; first difference:\n%s\n%s", len(a), len(b), abbreviate(a[i]), abbreviate(b[i]))
		}
	}
	return ""
}
