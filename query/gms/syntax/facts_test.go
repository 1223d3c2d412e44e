package syntax_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/test/corpus"
)

var verdicts = flag.String("verdicts", "", "compare the statements of this file as well, which test/corpus has saved")

// texts calls each for the statements of scripts and of the grammar's tests.
func texts(t *testing.T, each func(text string)) {
	scripts, err := filepath.Glob("../../../test/dialect/testdata/*")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, file := range scripts {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		input := false
		var lines []string
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\n")
			switch {
			case line == "sql" || strings.HasPrefix(line, "sql "):
				input, lines = true, nil
			case line == "----":
				input = false
			case input:
				lines = append(lines, line)
				if text, ok := strings.CutSuffix(strings.TrimSpace(line), ";"); ok {
					lines[len(lines)-1] = text
					each(strings.Join(lines, "\n"))
					lines = nil
				}
			}
		}
	}
	files, err := filepath.Glob("../../dialect/grammar/testdata/[a-h]*.verdicts")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if v, text, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t"); v == "ok" {
				each(strings.ReplaceAll(text, "⏎", "\n"))
			}
		}
	}
	if *verdicts == "" {
		return
	}
	f, err := os.Open(*verdicts)
	require.NoError(t, err)
	defer f.Close()
	list, err := corpus.Restore(f)
	require.NoError(t, err)
	for _, j := range list {
		if j.Mode == "" {
			each(j.Text)
		}
	}
}

// TestFacts compares what the tree of MariaDB's grammar says of statements with what that of go-mysql-server's parser says.
func TestFacts(t *testing.T) {
	reader := &parse.Reader{
		DB: "d", System: func(sqlparser.Statement, string, string) {}, Definer: func(sql string) string { return sql }, Fault: func(*fault.Fault) {},
	}
	compared, explained := 0, map[string]int{}
	seen := map[string]bool{}
	texts(t, func(text string) {
		if seen[text] {
			return
		}
		seen[text] = true
		ast, first, rest, err := func() (a sqlparser.Statement, b, c string, err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return reader.Text(text)
		}()
		if err != nil || rest != "" {
			return
		}
		s, _, err := grammar.Parse(text, grammar.Options{})
		if err != nil {
			return
		}
		old := syntax.Classify(first, ast)
		old.LockClause(text)
		compared++
		f := facts.Of(s)
		for what, pair := range differences(&old.Statement, f, s) {
			why := reason(what, f, s)
			explained[why]++
			if why == "" {
				t.Errorf("%s of %s\nold: %s\nnew: %s", what, text, pair[0], pair[1])
			}
		}
	})
	require.Greater(t, compared, 3000)
	t.Logf("%d statements compared; differences: %v", compared, explained)
}

// reason is why the two say otherwise of a statement; empty: there is none. Where a real server could be asked, it does as the new one says.
func reason(what string, f *facts.Facts, s tree.Statement) string {
	has := func(is func(tree.Node) bool) (found bool) {
		tree.Walk(s, func(n tree.Node) bool {
			found = found || is(n)
			return !found
		})
		return found
	}
	set, isSet := s.(*tree.SetOperation)
	insert, _ := s.(*tree.Insert)
	deletion, _ := s.(*tree.Delete)
	drop, _ := s.(*tree.Drop)
	_, isView := s.(*tree.View)
	_, isQuery := s.(tree.Query)
	switch {
	case what == "result" && isSet && set.Into != nil:
		return "INTO behind a set operation was not seen"
	case has(func(n tree.Node) bool { s, ok := n.(*tree.SetOperation); return ok && !s.Empty() }):
		return "ORDER BY and the lock clause behind a set operation were not seen"
	case has(func(n tree.Node) bool { _, ok := n.(*tree.With); return ok }):
		return "names of WITH were taken for tables, and tables in it were not seen behind a set operation"
	case what == "locking" || what == "other":
		if has(func(n tree.Node) bool { _, ok := n.(*tree.Lock); return ok }) {
			return "a lock clause counted where it locks no table, and for what is below the tables of a change"
		}
	case what != "tables":
	case f.Kind == facts.Explain:
		return "what EXPLAIN is about is not run"
	case f.Sequences:
		return "NEXTVAL and its like were not seen"
	case insert != nil && (insert.Returning != nil || insert.OnDuplicate != nil), deletion != nil && deletion.Returning != nil:
		return "queries in RETURNING and ON DUPLICATE KEY UPDATE were not seen"
	case insert != nil && insert.Query != nil && has(func(n tree.Node) bool { l, ok := n.(*tree.Lock); return ok && l.Wait != nil }):
		return "SKIP LOCKED and NOWAIT of what is inserted were those of the changed table, or of nothing"
	case insert != nil && spelledTwice(f):
		return "of two spellings of a name the other one is kept"
	case deletion != nil && (deletion.Quick || deletion.History):
		return "QUICK and HISTORY were taken for the name of a table"
	case isView, drop != nil && drop.What == "VIEW":
		return "names of views were in lower case"
	case drop != nil && drop.Names[0].Name.Text == "" || has(func(n tree.Node) bool { t, ok := n.(*tree.TableName); return ok && t.Name.Text == "" }):
		return "a table without a name was left out"
	case f.Kind == facts.Definition || f.Kind == facts.Call || f.Kind == facts.Load || f.Kind == facts.Show || f.Kind == facts.Replication:
		return "queries in CALL, LOAD DATA, SHOW and in definitions of columns were not seen"
	case isQuery && strings.Contains(tree.String(s), "- - - -"):
		return "several - behind each other were taken for a comment"
	}
	return ""
}

