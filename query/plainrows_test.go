package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// TestPlainRows: a literal in a row is stored as the same one of a query, with the same warnings and errors, in short texts and in long ones, whose rows
// share memory.
func TestPlainRows(t *testing.T) {
	c := newServer(t).connect()
	c.exec("create database d")
	c.exec("use d")
	literals := []string{
		"0", "1", "-1", "007", "255", "70000", "4294967296", "999999999999999999", "18446744073709551615", "1.5", "1e3", "null", "NULL", "''", "'1'", "' 1 '",
		"'abc'", "'it''s'", `'a\\b'`, "'2024-02-30'", "'2024-02-29 12:00:00'", "20240229", "'täg'", "'日本'", "'a'", "'x  '", "'b,a'", "'0x'", "'[1, 2]'",
		"'" + strings.Repeat("ä", 30) + "'", "'" + strings.Repeat("x", 300) + "'", "true", "n'a'", "_latin1'a'", "'a' 'b'", "x'41'", "default",
	}
	types := []string{
		"int", "tinyint unsigned", "bigint unsigned not null default 3", "decimal(6,2)", "double", "varchar(20)", "char(5) character set latin1",
		"varchar(20) character set ascii", "char(8) character set ucs2", "tinytext", "binary(4)", "varbinary(8)", "blob", "date", "datetime(2)", "timestamp null",
		"time", "year", "enum('a','b')", "set('a','b')", "bit(9)", "inet6", "json", "varchar(10) not null", "timestamp not null default '2020-01-01 00:00:00'",
	}
	shown := func(sql string) string {
		rs, err := c.run(sql)
		out := fmt.Sprint(err)
		if err == nil {
			out += fmt.Sprint(rs[0].ok.AffectedRows)
		}
		out += "\n" + c.query("show warnings")
		return out + c.query("select hex(v), v from t order by id")
	}
	for _, mode := range []string{"strict_trans_tables", "", "strict_all_tables,empty_string_is_null,no_backslash_escapes"} {
		c.exec("set sql_mode='" + mode + "'")
		for _, typ := range types {
			c.exec("create or replace table t (id int primary key auto_increment, v " + typ + ")")
			for _, literal := range literals {
				var answers []string
				for _, rows := range []string{"values (%s)", "values (%s )", "select %s"} {
					if (strings.EqualFold(literal, "null") || literal == "default") && rows == "select %s" {
						continue // the error is another one
					}
					c.exec("delete from t")
					answers = append(answers, shown("insert into t (v) "+fmt.Sprintf(rows, literal)))
				}
				for _, other := range answers[1:] {
					require.Equal(t, answers[0], other, "%s: %s into %s", mode, literal, typ)
				}
			}
		}
	}

	// Rows of long texts.
	c.exec("set sql_mode=''")
	c.exec("create or replace table t (id int primary key auto_increment, a int, v varchar(40), d date)")
	c.exec("create or replace table s like t")
	var rows []string
	for i := range 5000 {
		items := []string{
			fmt.Sprint(i), fmt.Sprintf("'%s%d'", strings.Repeat("ü", i%7), i), "'2024-01-02'",
		}
		switch i % 11 {
		case 3:
			items[0] = "null"
		case 5:
			items[1] = fmt.Sprintf("concat('a', %d)", i)
		case 7:
			items[0], items[1] = fmt.Sprint(-i), fmt.Sprint(i)
		case 9:
			items[2] = "default"
		}
		rows = append(rows, "("+strings.Join(items, ",")+")")
	}
	long := "insert into t (a, v, d) values " + strings.Join(rows, ", ")
	require.Greater(t, len(long), source.LongBytes)
	require.EqualValues(t, 5000, c.exec(long).ok.AffectedRows)
	for i := 0; i < len(rows); i += 100 {
		c.exec("insert into s (a, v, d) values " + strings.Join(rows[i:i+100], ","))
	}
	require.Equal(t, c.query("select a, v, d from s order by id"), c.query("select a, v, d from t order by id"))
	require.Equal(t, "0", c.query("select count(*) from s natural join (select count(*) c from t) x where x.c <> 5000"))

	// What is wrong about a row is found before any is stored, also of those that are bound only then.
	plain := strings.Repeat("(1,'a','2024-01-02'),", 5000)
	require.Greater(t, len(plain), source.LongBytes)
	c.exec("create or replace table t (id int primary key, v varchar(40), d date)")
	for _, tc := range []struct {
		last   string
		number uint16
	}{
		{"(2,'b','2024-01-02')", mysqlerr.DupEntry},
		{"(2,'b')", mysqlerr.WrongValueCountOnRow},
		{"(2,'b','2024-01-02',3)", mysqlerr.WrongValueCountOnRow},
		{"(2,nosuch,'2024-01-02')", mysqlerr.BadField},
		{"(2,'b','2024-01-02'", mysqlerr.Parse},
	} {
		c.fails(tc.number, "insert into t values "+plain+tc.last)
		require.Equal(t, "0", c.query("select count(*) from t"))
	}
}
