package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/result"
)

// Arguments of functions, of which each function takes as many as it can; the placeholders' values are 2 and '2020-02-02 10:11:12'.
var argumentLists = [][]string{
	{"b", "b", "b", "b"}, {"b", "a", "a", "a"}, {"d", "?", "'UTC'", "b"}, {"a", "n", "b", "a"}, {"j", "'$.x'", "b", "a"}, {"?", "b", "?", "?"}, {"d", "a", "d", "b"},
	{"n", "?", "d", "b"}, {"b", "j", "'$.x'", "b"}, {"'$.x'", "a", "'%Y %b'", "j"}, {"NULL", "b", "a", "d"}, {"CONCAT(b, '%Y')", "'%M'", "LENGTH(b)", "1"},
}

// Functions whose value does not follow from their arguments, the time and the variables.
var generalFunctions = []string{
	"RAND", "UUID", "UUID_SHORT", "SYS_GUID", "SYSDATE", "SLEEP", "BENCHMARK", "GET_LOCK", "RELEASE_LOCK", "RELEASE_ALL_LOCKS", "IS_FREE_LOCK", "IS_USED_LOCK", "LOAD_FILE",
	"USER", "SESSION_USER", "SYSTEM_USER", "CURRENT_USER", "CURRENT_ROLE", "DATABASE", "SCHEMA", "CONNECTION_ID", "LAST_INSERT_ID", "FOUND_ROWS", "ROW_COUNT", "ROWNUM", "VERSION",
	"MASTER_POS_WAIT", "MASTER_GTID_WAIT", "BINLOG_GTID_POS", "RANDOM_BYTES",
}

// What a call of any function was bound to gives what a call gives that is bound anew, whoever else runs it at the same time; functions that ask the session,
// or do something, are bound for each run.
func TestFunctionsAgain(t *testing.T) {
	srv := newServer(t)
	fresh, kept := srv.connect(), []*client{srv.connect(), srv.connect()}
	for _, c := range append([]*client{fresh}, kept...) {
		t.Cleanup(c.Close)
		if c == fresh {
			c.exec("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, a INT, b VARCHAR(40), d DATETIME(3), n DECIMAL(8,3), j JSON)")
			c.exec(`INSERT INTO d.t VALUES (1, 3, 'abc 12', '2020-02-29 10:11:12.125', 5.25, '{"x":[1,2]}'), (2, NULL, '2021-03-04', '1999-12-31', -7.5, '[1]'), (3, 0, '%%d', NULL, 0, NULL), (4, 6, 'Y%%', 0, 99, '{}')`)
		}
		c.exec("USE d; SET timestamp = 1580774400.5; SET GLOBAL duramen_direct_path_size = 100000000; SET sql_mode = ''")
	}
	fresh.exec("SET duramen_direct_path = OFF")
	names, lists := slices.Sorted(function.Names()), argumentLists
	if !fullScale() {
		lists = lists[:6]
	}
	var texts []string
	for _, name := range names {
		def, _ := function.Find(name)
		for _, list := range lists {
			count := min(len(list), max(def.Min, 1))
			if most := def.Max; most < 0 || most >= len(list) {
				count = len(list)
			} else if most > 0 {
				count = most
			}
			if def.Max == 0 {
				count = 0
			}
			call := name + "(" + strings.Join(list[:count], ", ") + ")"
			explained, err := kept[0].run("EXPLAIN SELECT " + strings.ReplaceAll(call, "?", "2") + " FROM t WHERE id = 1")
			if err != nil {
				continue // its arguments are wrong
			}
			direct := strings.HasSuffix(explained[0].text(), "|direct")
			require.False(t, direct && slices.Contains(generalFunctions, name), call)
			if direct {
				texts = append(texts, "SELECT "+call+" FROM t WHERE id = ?", "SELECT id FROM t WHERE id > ? AND a <= "+call)
			}
			if count == 0 {
				break
			}
		}
	}
	direct := map[string]bool{}
	for _, text := range texts {
		direct[text[strings.LastIndex(text[:strings.Index(text, "(")], " ")+1:strings.Index(text, "(")]] = true
	}
	require.Greater(t, len(direct), 190, "of %d functions", len(names))
	ctx := context.Background()
	run := func(c *client, text string) (out []string, err error) {
		stmt, err := c.Prepare(ctx, text)
		if err != nil {
			return nil, err
		}
		defer c.CloseStmt(stmt)
		for _, id := range []int{1, 2, 3, 1, 4} {
			params := make([]result.Value, stmt.ParamCount)
			for i := range params {
				params[i] = result.Signed(2)
				if i%2 == 1 {
					params[i] = result.Text([]byte("2020-02-02 10:11:12"))
				}
			}
			if strings.HasSuffix(text, "?") {
				params[len(params)-1] = result.Signed(int64(id))
			} else {
				params[0] = result.Signed(int64(id))
			}
			var r recorder
			err := c.ExecuteStmt(ctx, stmt, params, &r)
			out = append(out, outcome(c, err, &r))
		}
		return out, nil
	}
	var sessions sync.WaitGroup
	for i, c := range kept {
		reference := srv.connect()
		t.Cleanup(reference.Close)
		reference.exec("USE d; SET timestamp = 1580774400.5; SET sql_mode = ''; SET duramen_direct_path = OFF")
		sessions.Go(func() {
			for at := range texts {
				if i == 1 { // mostly both run the same
					at ^= at / 8 & 1
				}
				text := texts[min(at, len(texts)-1)]
				want, wrong := run(reference, text)
				got, err := run(c, text)
				if fmt.Sprint(got, err) != fmt.Sprint(want, wrong) {
					t.Errorf("%s:\n%v %v\nnot\n%v %v", text, got, err, want, wrong)
				}
			}
		})
	}
	sessions.Wait()
	require.Greater(t, fresh.status()["Direct_hits"], len(texts))
	t.Logf("%d functions, %d statements, %d hits", len(direct), len(texts), fresh.status()["Direct_hits"])
}
