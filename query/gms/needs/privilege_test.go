package needs

import (
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"create temporary table d.tmp (a int)", "CREATE TEMPORARY TABLES on d.*"},
		{"create temporary table d.tmp select * from d.t", "CREATE TEMPORARY TABLES on d.*; SELECT on d.t"},
		{"create table d.n like d.t", "CREATE on d.n; SELECT on d.t"},
		{"create table d.n (a int references d.p (id), foreign key (a) references p (id))", "CREATE on d.n; REFERENCES on d.p"},
		{"alter table d.t add index i (a), drop column b", "ALTER on d.t"},
		{"create index i on d.t (a)", "INDEX on d.t"},
		{"drop temporary table d.t", "nothing"},
		{"with c as (select * from d.t) select * from c join c as x", "SELECT on d.t"},
		{"with recursive c as (select 1 union all select n + 1 from c) select * from c", "nothing"},
		{"select * from (select * from d.t) as x, lateral (select * from d.o) as y", "SELECT on d.t; SELECT on d.o"},
		{"select 1 into outfile '/x'", "FILE on *.*"},
		{"select a from d.t into dumpfile '/x'", "FILE on *.*; SELECT on d.t"},
		{"insert into d.t (a) values ((select max(a) from d.o)) on duplicate key update a = (select 1 from d.p)", "INSERT, UPDATE on d.t; SELECT on d.o; SELECT on d.p"},
		{"replace into d.t values (1)", "INSERT, DELETE on d.t"},
		{"update d.t as x set x.a = 1 where exists (select 1 from d.o where o.a = x.a)", "UPDATE on d.t; SELECT on d.o"},
		{"delete x from d.t as x join d.o", "SELECT on d.t; SELECT on d.o; DELETE on d.t"},
		{"load data infile 'x' into table d.t", "FILE on *.*; INSERT on d.t"},
		{"load data local infile 'x' into table d.t", "INSERT on d.t"},
		{"set @x = (select 1 from d.t), global max_connections = 1, binlog_row_image = 'minimal'",
			"SELECT on d.t; any of SUPER, CONNECTION ADMIN on *.*; any of SUPER, BINLOG ADMIN on *.*"},
		{"set @@global.read_only = 1, @@session.sql_log_bin = 0", "any of READ_ONLY ADMIN on *.*; any of SUPER, BINLOG ADMIN on *.*"},
		{"grant select, insert on d.t to x", "SELECT, INSERT, GRANT on d.t"},
		{"show tables from d where 1 = (select 1 from e.t)", "anything on d.*; SELECT on e.t"},
		{"call d.p((select 1 from d.t))", "EXECUTE on PROCEDURE d.p; SELECT on d.t"},
		{"explain select * from d.t", "SELECT on d.t"},
		{"select * from json_table((select j from d.t), '$' columns (a int path '$')) as x", "SELECT on d.t"},
	} {
		ast, err := sqlparser.Parse(c.sql)
		require.NoError(t, err, c.sql)
		n, ok := Of(ast, c.sql)
		require.True(t, ok, c.sql)
		require.Equal(t, c.want, n.String(), c.sql)
	}
}

func TestTooDeep(t *testing.T) {
	e := sqlparser.Expr(sqlparser.NewIntVal([]byte("1")))
	for range 2_000_000 {
		e = &sqlparser.NotExpr{Expr: e}
	}
	_, ok := Of(&sqlparser.Select{SelectExprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: e}}}, "")
	require.False(t, ok)
}

func BenchmarkOfInsert(b *testing.B) {
	sql := "insert into t (a, b, c) values (1, 'x', 3.5)" + strings.Repeat(", (2, 'yyy', -1)", 1000)
	ast, err := sqlparser.Parse(sql)
	require.NoError(b, err)
	for b.Loop() {
		Of(ast, sql)
	}
}
