package facts_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/grammar"
)

func of(t *testing.T, text string) *facts.Facts {
	t.Helper()
	s, _, err := grammar.Parse(text, grammar.Options{})
	require.NoError(t, err, "%s", text)
	return new(facts.Rows).Of(s)
}

// mentions are the tables of a statement as one text.
func mentions(f *facts.Facts) string {
	var all []string
	for _, m := range f.Tables {
		text := m.Name.Name.Text
		if m.Name.DB.Text != "" {
			text = m.Name.DB.Text + "." + text
		}
		if m.Alias != m.Name.Name.Text {
			text += " as " + m.Alias
		}
		all = append(all, text+" "+m.Use.String())
	}
	return strings.Join(all, ", ")
}

// TestTables: what is named, and what is done with it. That of queries with locks was seen at a real server, which tells how many tables a
// transaction has locked, and so was which names of common table expressions can be seen where.
func TestTables(t *testing.T) {
	for text, want := range map[string]string{
		"select 1":                  "select: ",
		"select * from a, d.b as x": "select: a read, d.b as x read",
		"select * from a join (b cross join c) on 1=1":                                  "select: a read, b read, c read",
		"select * from a for update":                                                    "select: a read for update",
		"select * from a join (b join c) for update":                                    "select: a read for update, b read for update, c read for update",
		"select * from a lock in share mode":                                            "select: a read for share",
		"select * from (select * from a) d for update":                                  "select: a read",
		"(select * from a) for update":                                                  "select: a read for update",
		"((select * from a) limit 1) for update":                                        "select: a read",
		"select * from a union select * from b for update":                              "select: a read, b read for update",
		"(select * from a for update) union (select * from b)":                          "select: a read for update, b read",
		"select * from a intersect select * from b for update":                          "select: a read, b read for update",
		"select * from a union select * from b intersect select * from c for update":    "select: a read, b read, c read",
		"select * from a where x in (select x from b) for update":                       "select: a read for update, b read",
		"select * from a where x in (select x from b for update)":                       "select: a read, b read for update",
		"with d as (select * from a) select * from d for update":                        "select: a read",
		"with d as (select * from a for update) select * from d":                        "select: a read for update",
		"with A1 as (select 5) select * from a1, x.a1":                                  "select: x.a1 read",
		"with a as (select * from a) select * from a":                                   "select: a read",
		"with recursive a as (select 1 union select * from a) select * from a":          "select: ",
		"with p as (select * from q), q as (select 1) select * from p":                  "select: q read",
		"with recursive p as (select * from q), q as (select 1) select * from p":        "select: ",
		"select * from (with a as (select 1) select * from a) x join a":                 "select: a read",
		"with a as (select 1) select (select count(*) from a) from (select * from a) b": "select: ",
		"with a as (select 1) select * from a union select * from a":                    "select: ",

		"insert into a select * from b":                                  "insert: a written, b read",
		"replace d.a values ((select max(x) from b))":                    "replace: d.a written, b read",
		"update a set x=1":                                               "update: a written",
		"update a, b as c set c.x=a.x":                                   "update: a read, b as c written",
		"update a, b set x=1":                                            "update: a written, b written",
		"update a, (select * from b) c set a.x=c.x where x in (table_b)": "update: a written, b read",
		"update a x join a y set x.i=1 where y.i in (select i from c)":   "update: a as x written, a as y read, c read",
		"delete from a where x in (select x from b)":                     "delete: a written, b read",
		"delete a from a join b":                                         "delete: a written, b read",
		"delete x, d.b from a as x join d.b join c":                      "delete: a as x written, d.b written, c read",
		"delete from x using a as x, b":                                  "delete: a as x written, b read",
		"load data infile 'x' into table a set x=(select 1 from b)":      "load: a written, b read",
		"truncate a":                     "definition: a written",
		"create table a select * from b": "definition: a created, b read",
		"create table a like b":          "definition: a created, b named",
		"create table a (x int references b(x), foreign key (x) references c(x), y int default (nextval(s)))": "definition: a created, b named, c named, s named",
		"create table a (x int) engine=merge union=(b,d.c)":                                                   "definition: a created, b named, d.c named",
		"create table a (x int default (nextval(s))) select * from b for update":                              "definition: a created, s named, b read for update",
		"alter table a add x int default (nextval(s))":                                                        "definition: a altered, s named",
		"create view v as select * from a where x in (select x from b)":                                       "definition: v created, a named, b named",
		"alter view v as select * from a":                                                                     "definition: v altered, a named",
		"alter table a add x int, rename to b":                                                                "definition: a altered, b created",
		"alter table a exchange partition p with table b":                                                     "definition: a altered, b altered",
		"create index i on a (x)":                                                                             "definition: a altered",
		"drop index i on a":                                                                                   "definition: a altered",
		"drop table a, d.b":                                                                                   "definition: a dropped, d.b dropped",
		"drop view a":                                                                                         "definition: a dropped",
		"drop procedure a":                                                                                    "program: ",
		"rename table a to b, c to d":                                                                         "definition: a altered, b created, c altered, d created",
		"create sequence s":                                                                                   "definition: s created",
		"select nextval(s), lastval(d.s), next value for r":                                                   "select: s written, d.s read, r written",
		"create trigger t before insert on a for each row insert into b values (1)":                           "program: a altered",
		"create procedure p() select * from a":                                                                "program: ",
		"begin not atomic select * from a; end":                                                               "compound: ",
		"lock tables a read, d.b as c write":                                                                  "lock: a locked, d.b as c locked",
		"flush tables a with read lock":                                                                       "server: a locked",
		"analyze table a, d.b":                                                                                "maintenance: a maintained, d.b maintained",
		"explain update a set x=(select 1 from b)":                                                            "explain: a written, b read",
		"set statement sort_buffer_size=1 for select * from a for update":                                     "select: a read for update",
		"set @x = (select 1 from a)":                                                                          "set: a read",
		"do (select 1 from a)":                                                                                "do: a read",
		"call p((select 1 from a))":                                                                           "call: a read",
		"describe a":                                                                                          "show: a named",
		"show columns from a from d":                                                                          "show: d.a named",
		"show create view d.a":                                                                                "show: d.a named",
		"show tables where (select 1 from a)":                                                                 "show: a read",
		"grant select on d.a to u":                                                                            "account: d.a named",
		"grant select on d.* to u":                                                                            "account: ",
		"handler a open as b":                                                                                 "handler: a as b read",
	} {
		f := of(t, text)
		require.Equal(t, want, fmt.Sprint(f.Kind, ": ", mentions(f)), "%s", text)
	}
}

