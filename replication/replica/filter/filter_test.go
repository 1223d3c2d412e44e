package filter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/replication/replica/filter"
)

// TestParse has what a MariaDB 10.11 shows after SET GLOBAL, or "!" where it answers 1210.
func TestParse(t *testing.T) {
	for _, c := range []struct{ value, databases, tables, rewrites string }{
		{"", "", "", ""}, {"a", "a", "!", "!"}, {" a , b ", "a ,b ", "!", "!"}, {"a,,b", "a,b", "!", "!"}, {",a,", "a", "!", "!"},
		{"a.b", "a.b", "a.b", "!"}, {"a.b, c.d ", "a.b,c.d ", "a.b,c.d ", "!"}, {"x.y,bad,p.q", "x.y,bad,p.q", "!", "!"}, {".", ".", ".", "!"}, {"a.", "a.", "a.", "!"},
		{"a->b", "a->b", "!", "a->b"}, {"a->b,c->d", "a->b,c->d", "!", "a->b,c->d"}, {" a -> b , c->d", "a -> b ,c->d", "!", "a->b,c->d"},
		{"a->", "a->", "!", "!"}, {"->b", "->b", "!", "!"}, {"a->b->c", "a->b->c", "!", "a->b->c"}, {"a.b->c", "a.b->c", "a.b->c", "a.b->c"},
		{"a->b,bad", "a->b,bad", "!", "!"}, {"a->b,a->c", "a->b,a->c", "!", "a->b,a->c"}, {"a->b,,c->d", "a->b,c->d", "!", "a->b,c->d"}, {`a\_b.c%`, `a\_b.c%`, `a\_b.c%`, "!"},
	} {
		require.Equal(t, c.databases, strings.Join(filter.ParseDatabases(c.value), ","), c.value)
		tables, err := filter.ParseTables(c.value)
		require.Equal(t, c.tables, shown(t, tables, err), c.value)
		rewrites, err := filter.ParseRewrites(c.value)
		var texts []string
		for _, r := range rewrites {
			texts = append(texts, r.String())
		}
		require.Equal(t, c.rewrites, shown(t, texts, err), c.value)
	}
}

func shown(t *testing.T, rules []string, err error) string {
	if err != nil {
		var e *filter.RuleError
		require.ErrorAs(t, err, &e)
		require.Empty(t, rules)
		return "!"
	}
	return strings.Join(rules, ",")
}

func TestCompile(t *testing.T) {
	f, err := filter.Compile(filter.Rules{})
	require.NoError(t, err)
	require.Nil(t, f)
	for _, r := range []filter.Rules{{DoTable: []string{"t"}}, {IgnoreTable: []string{"t"}}, {WildDoTable: []string{"a.b", "t"}}, {WildIgnoreTable: []string{"t"}}} {
		_, err := filter.Compile(r)
		require.EqualError(t, err, "rule 't' of a replication filter is not of the form database.table")
	}
}

