package expressions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/eval/window"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
)

// windowTypesFile has the types of functions over windows, each over columns of all types, or their errors; windowNamesFile has which functions MariaDB has
// over windows, with what windowFacts tells of each. -record writes them anew.
const (
	windowTypesFile = "testdata/window_types.tsv"
	windowNamesFile = "testdata/window_names.tsv"
)

// windowArguments are expressions that functions over windows are asked about, besides columns.
var windowArguments = []string{
	"1", "-7", "1.5", "1e0", "'abc'", "x'41'", "NULL", "TRUE", "DATE'2020-01-01'", "TIME'10:00:00.12'", "ti+i", "ub+1", "d1*2", "g+1", "i=1", "CONCAT(v,l)",
	"CONCAT(tx,'x')", "CONCAT(bl,'x')", "COALESCE(ts)", "COALESCE(fd)", "COALESCE(ti)", "COALESCE(e)", "COALESCE(bt)", "COALESCE(y)", "IF(i,tx,'a')",
	"CAST(v AS CHAR(9))", "CAST(v AS BINARY(9))", "CAST('::1' AS INET6)", "CAST('1.2.3.4' AS INET4)", "UUID()", "JSON_OBJECT('a',i)",
}

// windowQuestions are calls of all functions over windows.
func windowQuestions(columns []groupedColumn) (out []string) {
	args := slices.Clone(windowArguments)
	for i := range columns {
		args = append(args, columns[i].name)
	}
	for i := range window.Functions {
		def := &window.Functions[i]
		var calls []string
		switch {
		case def.ArgsMax == 0:
			calls = []string{def.Name + "() OVER (ORDER BY id)"}
		case def.Within:
			calls = []string{
				def.Name + "(0.5) WITHIN GROUP (ORDER BY $) OVER ()", def.Name + "($) WITHIN GROUP (ORDER BY i) OVER ()",
			}
		case def.Window == window.Partition:
			calls = []string{def.Name + "($) OVER (PARTITION BY id)"}
		case def.ArgsMin == 2:
			calls = []string{def.Name + "($,1) OVER (ORDER BY id)", def.Name + "(i,$) OVER (ORDER BY id)"}
		case def.ArgsMax == 2:
			calls = []string{def.Name + "($) OVER (ORDER BY id)", def.Name + "(i,$) OVER (ORDER BY id)"}
		default:
			calls = []string{def.Name + "($) OVER (ORDER BY id)"}
		}
		for _, c := range calls {
			if !strings.Contains(c, "$") {
				out = append(out, c)
				continue
			}
			for _, arg := range args {
				out = append(out, strings.Replace(c, "$", arg, 1))
			}
		}
	}
	return append(out, "COUNT(*) OVER ()", "MAX(DISTINCT v) OVER ()", "SUM(DISTINCT i) OVER ()", "GROUP_CONCAT(v) OVER ()", "JSON_ARRAYAGG(v) OVER ()",
		"STDDEV(i) OVER ()", "STDDEV_POP(i) OVER ()", "VAR_POP(i) OVER ()")
}

// ourWindowType is the type of a function over a window as we have it, or the error.
func ourWindowType(g *grouped, question string) string {
	env := Default.env()
	frame := &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 64}, Session: &session{}}
	b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: frame}, Column: g.column}
	t, err := func() (t types.Type, err error) {
		st, _, err := grammar.Parse("SELECT "+question, grammar.Options{})
		if err != nil {
			return t, err
		}
		x, err := selected(st)
		if err != nil {
			return t, err
		}
		n, ok := x.(*tree.Aggregate)
		if !ok {
			return t, fmt.Errorf("no function over rows: %T", x)
		}
		c := window.Call{Name: n.Name, Distinct: n.Distinct}
		args := n.Args
		if n.Within != nil {
			args = append(slices.Clone(args), n.Within.X)
		}
		for _, arg := range args {
			if _, star := arg.(*tree.AllColumns); star {
				break
			}
			x, err := b.Expr(arg)
			if err != nil {
				return t, err
			}
			c.Args = append(c.Args, x)
		}
		return window.Bind(&b.Builder, c)
	}()
	if err != nil {
		return failure(err).Error
	}
	c := typed.Column("", t, env.Results)
	return typeText(c.Type, c.Length, c.Decimals, c.Flags, c.Charset)
}

// theirWindowType is that of a server.
func theirWindowType(t *testing.T, s *Server, question string) string {
	t.Helper()
	r, err := s.conn.Execute("SELECT " + question + " FROM grouped.none")
	if err != nil {
		var e *gomysql.MyError
		require.True(t, errors.As(err, &e), question)
		return fmt.Sprintf("%d/%s %s", e.Code, e.State, e.Message)
	}
	defer r.Close()
	require.Len(t, r.Fields, 1, question)
	f := r.Fields[0]
	return typeText(f.Type, f.ColumnLength, f.Decimal, f.Flag, f.Charset)
}

// askWindowTypes has a server answer all questions about types.
func askWindowTypes(t *testing.T) string {
	t.Helper()
	s := maria(t)
	_, err := s.Ask(Default, "1")
	require.NoError(t, err)
	g := makeGrouped(t, s, rand.New(rand.NewPCG(1, 1)))
	_, err = s.conn.Execute("CREATE TABLE grouped.none LIKE grouped.agg")
	require.NoError(t, err)
	var out strings.Builder
	for _, q := range windowQuestions(g.columns) {
		fmt.Fprintf(&out, "%s\t%s\n", q, theirWindowType(t, s, q))
	}
	return out.String()
}