// TestContents: things that need care are found wherever they stand.
func TestContents(t *testing.T) {
	for text, want := range map[string]facts.Facts{
		"select ?, a from t where b in (?, ?) limit ?":     {Placeholders: 4},
		"select count(*) from t":                           {Aggregates: true},
		"select row_number() over w from t window w as ()": {Aggregates: true, Windows: true},
		"select 1 from (select 1) t":                       {Subqueries: true},
		"select exists(select ?)":                          {Subqueries: true, Placeholders: 1},
		"select a in (select 1), b = any (select 2)":       {Subqueries: true},
		"select a in (1, (select 2))":                      {Subqueries: true},
		"select @a := 1":                                   {UserVariables: true},
		"set @a = @@b":                                     {UserVariables: true, SystemVariables: true},
		"select 1 into @a":                                 {UserVariables: true},
		"load data infile 'x' into table t (@a)":           {UserVariables: true},
		"get diagnostics condition 1 @a = message_text":    {UserVariables: true},
		"execute s using @a":                               {UserVariables: true},
		"select nextval(s)":                                {Sequences: true},
		"select current_timestamp(), cast(a as int)":       {},
	} {
		f := of(t, text)
		want.Kind, want.Tables, want.Lock = f.Kind, f.Tables, f.Lock
		require.Equal(t, want, *f, "%s", text)
	}
	f := of(t, "select f(1), d.g(h(2)), concat('a') from t for update skip locked")
	var names []string
	for _, c := range f.Functions {
		names = append(names, c.Name.Text)
	}
	require.Equal(t, []string{"f", "g", "h", "concat"}, names)
	require.True(t, f.Lock.Wait.SkipLocked)
	require.Same(t, f.Lock, f.Tables[0].Lock)
}

// TestKinds: each type of statement has its kind.
func TestKinds(t *testing.T) {
	named := map[string]bool{}
	source, err := parser.ParseFile(token.NewFileSet(), "kind.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(source, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			named[s.Sel.Name] = true
		}
		return true
	})
	files, err := filepath.Glob("../tree/*.go")
	require.NoError(t, err)
	types := 0
	queries := map[string]bool{"Select": true, "Values": true, "SetOperation": true, "Nested": true}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "statement" {
				continue
			}
			types++
			name := f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name
			require.True(t, named[name] || queries[name], "%s has no kind", name)
		}
	}
	require.Greater(t, types, 80)
}
