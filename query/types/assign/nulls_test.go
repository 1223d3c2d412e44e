package assign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
)

// nullStatements store NULL in a NOT NULL column. The rules do not depend on its type.
var nullStatements = []struct {
	sql    string
	update bool
	many   bool
	ignore bool
}{
	{sql: "INSERT INTO %s (c) VALUES (NULL)"},
	{sql: "INSERT IGNORE INTO %s (c) VALUES (NULL)", ignore: true},
	{sql: "INSERT INTO %s (c) VALUES (NULL),(NULL)", many: true},
	{sql: "INSERT IGNORE INTO %s (c) VALUES (NULL),(NULL)", many: true, ignore: true},
	{sql: "INSERT INTO %s (c) SELECT NULL", many: true},
	{sql: "UPDATE %s SET c=NULL", update: true},
	{sql: "UPDATE IGNORE %s SET c=NULL", update: true, ignore: true},
}

// What NULL becomes in a NOT NULL column of every type, by statement and mode.
func TestNulls(t *testing.T) {
	if *addr == "" && testing.Short() {
		t.Skip("starts a MariaDB")
	}
	s := dial(t)
	d := differences{t: t}
	for _, mode := range []string{"", "STRICT_TRANS_TABLES", "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE", "NO_ZERO_DATE"} {
		s.exec("SET sql_mode='" + mode + "'")
		for i, c := range columns() {
			table := fmt.Sprintf("n%d", i)
			for _, st := range nullStatements {
				s.exec("DELETE FROM " + table)
				if st.update {
					s.exec("SET sql_mode=''")
					s.exec(fmt.Sprintf("INSERT IGNORE INTO %s (c) VALUES (NULL)", table))
					s.exec("SET sql_mode='" + mode + "'")
				}
				theirs := s.run(fmt.Sprintf(st.sql, table))
				value := "none"
				if !strings.HasPrefix(theirs, "E") {
					value, theirs = s.run(fmt.Sprintf("SELECT %s FROM %s LIMIT 1", c.shownBy(), table)), strings.TrimPrefix(theirs, "NULL")
				}
				rows := 1
				if st.many && strings.Contains(st.sql, "),(") {
					rows = 2
				}
				ours, conditions := nulls(t, &c, table, mode, st.ignore, !st.update && !st.many && !st.ignore, rows)
				d.compare("{"+mode+"} "+fmt.Sprintf(st.sql, c.def), value+theirs, ours+conditions)
			}
		}
	}
	d.report()
}

// nulls stores NULL in some rows.
func nulls(t *testing.T, c *column, table, mode string, ignore, fails bool, rows int) (value, conditions string) {
	t.Helper()
	m := types.Mode(0)
	for name := range strings.SplitSeq(mode, ",") {
		m |= types.ModeNamed(name)
	}
	diag := &types.Diagnostics{Most: 64}
	if m.Strict() && !ignore {
		diag.Strict = func(uint16) bool { return true }
	}
	a, err := assign.New(m, c.named(table, true), assign.Source{Type: types.NullType()})
	require.NoError(t, err)
	ctx := &assign.Context{Diag: diag, Zone: temporal.UTC, Now: started * 1_000_000, NullFails: fails}
	value = "none"
	for range rows {
		ctx.Row++
		if v, ok := a.Assign(ctx, types.Value{Null: true}); ok {
			value = c.show(v, temporal.UTC)
		} else {
			value = "none"
		}
	}
	return value, said(diag, "")
}
