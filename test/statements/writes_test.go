package statements

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// A MariaDB and a server of ours do the same for drawn statements that change a row. Each is rolled back.
func TestDrawnWrites(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	run := newRun(t, theirs, ours)
	for n, left := 0, peer.Scaled(*tablesN, *tablesN*20); left > 0; n++ {
		run.drawTable(uint64(n) + 2_000_000)
		if run.table == nil || !slices.Contains(run.table.keys, "PRIMARY KEY (id)") {
			continue // other tables have no row that the statements know the key of
		}
		left--
		run.stamp()
		for i := range *count {
			if i%8 == 0 {
				run.setting = drawSetting(run.r)
				run.setting.results = "utf8mb4"
				if run.table.computes() { // which MariaDB computes by the setting of the session that has opened the table
					run.setting.more = increments.ReplaceAllString(run.setting.more, "div_precision_increment=4")
				}
				run.both(run.setting.statements()...)
			}
			d := &drawer{Rand: run.r, t: run.table, params: oneIn(run.r, 3)}
			q := d.change()
			got := ours.change(t, run.table, q)
			if refused(got) {
				run.refuse(got)
				continue
			}
			want := theirs.change(t, run.table, q)
			if q.strict && run.mayFail(want, got) {
				run.stricter++
				continue
			}
			run.judge(q, want, got)
		}
	}
	run.report()
}

// The same for statements that change any number of rows, found by whatever keys there are.
func TestDrawnChanges(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	run := newRun(t, theirs, ours)
	for n := range peer.Scaled(*tablesN, *tablesN*20) {
		run.drawTable(uint64(n) + 3_000_000)
		if run.table == nil {
			continue
		}
		run.stamp()
		run.both("SET max_error_count=65535")
		for i := range *count {
			if i%8 == 0 {
				run.setting = drawSetting(run.r)
				run.setting.results = "utf8mb4"
				if run.table.computes() { // which MariaDB computes by the setting of the session that has opened the table
					run.setting.more = increments.ReplaceAllString(run.setting.more, "div_precision_increment=4")
				}
				run.both(run.setting.statements()...)
			}
			d := &drawer{Rand: run.r, t: run.table, params: oneIn(run.r, 3)}
			q := d.changes()
			got := ours.change(t, run.table, q)
			if refused(got) {
				run.refuse(got)
				continue
			}
			want := theirs.change(t, run.table, q)
			if run.mayFail(want, got) {
				run.stricter++
				continue
			}
			want, got = anyRow(want), anyRow(got)
			both := want.failure != "" && got.failure != ""
			if !strings.Contains(q.tail, "ORDER BY") && want.failure != got.failure && (both || want.failure == dupEntry || got.failure == dupEntry) {
				run.inconsistent++ // which row fails first, and whether a key is free, depends on the order in which rows are changed
				continue
			}
			run.judge(q, want, got)
		}
	}
	run.report()
}

// dupEntry is the error of a key that another row has.
const dupEntry = "1062"

// atRow is the end of a message about a column's value. Which row has which number depends on the index by which rows are found.
var atRow = regexp.MustCompile(` at row \d+`)

// anyRow is an answer without the numbers of rows. Of an error it has only the number: the first row that fails may be another one.
func anyRow(a answer) answer {
	for i, w := range a.warnings {
		a.warnings[i] = atRow.ReplaceAllString(w, "")
	}
	slices.Sort(a.warnings)
	if a.failure != "" {
		a.failure, _, _ = strings.Cut(a.failure, "/")
	}
	return a
}

// A client that asks for the rows that were found gets their number, any other one that of the rows that were changed.
func TestFoundRows(t *testing.T) {
	at := peer.Start(t, peer.Options{Kind: peer.Duramen}).Addr()
	for _, found := range []bool{false, true} {
		conn, err := client.Connect(at, "root", "", "", func(c *client.Conn) error {
			if found {
				c.SetCapability(mysql.CLIENT_FOUND_ROWS)
			}
			return nil
		})
		require.NoError(t, err)
		s := session{conn}
		s.must(t, "SET native_sql=ONLY")
		s.must(t, "CREATE DATABASE IF NOT EXISTS counted")
		s.must(t, "CREATE TABLE IF NOT EXISTS counted.t (id INT PRIMARY KEY, v INT)")
		s.must(t, "INSERT INTO counted.t VALUES (1, 1)")
		r, err := s.Execute("UPDATE counted.t SET v=1 WHERE id=1")
		require.NoError(t, err)
		require.Equal(t, found, r.AffectedRows == 1)
		r, err = s.Execute("DELETE FROM counted.t WHERE id=1")
		require.NoError(t, err)
		require.EqualValues(t, 1, r.AffectedRows)
		require.NoError(t, conn.Close())
	}
}

// warned is an error that a warning of a condition has become. MariaDB has fewer of them, and other words, where it makes constants ready before, and none
// where it sorts rows before it changes the first.
var warned = regexp.MustCompile(`^1292/22007 (Truncated incorrect|Incorrect \w+ value: .* for column) `)

// computed is an error that a warning of a column that is computed when it is read has become.
var computed = regexp.MustCompile(`^(1264|1265|1292|1366)/`)

