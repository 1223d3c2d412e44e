package statement_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

func read(t *testing.T, sql string) (tree.Statement, *facts.Facts) {
	t.Helper()
	text := source.New(sql, dialect.Mode{}, nil)
	f, err := text.Facts()
	require.NoError(t, err, sql)
	s, _, err := text.Statement()
	require.NoError(t, err, sql)
	return s, f
}

var (
	kindNames     = []string{"read", "session", "write", "definition", "control", "call"}
	strengthNames = []string{"snapshot", "latest", "shared", "exclusive"}
	waitNames     = []string{"", " nowait", " skip"}
)

func uses(all []statement.Use) string {
	var out []string
	for _, u := range all {
		name := u.Name
		if u.DB != "" {
			name = u.DB + "." + name
		}
		out = append(out, name+" "+strengthNames[u.Strength]+waitNames[u.Wait])
	}
	return strings.Join(out, ", ")
}

// TestOf: what sessions are told of statements.
func TestOf(t *testing.T) {
	for sql, want := range map[string]string{
		"select 1":                                                                "read result: ",
		"select * from a, d.b":                                                    "read result: a snapshot, d.b snapshot",
		"select * from a for update":                                              "read locking exclusive result: a exclusive",
		"select * from a lock in share mode nowait":                               "read locking shared result: a shared nowait",
		"select * from a for update skip locked":                                  "read locking exclusive result: a exclusive skip",
		"select * from a for update wait 7":                                       "read locking exclusive wait 7 result: a exclusive",
		"select * from a for update wait 18446744073709551615":                    "read locking exclusive wait 9223372036854775807 result: a exclusive",
		"select * from a union select * from b for update":                        "read locking exclusive result: a snapshot, b exclusive",
		"(select * from a for update) union select * from b":                      "read locking exclusive result: a exclusive, b snapshot",
		"with c as (select * from a) select * from c for update":                  "read result: a snapshot",
		"with c as (select * from a) select 1 union select 2":                     "read result: a snapshot",
		"select * from a where x in (select x from a for update)":                 "read locking exclusive result: a exclusive",
		"select * from a where x in (select x from A for update)":                 "read locking exclusive result: a snapshot, A exclusive",
		"select x into @x from a":                                                 "read: a snapshot",
		"insert into a values ((select max(x) from b)), ((select max(x) from b))": "write locking shared: a exclusive, b latest",
		"insert into a select * from b returning (select 1 from c)":               "write locking shared result: a exclusive, b latest, c latest",
		"insert into a values (1) on duplicate key update x = (select 1 from c)":  "write locking shared: a exclusive, c latest",
		"update a join b on a.x = b.x set a.x = 1":                                "write locking shared: a exclusive, b latest",
		"delete from a returning (select 1 from c)":                               "write locking shared result: a exclusive, c latest",
		"load data infile 'f' into table a":                                       "write locking shared: a exclusive",
		"create table a like b":                                                   "definition: a exclusive, b shared",
		"create temporary table a as select * from b":                             "definition temporary: a exclusive, b latest",
		"create view v as select * from a":                                        "definition: v exclusive",
		"drop temporary table a":                                                  "definition temporary: a exclusive",
		"rename table a to b":                                                     "definition: a exclusive, b exclusive",
		"create procedure p() select * from a":                                    "definition: ",
		"create trigger r before insert on a for each row set @x = 1":             "definition: a exclusive",
		"call p((select 1 from a))":                                               "call: a snapshot",
		"execute s":                                                               "call: ",
		"prepare s from 'select 1'":                                               "session: ",
		"set @a = 1":                                                              "session: ",
		"set @a = (select 1 from a)":                                              "read: a snapshot",
		"use d":                                                                   "session: ",
		"commit":                                                                  "control: ",
		"lock tables a read":                                                      "control: ",
		"explain select * from a":                                                 "read result: a snapshot",
		"analyze table a":                                                         "read result: ",
		"show tables":                                                             "read result: ",
	} {
		st := statement.Of(read(t, sql))
		got := kindNames[st.Kind]
		if st.Temporary {
			got += " temporary"
		}
		if st.Locking {
			got += " locking " + strengthNames[st.Other]
		}
		if st.WaitSeconds >= 0 {
			got += fmt.Sprintf(" wait %d", st.WaitSeconds)
		}
		if st.Result {
			got += " result"
		}
		require.Equal(t, want, got+": "+uses(st.Tables), sql)
	}
}

