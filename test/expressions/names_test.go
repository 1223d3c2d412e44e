package expressions

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/types"
)

// functionsFile has MariaDB's functions: the name, where the name is from (the constants below), and the numbers of arguments that the function
// takes when it is called like any other, each NULL. -record writes it anew.
const functionsFile = "testdata/functions.tsv"

// Where the names of functions are from.
const (
	listed  = "listed"  // information_schema.SQL_FUNCTIONS
	keyword = "keyword" // information_schema.KEYWORDS, but not SQL_FUNCTIONS
	hidden  = "hidden"  // neither: names in the server's program that can be called
)

// argumentsMost is the largest number of arguments that is tried.
const argumentsMost = 6

// theirFunction is a function of MariaDB.
type theirFunction struct {
	name, from string
	counts     []int // of arguments
}

func (f *theirFunction) String() string {
	return fmt.Sprintf("%s\t%s\t%s", f.name, f.from, countsText(f.counts))
}

func countsText(counts []int) string { return strings.Trim(fmt.Sprint(counts), "[]") }

// call is the call with so many arguments.
func call(name string, n int) string {
	return name + "(" + strings.Join(slices.Repeat([]string{"NULL"}, n), ",") + ")"
}

// bySyntax are functions that are no entries of our table, since the grammar makes something else of them, with an expression that has one.
var bySyntax = map[string]string{
	"ADDDATE": "ADDDATE('2020-01-01', 1)", "BINARY": "BINARY('a')", "CASE": "CASE 1 WHEN 1 THEN 2 END", "CAST": "CAST(1 AS CHAR)", "CHAR": "CHAR(65)",
	"CHARACTER": "CHARACTER(65)", "CONVERT": "CONVERT('a' USING utf8mb3)",
	"CURDATE": "CURDATE()", "CURTIME": "CURTIME()", "NOW": "NOW()", "DATE_ADD": "DATE_ADD('2020-01-01', INTERVAL 1 DAY)",
	"DATE_SUB": "DATE_SUB('2020-01-01', INTERVAL 1 DAY)", "EXTRACT": "EXTRACT(YEAR FROM '2020-01-01')", "GET_FORMAT": "GET_FORMAT(DATE, 'EUR')",
	"LOCALTIME": "LOCALTIME()", "LOCALTIMESTAMP": "LOCALTIMESTAMP(3)", "SQL_TSI_DAY": "SQL_TSI_DAY('2020-01-03')", "SCHEMAS": "SCHEMA()",
	"SQL_TSI_HOUR": "SQL_TSI_HOUR('01:02:03')", "SQL_TSI_MINUTE": "SQL_TSI_MINUTE('01:02:03')", "SQL_TSI_MONTH": "SQL_TSI_MONTH('2020-01-03')",
	"SQL_TSI_SECOND": "SQL_TSI_SECOND('01:02:03')", "SQL_TSI_YEAR": "SQL_TSI_YEAR('2020-01-03')", "SUBDATE": "SUBDATE('2020-01-01', 1)",
	"TIMESTAMPADD": "TIMESTAMPADD(DAY, 1, '2020-01-01')", "TIMESTAMPDIFF": "TIMESTAMPDIFF(DAY, '2020-01-01', '2020-01-02')",
	"WEIGHT_STRING": "WEIGHT_STRING('a' AS CHAR(3))",
}

// overRows are aggregate functions, which package aggregate has.
var overRows = []string{
	"AVG", "BIT_AND", "BIT_OR", "BIT_XOR", "COUNT", "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "MAX", "MIN", "STD", "STDDEV", "STDDEV_POP",
	"STDDEV_SAMP", "SUM", "VARIANCE", "VAR_POP", "VAR_SAMP",
}

// leftOut are functions of MariaDB that are none of ours, by the reason. Of spatial ones see also spatial.
var leftOut = map[string][]string{
	"windows": {
		"CUME_DIST", "DENSE_RANK", "FIRST_VALUE", "LAG", "LEAD", "MEDIAN", "NTH_VALUE", "NTILE", "PERCENTILE_CONT", "PERCENTILE_DISC", "PERCENT_RANK",
		"RANK", "ROW_NUMBER",
	},
	"subqueries":                  {"EXISTS"},
	"FULLTEXT indexes":            {"MATCH"},
	"a table, not an expression":  {"JSON_TABLE"},
	"columns of what is inserted": {"DEFAULT", "VALUE", "VALUES"},
	"sequences":                   {"LASTVAL", "NEXTVAL", "SETVAL"},
	"dynamic columns": {
		"COLUMN_ADD", "COLUMN_CHECK", "COLUMN_CREATE", "COLUMN_DELETE", "COLUMN_EXISTS", "COLUMN_GET", "COLUMN_JSON", "COLUMN_LIST",
	},
	"XML":      {"EXTRACTVALUE", "UPDATEXML"},
	"crypt(3)": {"ENCRYPT"},
	"Galera":   {"WSREP_LAST_SEEN_GTID", "WSREP_LAST_WRITTEN_GTID", "WSREP_SYNC_WAIT_UPTO_GTID"},
}