func TestNilTakesEverything(t *testing.T) {
	var f *filter.Filter
	require.Equal(t, "a", f.Rewritten("a"))
	require.True(t, f.Statement("a"))
	require.True(t, f.DatabaseStatement("a"))
	require.True(t, f.Rows("a", "t"))
	require.True(t, f.Tables(nil))
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules filter.Rules
		taken string // what is taken of asked
	}{
		{"do_db", filter.Rules{DoDB: []string{"a"}}, "s:a d:a r:a.t r:a.u t:a.t t:b.t t:"},
		{"ignore_db", filter.Rules{IgnoreDB: []string{"a"}}, "s:b s:A s: d:b d:A r:b.t r:A.t t:a.t t:b.t t:"},
		{"do_db hides ignore_db", filter.Rules{DoDB: []string{"a", "b"}, IgnoreDB: []string{"a"}}, "s:a s:b d:a d:b r:a.t r:a.u r:b.t t:a.t t:b.t t:"},
		{"do_table", filter.Rules{DoTable: []string{"a.t"}}, "s:a s:b s:A s: d:a d:b d:A r:a.t r:A.t t:a.t"},
		{"ignore_table", filter.Rules{IgnoreTable: []string{"a.t"}}, "s:a s:b s:A s: d:a d:b d:A r:a.u r:b.t t:b.t"},
		{"do_table before ignore_table", filter.Rules{DoTable: []string{"a.t"}, IgnoreTable: []string{"A.T"}}, "s:a s:b s:A s: d:a d:b d:A r:a.t r:A.t t:a.t"},
		{"wild_do_table", filter.Rules{WildDoTable: []string{"a.%"}}, "s:a s:b s:A s: d:a d:A r:a.t r:a.u r:A.t t:a.t"},
		{"wild_ignore_table", filter.Rules{WildIgnoreTable: []string{"a.%"}}, "s:a s:b s:A s: d:b r:b.t t:b.t"},
		{"ignore_table before wild_do_table", filter.Rules{IgnoreTable: []string{"a.u"}, WildDoTable: []string{"a.%"}}, "s:a s:b s:A s: d:a d:A r:a.t r:A.t t:a.t"},
		{"wild_do_table before wild_ignore_table", filter.Rules{WildDoTable: []string{"a.t"}, WildIgnoreTable: []string{"a.%"}}, "s:a s:b s:A s: r:a.t r:A.t t:a.t"},
		{"databases and tables", filter.Rules{DoDB: []string{"a"}, IgnoreTable: []string{"a.u"}}, "s:a d:a r:a.t t:a.t t:b.t"},
		{"rewrite only", filter.Rules{RewriteDB: []filter.Rewrite{{From: "a", To: "b"}}}, "s:a s:b s:A s: d:a d:b d:A r:a.t r:a.u r:b.t r:A.t t:a.t t:b.t t:"},
	} {
		f, err := filter.Compile(c.rules)
		require.NoError(t, err)
		var taken []string
		for _, question := range strings.Fields("s:a s:b s:A s: d:a d:b d:A r:a.t r:a.u r:b.t r:A.t t:a.t t:b.t t:") {
			kind, name, _ := strings.Cut(question, ":")
			db, table, _ := strings.Cut(name, ".")
			yes := false
			switch kind {
			case "s":
				yes = f.Statement(db)
			case "d":
				yes = f.DatabaseStatement(db)
			case "r":
				yes = f.Rows(db, table)
			case "t":
				var updated []filter.Name
				if name != "" {
					updated = []filter.Name{{DB: db, Table: table}}
				}
				yes = f.Tables(updated)
			}
			if yes {
				taken = append(taken, question)
			}
		}
		require.Equal(t, c.taken, strings.Join(taken, " "), c.name)
	}
}

func TestFirstTableDecides(t *testing.T) {
	f, err := filter.Compile(filter.Rules{DoTable: []string{"a.t"}, IgnoreTable: []string{"a.u"}})
	require.NoError(t, err)
	taken, left, neither := filter.Name{DB: "a", Table: "t"}, filter.Name{DB: "a", Table: "u"}, filter.Name{DB: "a", Table: "v"}
	require.True(t, f.Tables([]filter.Name{neither, taken, left}))
	require.False(t, f.Tables([]filter.Name{neither, left, taken}))
	require.False(t, f.Tables([]filter.Name{neither}))
}

func TestRewritten(t *testing.T) {
	f, err := filter.Compile(filter.Rules{RewriteDB: []filter.Rewrite{{From: "a", To: "b"}, {From: "b", To: "c"}, {From: "a", To: "d"}}})
	require.NoError(t, err)
	for from, to := range map[string]string{"a": "b", "b": "c", "c": "c", "A": "A", "": ""} {
		require.Equal(t, to, f.Rewritten(from), from)
	}
}

func TestWildcards(t *testing.T) {
	for _, c := range []struct {
		rule, db, table string
		matches         bool
	}{
		{"a.b", "a", "b", true}, {"a.b", "a", "bc", false}, {"a.b", "A", "B", true}, {"a.b_", "a", "bc", true}, {"a.b_", "a", "b", false}, {"a.b_", "a", "bcd", false},
		{"a.%", "a", "", true}, {"a.%", "ab", "c", false}, {"a%.%", "ab", "c", true}, {"%.t", "any", "t", true}, {"%.%", "x", "y", true}, {"%a%b.%c", "xaab", "cc", true},
		{`a\_b.%`, "a_b", "t", true}, {`a\_b.%`, "axb", "t", false}, {`a\%.t`, "a%", "t", true}, {`a\%.t`, "ab", "t", false}, {`a.b\\`, "a", `b\`, true}, {`a.b\`, "a", `b\`, true},
		{"a_b.t", "aéb", "t", true}, {"É.t", "é", "t", true}, {"%.%x%y%z", "a", "xyxyxyz", true}, {"%.%x%y%z", "a", "zyx", false}, {".%", "", "t", true},
	} {
		f, err := filter.Compile(filter.Rules{WildDoTable: []string{c.rule}})
		require.NoError(t, err)
		require.Equal(t, c.matches, f.Rows(c.db, c.table), "%v", c)
	}
}
