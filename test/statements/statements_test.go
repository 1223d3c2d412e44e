package statements

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var (
	addr      = flag.String("statements.server", "", "address of a running MariaDB, instead of one that the test starts")
	tablesN   = flag.Int("statements.tables", 12, "how many tables are drawn")
	count     = flag.Int("statements.count", 60, "how many statements are drawn for each table")
	seed      = flag.Uint64("statements.seed", 1, "which ones")
	generated = flag.Int("statements.generated", 4, "one of how many tables has generated columns")
	most      = flag.Int("statements.most", 20, "how many differences are shown")
)

// A MariaDB and a server of ours answer drawn statements alike.
func TestDrawn(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	newRun(t, theirs, ours).drawn(0)
}

// A MariaDB and a server of ours answer alike where a table of one row is joined, so that the statements are the fallback's.
func TestDrawnBeside(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	ours.must(t, "SET native_sql=ON")
	run := newRun(t, theirs, ours)
	run.beside = " JOIN (SELECT 1 AS one) AS beside"
	run.drawn(5_000)
}

// drawn compares statements of tables, of which the first has a number.
func (r *run) drawn(first uint64) {
	run, t := r, r.t
	t.Helper()
	for n := range peer.Scaled(*tablesN, *tablesN*20) {
		run.drawTable(first + uint64(n))
		if run.table == nil || run.beside != "" && run.table.computes() { // of types that go-mysql-server's generated columns do not have
			continue
		}
		set := ""
		for i := range *count {
			s := drawSetting(run.r)
			if i%8 != 0 && set != "" { // a session has many statements
				s = run.setting
			}
			if s.String() != set {
				set, run.setting = s.String(), s
				run.both(s.statements()...)
			}
			d := &drawer{Rand: run.r, t: run.table, params: oneIn(run.r, 3) && run.beside == "", beside: run.beside}
			q := d.statement()
			if run.beside != "" {
				if q.keyed { // the least of equal texts, and how BIT and YEAR are shown, is by plan
					continue
				}
				q.like.rowsOnly, q.like.warnings, q.like.anyRow = true, false, true // in which order tables are read is the optimizer's business
			}
			q.like.warnings = q.like.warnings && s.results == "utf8mb4" // in others SHOW WARNINGS shows them
			if noZero := strings.Contains(s.mode, "NO_ZERO") || strings.Contains(s.mode, "TRADITIONAL"); noZero && strings.Contains(q.text()+fmt.Sprint(q.args), "0000-00-00") {
				q.like.warnings = false // MariaDB tells of zero dates where it looks for an index, more or less often
			}
			run.compare(q)
		}
	}
	run.report()
}

// A table with keys and one without any have the same rows for a drawn statement.
func TestIndexes(t *testing.T) {
	ours := duramen(t)
	run := newRun(t, ours)
	for n := range peer.Scaled(*tablesN, *tablesN*20) {
		run.drawTable(uint64(n) + 1_000_000)
		if run.table == nil {
			continue
		}
		for i := range *count {
			if i%8 == 0 {
				run.setting = drawSetting(run.r)
				run.both(run.setting.statements()...)
			}
			d := &drawer{Rand: run.r, t: run.table, params: oneIn(run.r, 3)}
			q := d.statement()
			q.like.warnings = false
			if q.keyed {
				continue
			}
			got := ours.ask(t, q.text(), q.args...)
			if refused(got) {
				run.refuse(got)
				continue
			}
			want := ours.ask(t, q.plain(run.table).text(), q.args...)
			want.columns, got.columns, want.flags, got.flags = nil, nil, nil, nil // of tables of other names
			if want.failure != "" || got.failure != "" {
				continue // depends on which rows are computed
			}
			run.judge(q, want, got)
		}
	}
	run.report()
}

// run compares statements, and counts.
type run struct {
	t                      *testing.T
	servers                []session // the last one is ours
	kinds                  []kind    // of columns
	known                  func(q question, theirs, ours answer) bool
	r                      *rand.Rand
	table                  *table
	beside                 string // what is joined to the table
	setting                setting
	asked, differ, refused int
	reasons                map[string]*refusal
	lost                   int // tables that are not the same on both servers
	inconsistent           int // MariaDB's answers that an index changes
	stricter               int // statements that fail with a warning of their condition
}

func newRun(t *testing.T, servers ...session) *run {
	t.Helper()
	r := &run{t: t, servers: servers, kinds: kinds}
	r.both("DROP DATABASE IF EXISTS drawn", "CREATE DATABASE drawn", "USE drawn")
	return r
}

func (r *run) both(statements ...string) {
	r.t.Helper()
	for _, s := range r.servers {
		for _, st := range statements {
			s.must(r.t, st)
		}
	}
}