// spatial reports whether a function is about shapes: all that no server lists are, and three keywords.
func spatial(f *theirFunction) bool {
	return f.from == hidden || f.name == "CONTAINS" || f.name == "OVERLAPS" || f.name == "WITHIN"
}

func theirFunctions(t *testing.T) (out []theirFunction) {
	t.Helper()
	for _, line := range lines(t, functionsFile) {
		f := strings.Split(line, "\t")
		require.GreaterOrEqual(t, len(f), 2, line)
		their := theirFunction{name: f[0], from: f[1]}
		if len(f) > 2 {
			for word := range strings.FieldsSeq(f[2]) {
				n := 0
				_, err := fmt.Sscan(word, &n)
				require.NoError(t, err, line)
				their.counts = append(their.counts, n)
			}
		}
		out = append(out, their)
	}
	require.NotEmpty(t, out)
	return out
}

// notCalled are errors of calls that are none of a function: a syntax error, another number of arguments, an unknown function.
func notCalled(answer string) bool {
	for _, number := range []string{"1064", "1582", "1305", "1630", "1046"} {
		if strings.HasPrefix(answer, "E"+number+"/") {
			return true
		}
	}
	return false
}

// TestNames holds the table of functions against MariaDB's functions: each is one of ours and takes as many arguments, or is left out by name;
// and there are no others.
func TestNames(t *testing.T) {
	out, theirs := map[string]string{}, map[string]bool{}
	for why, names := range leftOut {
		for _, name := range names {
			out[name] = why
		}
	}
	for _, f := range theirFunctions(t) {
		theirs[f.name] = true
		_, inTable := function.Find(f.name)
		if spatial(&f) {
			require.False(t, inTable, f.name)
			continue
		}
		if slices.Contains(overRows, f.name) {
			require.False(t, inTable, f.name)
			requireAggregate(t, &f)
			continue
		}
		if why := out[f.name]; why != "" {
			require.False(t, inTable, "%s is left out (%s), and is there", f.name, why)
			continue
		}
		if example := bySyntax[f.name]; example != "" {
			require.False(t, inTable, f.name)
			if got := Ours(Default, example); got.Error != "" {
				t.Errorf("%s: %s", example, got)
			}
			continue
		}
		if !inTable {
			t.Errorf("%s (%s) is missing", f.name, f.from)
			continue
		}
		var counts []int
		for n := range argumentsMost + 1 {
			if !notCalled(Ours(Default, call(f.name, n)).String()) {
				counts = append(counts, n)
			}
		}
		if countsText(counts) != countsText(f.counts) {
			t.Errorf("%s takes %v arguments, ours %v", f.name, f.counts, counts)
		}
	}
	for name := range out {
		require.True(t, theirs[name], "%s is left out, but MariaDB has none", name)
	}
	for name := range bySyntax {
		require.True(t, theirs[name], "MariaDB has no %s", name)
	}
	for name := range function.Names() {
		if !theirs[name] {
			t.Errorf("MariaDB has no %s", name)
		}
	}
}

// requireAggregate requires that we have an aggregate function that takes as many arguments.
func requireAggregate(t *testing.T, f *theirFunction) {
	t.Helper()
	n := 1
	if f.counts != nil {
		n = f.counts[0]
	}
	st, _, err := grammar.Parse("SELECT "+call(f.name, n), grammar.Options{})
	require.NoError(t, err, f.name)
	x, err := selected(st)
	require.NoError(t, err, f.name)
	env := Default.env()
	frame := &eval.Frame{Env: env, Diag: &types.Diagnostics{}, Session: &session{}}
	b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: frame}, Aggregates: &bind.Aggregates{}}
	_, err = b.Expr(x)
	require.NoError(t, err, f.name)
	require.Len(t, b.Aggregates.Funcs, 1, f.name)
}