// Functions over windows have MariaDB's types, or its errors.
func TestWindowTypes(t *testing.T) {
	if *record {
		require.NoError(t, os.WriteFile(windowTypesFile, []byte(askWindowTypes(t)), 0o644))
	}
	g := &grouped{columns: groupedColumns()}
	for i := range g.columns {
		g.columns[i].t.Nullable = true
	}
	answers, questions := lines(t, windowTypesFile), windowQuestions(g.columns)
	require.Len(t, answers, len(questions), "record them again")
	d := differences{t: t}
	for i, line := range answers {
		q, want, _ := strings.Cut(line, "\t")
		require.Equal(t, questions[i], q, "record them again")
		d.compare(q, want, ourWindowType(g, q))
	}
	d.report()
}

// What is recorded of types is a real server's.
func TestWindowTypesOfServer(t *testing.T) {
	have, err := os.ReadFile(windowTypesFile)
	require.NoError(t, err)
	require.Equal(t, strings.Split(askWindowTypes(t), "\n"), strings.Split(string(have), "\n"))
}

// Calls that windowFacts tries: with an order, without, and with a frame, too.
const (
	overOrder = " OVER (ORDER BY 1)"
	overAll   = " OVER ()"
	overFrame = " OVER (ORDER BY 1 ROWS UNBOUNDED PRECEDING)"
	within    = " WITHIN GROUP (ORDER BY 1)"
)

// windowFacts tells what is known of a function by asking: "" if it is none over windows, else how many arguments it takes, whether it has WITHIN GROUP, and
// the errors that it has without an order, with one, and with a frame.
func windowFacts(name string, ask func(expression string) string) string {
	number := func(expression string) string {
		answer := ask(expression)
		if !strings.HasPrefix(answer, "E") {
			return "ok"
		}
		number, _, _ := strings.Cut(answer[1:], "/")
		return number
	}
	for _, group := range []string{"", within} {
		var counts []int
		at := 0
		for n := range 4 {
			args := name + "(" + strings.Join(slices.Repeat([]string{"1"}, n), ",") + ")" + group
			for _, over := range []string{overAll, overOrder} {
				if got := number(args + over); got == "ok" || got == "4018" {
					counts, at = append(counts, n), n
					break
				}
			}
		}
		if counts == nil {
			continue
		}
		args := name + "(" + strings.Join(slices.Repeat([]string{"1"}, at), ",") + ")" + group
		return fmt.Sprintf("%s\t%s%s\t%s %s %s", name, countsText(counts), strings.ToLower(strings.TrimSuffix(group, " (ORDER BY 1)")),
			number(args+overAll), number(args+overOrder), number(args+overFrame))
	}
	return ""
}

// ourWindowFacts is what windowFacts is to say of an entry of our table.
func ourWindowFacts(name string, def *window.Def) string {
	group, least, most := "", def.ArgsMin, def.ArgsMax
	if def.Within {
		group, least, most = " within group", least-1, most-1
	}
	if def.Name == "COUNT" {
		least = 1 // by COUNT(*) it has none
	}
	var counts []int
	for n := least; n <= most; n++ {
		counts = append(counts, n)
	}
	all, order, frame := "ok", "ok", "ok"
	switch {
	case def.Window == window.Partition:
		order, frame = "1064", "1064"
	case !def.Window.Frames():
		frame = "4017"
	}
	if def.Window.NeedsOrder() {
		all = "4018"
	}
	return fmt.Sprintf("%s\t%s%s\t%s %s %s", name, countsText(counts), group, all, order, frame)
}

// askWindowNames tries all functions of MariaDB over windows.
func askWindowNames(t *testing.T) string {
	t.Helper()
	s := maria(t)
	ask := func(expression string) string {
		a, err := s.Ask(Default, expression)
		require.NoError(t, err, expression)
		return a.String()
	}
	var out strings.Builder
	for _, f := range theirFunctions(t) {
		if facts := windowFacts(f.name, ask); facts != "" {
			out.WriteString(facts + "\n")
		}
	}
	return out.String()
}

// TestWindowNames holds the table of functions over windows against those that MariaDB has: all are there, take as many arguments and the same windows, and
// there are no others.
func TestWindowNames(t *testing.T) {
	if *record {
		require.NoError(t, os.WriteFile(windowNamesFile, []byte(askWindowNames(t)), 0o644))
	}
	met := map[string]bool{}
	for _, line := range lines(t, windowNamesFile) {
		name, _, _ := strings.Cut(line, "\t")
		def, ok := window.Find(name)
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		require.Equal(t, line, ourWindowFacts(name, def))
		met[def.Name] = true
	}
	var others []string // that are over windows alone
	for i := range window.Functions {
		def := &window.Functions[i]
		require.True(t, met[def.Name], "MariaDB has no %s", def.Name)
		if !def.Aggregate && def.Name != "LAST_VALUE" { // which is a function of values, too
			others = append(others, def.Name)
		}
	}
	require.ElementsMatch(t, function.Absent[function.OverWindows], others)
}

// What is recorded of names is a real server's.
func TestWindowNamesOfServer(t *testing.T) {
	have, err := os.ReadFile(windowNamesFile)
	require.NoError(t, err)
	require.Equal(t, strings.Split(askWindowNames(t), "\n"), strings.Split(string(have), "\n"))
}