// drawTable makes the n-th table, with rows that all servers have taken; the table is nil if they do not agree about it.
func (r *run) drawTable(n uint64) {
	r.t.Helper()
	r.r = rand.New(rand.NewPCG(*seed, n))
	name := fmt.Sprintf("t%d", n)
	t := drawTable(r.r, rand.New(rand.NewPCG(*seed+1<<32, n)), name, r.kinds)
	r.table = nil
	r.both("SET sql_mode=DEFAULT", "SET sql_mode='', time_zone='+00:00', character_set_results=utf8mb4, div_precision_increment=4")
	for _, keys := range []bool{true, false} {
		for i, s := range r.servers {
			if _, err := s.Execute(t.create(keys)); err != nil {
				r.t.Logf("table %d: server %d: %s: %v", n, i, t.create(keys), err)
				r.lost++
				return
			}
		}
	}
	var kept []string
	for i, row := range t.rows {
		if r.insert(t, i+1, row) {
			kept = append(kept, row)
		}
	}
	t.rows = kept
	for _, name := range []string{t.name, t.plain()} {
		q := "SELECT * FROM " + name + " x ORDER BY id"
		first := r.servers[0].ask(r.t, q)
		for _, s := range r.servers[1:] {
			other := s.ask(r.t, q)
			if d := (likeness{ordered: true}).difference(first, other); d != "" {
				r.t.Logf("table %d: %s: %s: %s", n, t.create(true), q, d)
				r.lost++
				return
			}
		}
	}
	r.table = t
}

// insert stores a row in all tables, if all servers take it.
func (r *run) insert(t *table, id int, row string) bool {
	r.t.Helper()
	for i, s := range r.servers {
		if _, err := s.Execute(t.insert(row, true)); err != nil {
			for _, s := range r.servers[:i] {
				s.must(r.t, fmt.Sprintf("DELETE FROM %s WHERE id=%d", t.name, id))
			}
			return false
		}
	}
	r.both(t.insert(row, false))
	return true
}

// compare asks both servers.
func (r *run) compare(q question) {
	r.t.Helper()
	ours := r.servers[1].ask(r.t, q.text(), q.args...)
	if refused(ours) {
		r.refuse(ours)
		return
	}
	theirs := r.servers[0].ask(r.t, q.text(), q.args...)
	if q.like.difference(theirs, ours) != "" && theirs.failure == "" {
		// By an index MariaDB finds other rows where a constant is not of the column's type: what it says without one is the truth.
		plain := r.servers[0].ask(r.t, q.plain(r.table).text(), q.args...)
		if rows := (likeness{ordered: q.like.ordered}); rows.difference(answer{rows: theirs.rows}, answer{rows: plain.rows}) != "" {
			r.inconsistent++
			theirs.rows, theirs.warnings, theirs.count = plain.rows, plain.warnings, plain.count
		}
	}
	r.judge(q, theirs, ours)
}

// refused reports whether a statement is one that is not run natively.
func refused(a answer) bool { return strings.HasPrefix(a.failure, "1235/") }

// refusal is a reason why statements are refused: how many, and one of them.
type refusal struct {
	count int
	such  string
}

// refuse counts a refusal, and why.
func (r *run) refuse(a answer) {
	r.refused++
	if r.reasons == nil {
		r.reasons = map[string]*refusal{}
	}
	_, reason, _ := strings.Cut(a.failure, "doesn't yet support ")
	if r.reasons[reason] == nil {
		r.reasons[reason] = &refusal{such: a.asked}
	}
	r.reasons[reason].count++
}

func (r *run) judge(q question, want, got answer) {
	r.t.Helper()
	r.asked++
	d := q.like.difference(want, got)
	if d == "" || r.known != nil && r.known(q, want, got) {
		return
	}
	if r.differ++; r.differ > *most {
		return
	}
	text := q.text()
	if q.args != nil {
		text += fmt.Sprintf("  with %#v", q.args)
	}
	rows := strings.Join(r.table.rows, "), (")
	r.t.Errorf("%s;\n%s;\n%s;\nINSERT INTO %s VALUES (%s);\n%s\n", r.setting, r.table.create(true), text, r.table.name, rows, d)
}

func (r *run) report() {
	r.t.Helper()
	r.t.Logf("%d of %d differ, %d refused, %d tables lost, %d answers of MariaDB depend on keys, %d conditions fail",
		r.differ, r.asked, r.refused, r.lost, r.inconsistent, r.stricter)
	for _, reason := range slices.SortedFunc(maps.Keys(r.reasons), func(a, b string) int { return r.reasons[b].count - r.reasons[a].count }) {
		r.t.Logf("  refused %d times: %s; such as %s", r.reasons[reason].count, reason, r.reasons[reason].such)
	}
	if r.differ > 0 {
		r.t.Fail()
	}
	require.Positive(r.t, r.asked, "nothing was asked")
}
