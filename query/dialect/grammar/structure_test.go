package grammar_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// structures has, per line: a sql_mode, an expression, and the same one with parentheses around all of its operations. A real server said that
// both have the same value, as it did of many more when the file was written.
const structures = "testdata/structures.tsv"

const (
	structuresLive     = 20_000
	structuresRecorded = 600
)

// TestStructures: operators bind as they do in a real server. With -server, random expressions are compared by their values; with -rewrite,
// some of them are recorded.
func TestStructures(t *testing.T) {
	if *server != "" {
		liveStructures(t)
	}
	data, err := os.ReadFile(structures)
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		require.Len(t, fields, 3)
		_, o := modeOf(fields[0])
		explicit, err := explicitly("select "+fields[1], o)
		require.NoError(t, err, "%s", fields[1])
		require.Equal(t, fields[2], explicit, "%s", fields[1])
		n++
	}
	require.GreaterOrEqual(t, n, structuresRecorded)
}

// explicitly is an expression with parentheses around all of its operations.
func explicitly(text string, o grammar.Options) (string, error) {
	s, _, err := grammar.Parse(text, o)
	if err != nil {
		return "", err
	}
	wrap(reflect.ValueOf(s))
	return strings.TrimPrefix(tree.String(s), "SELECT "), nil
}

var exprType = reflect.TypeFor[tree.Expr]()

// wrap puts parentheses around operations.
func wrap(v reflect.Value) {
	visit(v, func(_ reflect.Type, _ string, field reflect.Value) {
		switch {
		case field.Type() == exprType:
			wrapOne(field)
		case field.Kind() == reflect.Slice && field.Type().Elem() == exprType:
			for i := range field.Len() {
				wrapOne(field.Index(i))
			}
		}
	})
}

func wrapOne(v reflect.Value) {
	switch x := v.Interface().(type) {
	case *tree.Binary, *tree.Chain, *tree.Unary, *tree.Is, *tree.In, *tree.Between, *tree.Like, *tree.AddInterval, *tree.AssignVariable:
		v.Set(reflect.ValueOf(&tree.Row{Items: []tree.Expr{x.(tree.Expr)}}))
	}
}

var (
	operands = strings.Fields("0 1 2 3 5 7 null '2' 2.5 -1 '2020-01-31' 20200131")
	infixes  = strings.Fields("or and xor || && = <=> <> < <= > >= | & << >> + - * / div % mod ^ like regexp rlike not_like not_regexp not_rlike sounds_like")
	prefixes = strings.Fields("not ! - + ~ binary")
	suffixes = []string{"is null", "is not null", "is true", "is not false", "in (1,2)", "not in (0)", "between 0 and", "not between 1 and", "+ interval 1 day",
		"- interval 2 month", "collate utf8mb4_bin", "like '1' escape"}
)

// randomExpression is a sequence of operands and operators without parentheses.
func randomExpression(r *rand.Rand) string {
	pick := func(all []string) string { return strings.ReplaceAll(all[r.IntN(len(all))], "_l", " l") }
	var b strings.Builder
	operand := func() {
		for r.IntN(5) == 0 {
			b.WriteString(pick(prefixes) + " ")
		}
		if r.IntN(12) == 0 {
			b.WriteString("interval 1 day + ")
		}
		b.WriteString(pick(operands))
	}
	operand()
	for range 2 + r.IntN(4) {
		if r.IntN(3) > 0 {
			b.WriteString(" " + strings.ReplaceAll(pick(infixes), "not_r", "not r") + " ")
			operand()
			continue
		}
		suffix := suffixes[r.IntN(len(suffixes))]
		b.WriteString(" " + suffix)
		if strings.HasSuffix(suffix, "and") || strings.HasSuffix(suffix, "escape") {
			b.WriteString(" ")
			operand()
		}
	}
	return b.String()
}

func liveStructures(t *testing.T) {
	c, err := client.Connect(*server, "root", "", "")
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Execute("set names utf8mb4")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(11, 22))
	var record strings.Builder
	compared, different, recorded := 0, 0, 0
	for compared < structuresLive && different < 20 {
		name := []string{"", "", "pipes", "highnot"}[r.IntN(4)]
		mode, o := modeOf(name)
		text := randomExpression(r)
		explicit, err := explicitly("select "+text, o)
		_, modeErr := c.Execute("set sql_mode='" + mode + "'")
		require.NoError(t, modeErr)
		want, wantErr := c.Execute("select " + text)
		if (err == nil) != (wantErr == nil || !strings.Contains(wantErr.Error(), "1064")) {
			different++
			t.Errorf("%s %s: here %v, server %v", name, text, err, wantErr)
		}
		if err != nil {
			continue
		}
		compared++
		got, gotErr := c.Execute("select " + explicit)
		if wantErr != nil || gotErr != nil {
			if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) && (wantErr == nil || gotErr == nil) {
				different++
				t.Errorf("%s %s, as %s: server %v, and then %v", name, text, explicit, wantErr, gotErr)
			}
			continue
		}
		wantText, gotText := fmt.Sprintf("%s", want.Values[0][0].Value()), fmt.Sprintf("%s", got.Values[0][0].Value())
		if wantText != gotText {
			different++
			t.Errorf("%s %s is %s, as %s it is %s", name, text, wantText, explicit, gotText)
		}
		if recorded < structuresRecorded {
			recorded++
			fmt.Fprintf(&record, "%s\t%s\t%s\n", name, text, explicit)
		}
	}
	t.Logf("%d expressions compared", compared)
	if *rewrite {
		require.NoError(t, os.WriteFile(structures, []byte(record.String()), 0o644))
	}
}
