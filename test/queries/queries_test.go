package queries

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var (
	theirAddr = flag.String("queries.server", "", "address of a running MariaDB, instead of one that the test starts")
	ourAddr   = flag.String("queries.ours", "", "address of a running Duramen, instead of one that the test starts")
	rounds    = flag.Int("queries.rounds", 12, "how many pairs of tables are drawn")
	count     = flag.Int("queries.count", 60, "how many statements are drawn for each")
	seed      = flag.Uint64("queries.seed", 1, "which ones")
	most      = flag.Int("queries.most", 20, "how many differences are shown")
	only      = flag.String("queries.only", "", "show those of a family only")
)

// A server of ours answers drawn statements of several tables as MariaDB does, or refuses them.
func TestDrawn(t *testing.T) {
	theirs, ours := dial(t, *theirAddr, startMariaDB), dial(t, *ourAddr, startDuramen)
	// With materialized subqueries MariaDB 10.11 finds rows for NOT IN a list with NULL, and its cache of subqueries knows no case.
	_, err := theirs.Execute("SET optimizer_switch='materialization=off,semijoin=off,subquery_cache=off'")
	require.NoError(t, err)
	run := &run{T: t, families: map[string]*tally{}, reasons: map[string]int{}}
	for n := range peer.Scaled(*rounds, *rounds*20) {
		r := rand.New(rand.NewPCG(*seed, uint64(n)))
		tables := drawTables(r)
		set := []string{
			"DROP DATABASE IF EXISTS queries", "CREATE DATABASE queries", "USE queries", "SET NAMES utf8mb4, time_zone='+00:00', sql_mode=''",
		}
		for _, tab := range tables {
			set = append(set, tab.create, tab.insert)
		}
		for _, s := range []*client.Conn{theirs, ours} {
			for _, st := range set {
				_, err := s.Execute(st)
				require.NoError(t, err, st)
			}
		}
		d := &drawer{Rand: r, tables: tables}
		for range *count {
			q := d.statement()
			want, got := ask(t, theirs, q), ask(t, ours, q)
			run.judge(q, want, got, set)
		}
	}
	run.report()
}

func startMariaDB(t *testing.T) string {
	return peer.StartMariaDB(t, peer.Options{Args: []string{"--innodb-flush-log-at-trx-commit=0"}}).Socket
}

func startDuramen(t *testing.T) string {
	return peer.Start(t, peer.Options{Kind: peer.Duramen}).Addr()
}

func dial(t *testing.T, addr string, start func(*testing.T) string) *client.Conn {
	t.Helper()
	if addr == "" {
		addr = start(t)
	}
	conn, err := client.Connect(addr, "root", "", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// answer is what a server says.
type answer struct {
	failure string // number and state
	text    string // of the failure
	columns []string
	types   []string
	rows    []string
}

func ask(t *testing.T, s *client.Conn, q question) (a answer) {
	t.Helper()
	r, err := s.Execute(q.text)
	if err != nil {
		var e *mysql.MyError
		require.ErrorAs(t, err, &e, q.text)
		return answer{failure: fmt.Sprintf("%d/%s", e.Code, e.State), text: e.Message}
	}
	defer r.Close()
	for _, f := range r.Fields {
		a.columns = append(a.columns, string(f.Name))
		a.types = append(a.types, fmt.Sprintf("%d dec %d uns %d cs %d", f.Type, f.Decimal, f.Flag&mysql.UNSIGNED_FLAG, f.Charset))
	}
	for i := range r.Values {
		var row []string
		for j := range r.Values[i] {
			v := r.Values[i][j]
			switch x := v.Value().(type) {
			case nil:
				row = append(row, "NULL")
			case []byte:
				row = append(row, folded(string(x)))
			default:
				row = append(row, fmt.Sprint(x))
			}
		}
		a.rows = append(a.rows, strings.Join(row, "|"))
	}
	if !q.ordered {
		slices.Sort(a.rows)
	}
	return a
}

// folded is a text as one that is equal to it in any collation: which of equal ones is shown is nobody's business.
func folded(s string) string {
	var parts []string
	for _, p := range strings.Split(s, ",") {
		parts = append(parts, strings.TrimRight(strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(p), "á", "a"), "\xe1", "a"), " "))
	}
	return strings.Join(parts, ",")
}

type tally struct{ same, refused, different int }

type run struct {
	*testing.T
	families map[string]*tally
	all      tally
	reasons  map[string]int // of refusals
	types    int
	shown    int
}

func (r *run) judge(q question, want, got answer, set []string) {
	r.Helper()
	add := func(f func(*tally)) {
		f(&r.all)
		for _, tag := range q.tags {
			if r.families[tag] == nil {
				r.families[tag] = &tally{}
			}
			f(r.families[tag])
		}
	}
	d := ""
	switch {
	case got.failure == "1235/42000":
		add(func(t *tally) { t.refused++ })
		r.reasons[got.text]++
		if *only == "refused" {
			if r.shown++; r.shown <= *most {
				r.Logf("%s;\n%s;\n%s", strings.Join(set[4:], ";\n"), q.text, got.text)
			}
		}
		return
	case want.failure != got.failure:
		d = fmt.Sprintf("error\n  expected %s %s\n  ours     %s %s", want.failure, want.text, got.failure, got.text)
	case !slices.Equal(want.columns, got.columns):
		d = fmt.Sprintf("columns\n  expected %q\n  ours     %q", want.columns, got.columns)
	case !slices.Equal(want.rows, got.rows):
		d = fmt.Sprintf("rows\n  expected %q\n  ours     %q", want.rows, got.rows)
	case !slices.Equal(want.types, got.types):
		r.types++
		if *only == "types" {
			d = fmt.Sprintf("types\n  expected %q\n  ours     %q", want.types, got.types)
		}
	}
	if d == "" {
		add(func(t *tally) { t.same++ })
		return
	}
	add(func(t *tally) { t.different++ })
	if *only != "" && *only != "types" && !slices.ContainsFunc(q.tags, func(t string) bool { return t == *only }) {
		return
	}
	if r.shown++; r.shown <= *most {
		r.Errorf("%q\n%s;\n%s;\n%s", q.tags, strings.Join(set[4:], ";\n"), q.text, d)
	}
}

func (r *run) report() {
	r.Helper()
	names := slices.SortedFunc(maps.Keys(r.families), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.families[b].different, r.families[a].different), cmp.Compare(a, b))
	})
	for _, n := range names {
		r.Logf("%-50s %+v", n, *r.families[n])
	}
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		r.Logf("refused %d times: %s", r.reasons[reason], reason)
	}
	r.Logf("same %d, refused %d, different %d, of other types %d", r.all.same, r.all.refused, r.all.different, r.types)
	require.Positive(r, r.all.same, "nothing was the same")
	if r.all.different > 0 {
		r.Fail()
	}
}