// mayFail reports whether one of the servers, or both, have computed what fails in strict mode: a condition, or a column that is computed.
func (r *run) mayFail(answers ...answer) bool {
	return strings.Contains(r.setting.mode, "STRICT") && slices.ContainsFunc(answers, func(a answer) bool {
		return warned.MatchString(a.failure) || r.table.computes() && computed.MatchString(a.failure)
	}) && answers[0].failure != answers[1].failure
}

// stamp gives some tables a column that has the moment of a row's last change.
func (r *run) stamp() {
	r.t.Helper()
	if !oneIn(r.r, 3) || r.table.computes() { // which ALTER TABLE does not always take
		return
	}
	kind := pick(r.r, []string{"TIMESTAMP(3) NOT NULL DEFAULT '2001-01-01' ON UPDATE CURRENT_TIMESTAMP(3)", "DATETIME NULL ON UPDATE CURRENT_TIMESTAMP"})
	r.both("ALTER TABLE " + r.table.name + " ADD COLUMN changed " + kind)
}

// change runs a statement that changes rows, in a transaction that is rolled back, and looks at the table meanwhile.
func (s session) change(t *testing.T, of *table, q question) answer {
	t.Helper()
	s.must(t, "BEGIN")
	defer s.must(t, "ROLLBACK")
	a := s.ask(t, q.text(), q.args...)
	if refused(a) {
		return a
	}
	rows := s.ask(t, "SELECT * FROM "+of.name)
	if a.failure == "" {
		a.rows = append(a.rows, rows.rows...)
	}
	return a
}

// change draws an UPDATE or DELETE of the row with a primary key.
func (d *drawer) change() question {
	d.name = d.t.name
	alias := ""
	q := question{from: d.t.name, like: likeness{warnings: true}}
	if oneIn(d.Rand, 5) {
		q.head = pick(d.Rand, []string{"DELETE FROM ", "DELETE QUICK FROM ", "DELETE LOW_PRIORITY FROM "})
	} else {
		q.head = pick(d.Rand, []string{"UPDATE ", "UPDATE ", "UPDATE LOW_PRIORITY "})
		if oneIn(d.Rand, 4) {
			d.name, alias = "x", pick(d.Rand, []string{" x", " AS x"})
		}
		alias += " SET " + d.assignments()
	}
	id := "id=" + pick(d.Rand, d.t.columns[0].values)
	if oneIn(d.Rand, 8) {
		id = "99=id"
	}
	where := id
	d.like = true // which row MariaDB finds with others depends on the index that it reads
	switch d.IntN(4) {
	case 0:
		where += " AND " + d.condition(d.IntN(2))
	case 1:
		where = d.condition(0) + " AND " + id
	}
	q.strict = where != id
	q.like.warnings = where == id // else they depend on when a condition is computed
	q.tail = alias + " WHERE " + where + pick(d.Rand, []string{"", "", "", " LIMIT 1", " LIMIT 7", " LIMIT 0"})
	q.args = d.args
	return q
}

// changes draws an UPDATE or DELETE of any rows.
func (d *drawer) changes() question {
	d.name = d.t.name
	alias := ""
	q := question{from: d.t.name, like: likeness{warnings: true}}
	isDelete := oneIn(d.Rand, 4)
	if isDelete {
		q.head = "DELETE FROM "
	} else {
		q.head = pick(d.Rand, []string{"UPDATE ", "UPDATE ", "UPDATE IGNORE "})
		if oneIn(d.Rand, 4) {
			d.name, alias = "x", " x"
		}
		alias += " SET " + d.assignments()
	}
	d.like = true // see change
	q.tail = alias
	if !oneIn(d.Rand, 8) {
		q.tail += " WHERE " + d.condition(d.IntN(3))
		q.like.warnings = !d.perRow && !d.t.computes() // else they depend on which conditions and columns are computed for which rows
	}
	if ignores := strings.HasPrefix(q.head, "UPDATE IGNORE"); ignores || oneIn(d.Rand, 3) { // which row of two gets a key depends on their order
		var keys []string
		for range d.IntN(2) {
			keys = append(keys, d.called(d.aColumn())+pick(d.Rand, []string{"", " DESC"}))
		}
		q.tail += " ORDER BY " + strings.Join(append(keys, "id"+pick(d.Rand, []string{"", " DESC"})), ", ")
		q.tail += pick(d.Rand, []string{"", " LIMIT 1", " LIMIT 3", " LIMIT 0", " LIMIT 100"})
	}
	q.args = d.args
	return q
}

func (d *drawer) assignments() string {
	var list []string
	for range 1 + d.IntN(3) {
		c := &d.t.columns[d.IntN(len(d.t.columns))]
		list = append(list, d.called(c)+"="+d.assigned(c))
	}
	return strings.Join(list, ", ")
}

// assigned is what a column is set to.
func (d *drawer) assigned(c *column) string {
	switch d.IntN(16) {
	case 0, 1:
		return d.called(c)
	case 4, 5:
		return d.expression()
	case 2, 6:
		return d.called(d.aColumn())
	case 8:
		return "DEFAULT"
	case 3, 7:
		if c.class == "number" {
			return d.called(c) + pick(d.Rand, []string{"+1", "-1", "*2", "+0.5", "+100000", "/3"})
		}
		return fmt.Sprintf("CONCAT(%s,'x')", d.called(c))
	}
	return d.constant(c)
}

var increments = regexp.MustCompile(`div_precision_increment=[0-9]+`)