// TestNamesOfServer holds the recorded list against a real server: what it lists, which of its keywords can be called, and that what it does not
// list can be called, each with how many arguments.
func TestNamesOfServer(t *testing.T) {
	server := maria(t)
	ask := func(expression string) string {
		a, err := server.Ask(Default, expression)
		require.NoError(t, err, expression)
		return a.String()
	}
	counts := func(name string) (out []int) {
		for n := range argumentsMost + 1 {
			if !notCalled(ask(call(name, n))) {
				out = append(out, n)
			}
		}
		return out
	}
	column := func(query string) (out []string) {
		r, err := server.conn.Execute(query)
		require.NoError(t, err)
		defer r.Close()
		for i := range r.Values {
			name, err := r.GetString(i, 0)
			require.NoError(t, err)
			out = append(out, name)
		}
		return out
	}
	found := map[string]theirFunction{}
	for _, name := range column("SELECT FUNCTION FROM information_schema.SQL_FUNCTIONS") {
		found[name] = theirFunction{name, listed, counts(name)}
	}
	for _, name := range column("SELECT WORD FROM information_schema.KEYWORDS WHERE WORD REGEXP '^[A-Z_0-9]+$'") {
		if _, ok := found[name]; ok || notFunctions[name] {
			continue
		}
		if n := counts(name); n != nil || specialSyntax[name] != "" || statementOnly[name] {
			found[name] = theirFunction{name, keyword, n}
		}
	}
	recorded := theirFunctions(t)
	for _, f := range recorded {
		if _, ok := found[f.name]; f.from == hidden && !ok {
			found[f.name] = theirFunction{f.name, hidden, counts(f.name)}
			require.NotEmpty(t, found[f.name].counts, f.name)
		}
	}
	for name, example := range specialSyntax {
		require.False(t, notCalled(ask(example)), "%s: %s", name, ask(example))
	}
	var text strings.Builder
	text.WriteString("# MariaDB's functions: name, where the name is from, numbers of arguments. See names_test.go.\n")
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := found[name]
		text.WriteString(f.String() + "\n")
	}
	if *record {
		require.NoError(t, os.WriteFile(functionsFile, []byte(text.String()), 0o644))
		return
	}
	was, err := os.ReadFile(functionsFile)
	require.NoError(t, err)
	require.Equal(t, string(was), text.String(), "the server has other functions than %s", functionsFile)
}

// notFunctions are keywords after which an expression in parentheses may stand, which are no functions.
var notFunctions = map[string]bool{
	"ALL": true, "DISTINCT": true, "DISTINCTROW": true, "HIGH_PRIORITY": true, "NOT": true, "ROW": true, "SQL_BIG_RESULT": true,
	"SQL_BUFFER_RESULT": true, "SQL_CACHE": true, "SQL_CALC_FOUND_ROWS": true, "SQL_NO_CACHE": true, "SQL_SMALL_RESULT": true, "STRAIGHT_JOIN": true,
	"UNIQUE": true,
}

// specialSyntax are functions that cannot be called like others, with an expression that the server must understand.
var specialSyntax = map[string]string{
	"CASE": "CASE 1 WHEN 1 THEN 2 END", "CONVERT": "CONVERT('a' USING utf8mb3)", "DEFAULT": "DEFAULT(a)", "EXISTS": "EXISTS (SELECT 1)",
	"GET_FORMAT": "GET_FORMAT(DATE, 'EUR')", "LASTVAL": "LASTVAL(mysql.none)", "MATCH": "MATCH (a) AGAINST ('b')", "NEXTVAL": "NEXTVAL(mysql.none)",
	"ROW_NUMBER": "ROW_NUMBER() OVER ()", "SETVAL": "SETVAL(mysql.none, 1)", "TIMESTAMPADD": "TIMESTAMPADD(DAY, 1, '2020-01-01')",
	"TIMESTAMPDIFF": "TIMESTAMPDIFF(DAY, '2020-01-01', '2020-01-02')", "VALUE": "VALUE(a)", "COLUMN_ADD": "COLUMN_ADD('', 'a', 1)",
	"COLUMN_CREATE": "COLUMN_CREATE('a', 1)", "COLUMN_DELETE": "COLUMN_DELETE('', 'a')", "COLUMN_GET": "COLUMN_GET('', 'a' AS CHAR)",
}

// statementOnly are functions that stand in statements of their own kind only.
var statementOnly = map[string]bool{"JSON_TABLE": true, "VALUES": true}
