package charset

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var record = flag.Bool("record", false, "ask MariaDB and write testdata anew")

// operands are expressions over a table of columns named by their collations, with what they are.
func operands(t testing.TB) map[string]Operand {
	list := map[string]Operand{}
	for _, name := range strings.Fields(mixedColumns) {
		c := collationOf(t, name)
		list[name] = Operand{Collation: c, Derivation: Implicit, ASCII: c.set.name == "ascii"}
	}
	literal := func(expr, set, text string, ascii bool) {
		s, _ := SetByName(set)
		list[expr] = Operand{Collation: s.Default(), Derivation: Coercible, ASCII: ascii, Constant: true, Text: []byte(text)}
	}
	literal("'a'", "utf8mb4", "a", true)
	literal("'ю'", "utf8mb4", "ю", false)
	literal("'ä'", "utf8mb4", "ä", false)
	literal("_latin1'a'", "latin1", "a", true)
	literal("_latin1 x'E4'", "latin1", "\xe4", false)
	literal("_greek x'E1'", "greek", "\xe1", false)
	literal("_utf8mb3'ä'", "utf8mb3", "ä", false)
	literal("x'41'", "binary", "A", false)
	explicit := func(expr, name, text string, ascii, constant bool) {
		list[expr] = Operand{Collation: collationOf(t, name), Derivation: Explicit, ASCII: ascii, Constant: constant, Text: []byte(text)}
	}
	explicit("'a' COLLATE utf8mb4_bin", "utf8mb4_bin", "a", true, true)
	explicit("latin1_bin COLLATE latin1_german1_ci", "latin1_german1_ci", "", false, false)
	explicit("utf8mb4_bin COLLATE utf8mb4_general_ci", "utf8mb4_general_ci", "", false, false)
	list["NULL"] = Operand{Collation: collationOf(t, "binary"), Derivation: Ignorable, ASCII: true}
	list["USER()"] = Operand{Collation: collationOf(t, "utf8mb3_general_ci"), Derivation: SysConst, Constant: true, Text: []byte("root@localhost")}
	return list
}

const mixedColumns = "latin1_swedish_ci latin1_german1_ci latin1_bin latin1_nopad_bin utf8mb4_general_ci utf8mb4_unicode_ci utf8mb4_bin utf8mb4_nopad_bin utf8mb3_general_ci " +
	"utf8mb3_bin greek_general_ci ucs2_general_ci utf16_general_ci utf32_general_ci ascii_general_ci binary"

func collationOf(t testing.TB, name string) *Collation {
	t.Helper()
	c, ok := ByName(name)
	require.True(t, ok, name)
	return c
}

const mixesFile = "testdata/mixes.tsv"

// agreement is an operation over operands and what became of it.
func agreement(operation string, list []Operand) string {
	got, err := Aggregate(operation, operation != "concat", list...)
	var mixed *MixError
	if errors.As(err, &mixed) {
		return fmt.Sprintf("%d %s", mixed.Number(), mixed)
	}
	if operation != "concat" {
		return "ok"
	}
	return fmt.Sprintf("%s %d", got.Collation.Name(), got.Derivation)
}

// TestAggregate compares with what MariaDB said of CONCAT, = and BETWEEN over operands of all derivations.
func TestAggregate(t *testing.T) {
	known := operands(t)
	if *record {
		recordMixes(t, known)
	}
	text, err := os.ReadFile(mixesFile)
	require.NoError(t, err)
	count := 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		var list []Operand
		for _, expr := range f[2:] {
			o, ok := known[expr]
			require.True(t, ok, expr)
			list = append(list, o)
		}
		if got := agreement(f[0], list); got != f[1] {
			t.Errorf("%s of %q: %q, MariaDB has %q", f[0], f[2:], got, f[1])
		}
		count++
	}
	require.Greater(t, count, 1000)
}

func recordMixes(t *testing.T, known map[string]Operand) {
	peer.RequireMariaDB(t)
	db := peer.StartMariaDB(t, peer.Options{}).DB("")
	db.SetMaxOpenConns(1)
	var columns, expressions []string
	for _, name := range strings.Fields(mixedColumns) {
		if name == "binary" {
			columns = append(columns, "`binary` VARBINARY(10)")
			continue
		}
		columns = append(columns, name+" VARCHAR(10) COLLATE "+name)
	}
	peer.Exec(t, db, "SET NAMES utf8mb4", "CREATE DATABASE mixes", "USE mixes", "CREATE TABLE t ("+strings.Join(columns, ",")+")")
	for expr := range known {
		expressions = append(expressions, expr)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var out strings.Builder
	asked := map[string]bool{}
	for len(asked) < 4000 {
		list := make([]string, 2+rng.IntN(3))
		for i := range list {
			list[i] = expressions[rng.IntN(len(expressions))]
		}
		operation := "concat"
		quoted := make([]string, len(list))
		for i, e := range list {
			if e == "binary" {
				e = "`binary`"
			}
			quoted[i] = "(" + e + ")"
		}
		x := "CONCAT(" + strings.Join(quoted, ",") + ")"
		query := fmt.Sprintf("SELECT CONCAT(COLLATION(%s),' ',COERCIBILITY(%s)) FROM t RIGHT JOIN (SELECT 1) d ON 1", x, x)
		switch rng.IntN(3) {
		case 0:
			if len(list) == 2 {
				operation, query = "=", fmt.Sprintf("SELECT 'ok' FROM (SELECT 1) d LEFT JOIN t ON 1 WHERE (%s = %s) OR 1", quoted[0], quoted[1])
			}
		case 1:
			if len(list) == 3 {
				operation, query = "between", fmt.Sprintf("SELECT 'ok' FROM (SELECT 1) d LEFT JOIN t ON 1 WHERE (%s BETWEEN %s AND %s) OR 1", quoted[0], quoted[1], quoted[2])
			}
		}
		if asked[query] {
			continue
		}
		asked[query] = true
		var answer string
		if err := db.QueryRow(query).Scan(&answer); err != nil {
			var e *mysql.MySQLError
			require.ErrorAs(t, err, &e, query)
			answer = fmt.Sprintf("%d %s", e.Number, e.Message)
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\n", operation, answer, strings.Join(list, "\t"))
	}
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(mixesFile, []byte(out.String()), 0o644))
}