// spelledTwice reports whether two tables differ by upper and lower case only.
func spelledTwice(f *facts.Facts) bool {
	return slices.ContainsFunc(f.Tables, func(a facts.Table) bool {
		return slices.ContainsFunc(f.Tables, func(b facts.Table) bool {
			x, y := a.Name.Name.Text, b.Name.Name.Text
			return x != y && strings.EqualFold(x, y)
		})
	})
}

// differences are the fields that differ, with both values.
func differences(old *statement.Statement, f *facts.Facts, s tree.Statement) map[string][2]string {
	n := fromFacts(f, s)
	out := map[string][2]string{}
	check := func(what string, a, b any) {
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			out[what] = [2]string{x, y}
		}
	}
	check("kind", old.Kind, n.Kind)
	check("tables", sorted(old.Tables), sorted(n.Tables))
	check("other", old.Other, n.Other)
	check("locking", old.Locking, n.Locking)
	check("temporary", old.Temporary, n.Temporary)
	check("wait", old.WaitSeconds, n.WaitSeconds)
	check("result", old.Result, n.Result)
	return out
}

// sorted are uses as texts, in an order of their own.
func sorted(uses []statement.Use) []string {
	var all []string
	for _, u := range uses {
		all = append(all, fmt.Sprintf("%s.%s %d %d", u.DB, u.Name, u.Strength, u.Wait))
	}
	slices.Sort(all)
	return all
}

// kinds are what sessions are to do with the kinds of facts; the others are Read.
var kinds = map[facts.Kind]statement.Kind{
	facts.Select: statement.Read, facts.Insert: statement.Write, facts.Replace: statement.Write, facts.Update: statement.Write,
	facts.Delete: statement.Write, facts.Load: statement.Write, facts.Call: statement.Call, facts.Set: statement.Session,
	facts.Transaction: statement.Control, facts.Lock: statement.Control, facts.ChangeDB: statement.Session, facts.Prepare: statement.Session,
	facts.Definition: statement.Definition, facts.Program: statement.Definition, facts.Account: statement.Definition,
	facts.Server: statement.Session,
}

// fromFacts is what the session would be told of a statement.
func fromFacts(f *facts.Facts, s tree.Statement) *statement.Statement {
	st := &statement.Statement{WaitSeconds: -1, Kind: kinds[f.Kind]}
	reads := statement.Snapshot
	switch f.Kind {
	case facts.Insert, facts.Replace, facts.Update, facts.Delete, facts.Load:
		st.Other, st.Locking = statement.Shared, true
		reads = statement.Latest
	case facts.Definition:
		reads = statement.Latest
	case facts.Set:
		if len(f.Tables) > 0 {
			st.Kind = statement.Read
		}
	}
	switch n := s.(type) {
	case tree.Query:
		st.Result = !into(n)
	case *tree.Insert:
		st.Result = n.Returning != nil
	case *tree.Delete:
		st.Result = n.Returning != nil
	case *tree.CreateTable:
		st.Temporary = n.Temporary
	case *tree.Drop:
		st.Temporary = n.Temporary
	case *tree.Execute, *tree.ExecuteImmediate:
		st.Kind = statement.Call
	default:
		st.Result = st.Kind == statement.Read && f.Kind != facts.Set
	}
	for _, t := range f.Tables {
		use := statement.Use{DB: t.Name.DB.Text, Name: t.Name.Name.Text, Strength: reads}
		switch t.Use {
		case facts.Named:
			if c, ok := s.(*tree.CreateTable); !ok || c.Like != t.Name {
				continue
			}
			use.Strength = statement.Shared
		case facts.ReadShared, facts.ReadExclusive:
			use.Strength = statement.Shared
			if t.Use == facts.ReadExclusive {
				use.Strength = statement.Exclusive
			}
			st.Locking = true
			if f.Kind == facts.Select || f.Kind == facts.Explain {
				st.Other = use.Strength
			}
			if w := t.Lock.Wait; w != nil {
				switch {
				case w.NoWait:
					use.Wait = statement.NoWait
				case w.SkipLocked:
					use.Wait = statement.SkipLocked
				case f.Lock == t.Lock:
					st.WaitSeconds = int(w.Seconds)
				}
			}
		case facts.Written, facts.Created, facts.Altered, facts.Dropped:
			use.Strength = statement.Exclusive
		case facts.Locked, facts.Maintained:
			continue
		}
		i := slices.IndexFunc(st.Tables, func(u statement.Use) bool {
			return strings.EqualFold(u.Name, use.Name) && strings.EqualFold(u.DB, use.DB)
		})
		switch {
		case i < 0:
			st.Tables = append(st.Tables, use)
		case use.Strength > st.Tables[i].Strength:
			st.Tables[i].Strength, st.Tables[i].Wait = use.Strength, use.Wait
		}
	}
	return st
}

// into reports whether the rows of a query go elsewhere than to the client.
func into(q tree.Query) bool {
	switch q := q.(type) {
	case *tree.Select:
		return q.Into != nil
	case *tree.SetOperation:
		return q.Into != nil
	case *tree.Nested:
		return q.Into != nil
	case *tree.Values:
		return q.Into != nil
	}
	return false
}