// TestOfManyTables: a table counts once, however many there are.
func TestOfManyTables(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("t%d", i%40))
	}
	st := statement.Of(read(t, "select * from "+strings.Join(names, ", ")+", t7 x for update"))
	require.Len(t, st.Tables, 40)
	for i, u := range st.Tables {
		require.Equal(t, statement.Use{Name: fmt.Sprintf("t%d", i), Strength: statement.Exclusive}, u)
	}
}

// TestMentions: which mention of a table is locked.
func TestMentions(t *testing.T) {
	for sql, want := range map[string]string{
		"select * from a":                 "",
		"select * from a for update":      "",
		"select * from a, b for update":   "",
		"select * from a, a b for update": "a exclusive, b exclusive;",
		"select * from a x where exists (select * from a y where y.i = x.i) for update nowait": "x exclusive nowait; a snapshot",
		"select * from a x, (select * from a lock in share mode) y for update":                 "x exclusive; a shared",
		"select * from a union select * from a for update":                                     "",
		"update a x join a y set x.i = 1":                                                      "",
	} {
		outermost, below := statement.Mentions(read(t, sql))
		var got string
		if outermost != nil {
			var all []string
			for _, m := range outermost {
				all = append(all, m.Alias+" "+strengthNames[m.Strength]+waitNames[m.Wait])
			}
			got = strings.TrimSpace(strings.Join(all, ", ") + "; " + uses(below))
		}
		require.Equal(t, want, got, sql)
	}
}

// TestRefs: what LOCK TABLES must have locked.
func TestRefs(t *testing.T) {
	for sql, want := range map[string]string{
		"select * from a x, d.b": "a as x, d.b",
		"insert into a select * from a x returning (select 1 from c)": "a write, a as x, c",
		"insert into a values ((select 1 from b))":                    "a write, b",
		"update a x, b set x.i = 1":                                   "a as x write, b",
		"delete x from a as x join b":                                 "a as x write, b",
		"with c as (select * from a) select * from c union select 1":  "a",
		"create table a like b":                                       "a write, b",
		"create table a (x int, foreign key (x) references b (x))":    "a write",
		"alter table a rename to b":                                   "a write",
		"create index i on a (x)":                                     "a write",
		"drop table a, d.b":                                           "a write, d.b write",
		"truncate a":                                                  "a write",
		"create trigger r before insert on a for each row set @x = 1": "a write",
		"drop trigger r":                                              "",
		"explain update a set x = 1":                                  "a",
		"show create table a":                                         "",
		"create view v as select * from a":                            "1192",
		"drop view v":                                                 "1192",
		"drop database d":                                             "1192",
		"create database d":                                           "1192",
		"drop procedure p":                                            "1192",
		"create procedure p() select 1":                               "1192",
		"rename table a to b":                                         "1192",
		"drop event e":                                                "1192",
		"grant select on a to u":                                      "1100",
		"create role r":                                               "1100",
	} {
		refs, err := statement.Refs(read(t, sql))
		var got []string
		for _, r := range refs {
			name := r.Table
			if r.DB != "" {
				name = r.DB + "." + name
			}
			if r.Alias != r.Table {
				name += " as " + r.Alias
			}
			if r.Write {
				name += " write"
			}
			got = append(got, name)
		}
		var e *mysqlerr.Error
		if err != nil {
			require.ErrorAs(t, err, &e)
			got = []string{fmt.Sprint(e.Number)}
		}
		require.Equal(t, want, strings.Join(got, ", "), sql)
	}
	refs, _ := statement.Refs(read(t, "create temporary table a as select * from b"))
	require.Equal(t, []statement.Ref{{Table: "b", Alias: "b"}}, statement.OnlyRead(refs))
	require.Len(t, refs, 2)
}

// TestObjects: routines, triggers and events that statements name.
func TestObjects(t *testing.T) {
	for sql, want := range map[string]string{
		"create procedure d.P() select 1":                               "[{procedure d p}]",
		"create function f() returns int return 1":                      "[{function  f}]",
		"alter procedure p comment 'x'":                                 "[{procedure  p}]",
		"drop procedure if exists d.p":                                  "[{procedure d p}]",
		"drop function f":                                               "[{function  f}]",
		"create trigger d.r before insert on a for each row set @x = 1": "[{trigger d r}]",
		"drop trigger R":                                                "[{trigger  r}]",
		"create event e on schedule every 1 day do select 1":            "[{event  e}]",
		"alter event e rename to d.f":                                   "[{event  e} {event d f}]",
		"drop event e":                                                  "[{event  e}]",
		"drop table t":                                                  "[]",
		"select 1":                                                      "[]",
	} {
		s, _ := read(t, sql)
		require.Equal(t, want, fmt.Sprint(statement.Objects(s)), sql)
	}
}
