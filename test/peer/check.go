package peer

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// RequireSound runs CHECK TABLE, which compares each secondary index with its
// table.
func RequireSound(t testing.TB, db *sql.DB, table string) {
	t.Helper()
	schema, name, _ := strings.Cut(table, ".")
	lines := MustRows(t, db, fmt.Sprintf("CHECK TABLE `%s`.`%s`", schema, name))
	if len(lines) != 1 || !strings.HasSuffix(lines[0], `"status" "OK"`) {
		t.Errorf("CHECK TABLE %s: %s", table, strings.Join(lines, "; "))
	}
}
