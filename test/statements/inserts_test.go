package statements

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// A MariaDB and a server of ours do the same for drawn INSERTs. Each is rolled back.
func TestDrawnInserts(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	run := newRun(t, theirs, ours)
	for n := range peer.Scaled(*tablesN, *tablesN*20) {
		run.drawTable(uint64(n) + 4_000_000)
		if run.table == nil {
			continue
		}
		more := run.defaults()
		run.both("DROP TABLE IF EXISTS copied", theirs.defined(t, run.table.name, "copied"), "INSERT INTO copied SELECT * FROM "+run.table.name)
		for i := range *count {
			if i%8 == 0 {
				run.setting = drawSetting(run.r)
				run.setting.results = "utf8mb4"
				run.both(run.setting.statements()...)
			}
			d := &drawer{Rand: run.r, t: run.table, params: oneIn(run.r, 3)}
			var q question
			if oneIn(run.r, 3) {
				from := []string{run.table.name, "copied"}
				if strings.Contains(run.setting.mode, "NO_ZERO") || strings.Contains(run.setting.mode, "TRADITIONAL") {
					from = from[1:] // what a temporary table does not take comes before other errors
				}
				q = d.insertSelect(more, pick(run.r, from))
			} else {
				q = d.insert(more)
			}
			if !strings.Contains(q.tail, "ON DUPLICATE") { // with it MariaDB shows columns ON UPDATE CURRENT_TIMESTAMP that it has left as they were
				q.tail += d.returning()
			}
			q.args = d.args
			if strings.Contains(q.head, "IGNORE") && strings.Contains(q.tail, "ON DUPLICATE") {
				q.like.warnings = false // of what its assignments do MariaDB tells some
			}
			got := ours.change(t, run.table, q)
			if refused(got) {
				run.refuse(got)
				continue
			}
			want := theirs.change(t, run.table, q)
			if q.like.anyRow {
				want, got = anyRow(want), anyRow(got)
			}
			if want.failure == "" && strings.Contains(q.tail, "RETURNING") && returnedError.MatchString(got.failure) {
				run.stricter++ // an error of what the last row returns is none to MariaDB
				continue
			}
			run.judge(q, want, got)
		}
	}
	run.report()
}

// defined is the statement that defines a table like one that there is.
func (s session) defined(t *testing.T, table, like string) string {
	t.Helper()
	r, err := s.Execute("SHOW CREATE TABLE " + table)
	require.NoError(t, err)
	text, err := r.GetString(0, 1)
	require.NoError(t, err)
	return strings.Replace(text, "`"+table+"`", "`"+like+"`", 1)
}

// defaults adds columns with defaults to some tables. They are those that are returned, with values.
func (r *run) defaults() (added []column) {
	r.t.Helper()
	r.both("SET timestamp=1700000000")
	if r.table.computes() { // which ALTER TABLE does not always take
		return nil
	}
	for _, c := range []column{
		{kind: kind{"w1", "INT NOT NULL DEFAULT -7", "number", []string{"1", "0"}}},
		{kind: kind{"w2", "VARCHAR(9) CHARACTER SET latin1 DEFAULT 'ä\\\\''b'", "text", texts}},
		{kind: kind{"w3", "DECIMAL(6,2) DEFAULT 1.5", "number", []string{"1", "2.555", "-3"}}},
		{kind: kind{"w4", "TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)", "stamp", stamps}},
		{kind: kind{"w5", "DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP", "datetime", moments}},
		{kind: kind{"w6", "BIT(9) DEFAULT b'101'", "number", []string{"1"}}},
		{kind: kind{"w7", "BINARY(3) NOT NULL DEFAULT 'a'", "binary", bytesOf}},
		{kind: kind{"w8", "ENUM('x','y') DEFAULT 'y'", "text", []string{"'x'"}}},
		{kind: kind{"w9", "DATE NOT NULL DEFAULT '0000-00-00'", "date", dates}},
		{kind: kind{"w10", "DOUBLE NOT NULL DEFAULT 1e100", "number", []string{"1"}}},
		{kind: kind{"w11", "TEXT DEFAULT 'abc'", "text", texts}},
		{kind: kind{"w12", "SET('x','y') NOT NULL DEFAULT 'x,y'", "text", []string{"'x'"}}},
		{kind: kind{"x1", "VARCHAR(30) DEFAULT (CONCAT('n',id))", "text", texts}},
		{kind: kind{"x2", "INT NOT NULL DEFAULT (id*2)", "number", []string{"1", "0"}}},
		{kind: kind{"x3", "DATETIME DEFAULT (NOW() + INTERVAL id DAY)", "datetime", moments}},
		{kind: kind{"w13", "YEAR NOT NULL", "number", []string{"2001"}}},
	} {
		if oneIn(r.r, 3) {
			r.both(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", r.table.name, c.name, c.declared))
			added = append(added, c)
		}
	}
	if oneIn(r.r, 3) {
		r.both("ALTER TABLE "+r.table.name+" ADD CONSTRAINT few CHECK (id < 50)", "ALTER TABLE "+r.table.name+" ADD CHECK (id MOD 57 <> 0 OR LENGTH(id) > 1)")
	}
	return added
}

// insert draws an INSERT. Some of its rows exist already.
func (d *drawer) insert(more []column) question {
	d.name = d.t.name
	q := question{from: d.t.name, like: likeness{warnings: true}}
	q.head = pick(d.Rand, []string{
		"INSERT INTO ", "INSERT ", "INSERT LOW_PRIORITY INTO ", "INSERT HIGH_PRIORITY ", "INSERT IGNORE ", "INSERT IGNORE INTO ", "REPLACE ", "REPLACE INTO ",
	})
	all := append(append([]column{}, d.t.columns...), more...)
	columns := all
	list := ""
	switch d.IntN(4) {
	case 0:
	case 1:
		list = d.names(columns)
	default:
		columns = nil
		for _, at := range d.Perm(len(all))[:1+d.IntN(len(all))] {
			columns = append(columns, all[at])
		}
		list = d.names(columns)
	}
	if oneIn(d.Rand, 6) {
		var sets []string
		for i := range columns {
			sets = append(sets, columns[i].name+"="+d.given(&columns[i]))
		}
		q.tail = " SET " + strings.Join(sets, ", ") + d.onDuplicate(q.head, columns)
		return q
	}
	var rows []string
	for range 1 + d.IntN(3)*d.IntN(2) {
		var row []string
		for i := range columns {
			row = append(row, d.given(&columns[i]))
		}
		rows = append(rows, "("+strings.Join(row, ", ")+")")
	}
	q.tail = list + pick(d.Rand, []string{" VALUES ", " VALUE "}) + strings.Join(rows, ", ") + d.onDuplicate(q.head, columns)
	return q
}

// insertSelect draws an INSERT of what a query of the table itself, or of a copy of it, gives in the order of a key.
func (d *drawer) insertSelect(more []column, from string) question {
	d.name = d.t.name
	q := question{from: d.t.name, like: likeness{warnings: true}}
	q.head = pick(d.Rand, []string{"INSERT INTO ", "INSERT ", "INSERT IGNORE INTO ", "REPLACE INTO "})
	all := append(append([]column{}, d.t.columns...), more...)
	columns := []column{all[0]}
	for _, at := range d.Perm(len(all))[:d.IntN(len(all))] {
		if at > 0 {
			columns = append(columns, all[at])
		}
	}
	q.tail = d.names(columns)
	var items []string
	d.name = "s"
	for i := range columns {
		if i == 0 && !oneIn(d.Rand, 4) {
			items = append(items, pick(d.Rand, []string{"id+100", "id+1", "s.id*3", "NULL", "101"}))
			continue
		}
		c := &columns[i]
		kind := d.IntN(10)
		if from == d.t.name {
			kind = 9
		}
		switch kind {
		case 0:
			items = append(items, d.called(&all[d.IntN(len(all))]))
		case 1:
			items = append(items, d.given(c))
		case 2:
			items = append(items, d.expression())
		case 3:
			items = append(items, "IFNULL("+d.called(c)+", "+pick(d.Rand, c.values)+")")
		default:
			items = append(items, d.called(c))
		}
		items[i] = strings.ReplaceAll(items[i], "DEFAULT", "NULL")
	}
	q.tail += " SELECT " + strings.Join(items, ", ") + " FROM " + from + " s"
	if oneIn(d.Rand, 3) {
		q.tail += " WHERE id>" + fmt.Sprint(d.IntN(20))
		q.like.anyRow = true // which number a row has depends on the index by which rows are found
	}
	q.tail += " ORDER BY id" + pick(d.Rand, []string{"", " DESC"})
	// Which rows are read before the first is added depends on the index, and the end of a range is a row that is read, too.
	if d.t.computes() && (d.t.keys[0] != "PRIMARY KEY (id)" || q.like.anyRow) {
		q.like.warnings = false
	}
	if from == d.t.name { // it goes through a temporary table, which has conditions of its own
		q.like.anyRow, q.like.warnings = true, false
	} else { // of the table itself MariaDB computes also what is beyond the limit
		q.tail += pick(d.Rand, []string{"", "", " LIMIT 1", " LIMIT 3", " LIMIT 0", " LIMIT 2 OFFSET 2"})
	}
	d.name = d.t.name
	duplicate := d.onDuplicate(q.head, columns)
	if from != d.t.name && duplicate != "" && oneIn(d.Rand, 2) {
		c := &columns[d.IntN(len(columns))] // of another column MariaDB's compare_record says that it changes a row which it leaves as it is
		duplicate += ", " + d.t.name + "." + c.name + "=s." + c.name
	}
	q.tail += duplicate
	return q
}

// returnedError is an error of an expression behind RETURNING.
var returnedError = regexp.MustCompile(`^(1292|1690)(/|$)`)

var blob = regexp.MustCompile(`(?i)\b(bl|tx|w11)\b`)

// returning draws RETURNING.
func (d *drawer) returning() string {
	switch d.IntN(6) {
	case 0:
		return " RETURNING *"
	case 1:
		e := d.expression()
		for blob.MatchString(e) { // an empty one that was just inserted is a number without a warning
			e = d.expression()
		}
		return " RETURNING " + d.called(d.aColumn()) + ", " + e + " AS e"
	}
	return ""
}

// onDuplicate draws ON DUPLICATE KEY UPDATE.
func (d *drawer) onDuplicate(head string, given []column) string {
	if strings.HasPrefix(head, "REPLACE") || !oneIn(d.Rand, 3) {
		return ""
	}
	var list []string
	set := map[string]bool{}
	for range 1 + d.IntN(3) {
		c := &d.t.columns[d.IntN(len(d.t.columns))]
		if slices.ContainsFunc(list, func(set string) bool { return strings.Contains(strings.ToLower(set), c.name) }) {
			continue // of a TEXT that is set twice MariaDB sees parts of what it was meanwhile
		}
		value := ""
		switch d.IntN(4) {
		case 0:
			value = pick(d.Rand, []string{"VALUES(", "VALUE("}) + d.called(c) + ")"
		case 1:
			from := &given[d.IntN(len(given))]
			if set[from.name] && blob.MatchString(from.name) {
				break // MariaDB sees parts of what it was set to
			}
			value = "VALUES(" + d.called(from) + ")"
		}
		if value == "" {
			value = d.assigned(c)
		}
		list = append(list, d.called(c)+"="+value)
		set[c.name] = true
	}
	return " ON DUPLICATE KEY UPDATE " + strings.Join(list, ", ")
}

func (d *drawer) names(columns []column) string {
	var list []string
	for i := range columns {
		list = append(list, d.called(&columns[i]))
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// given is what a column of a row is given: mostly a value that it takes.
func (d *drawer) given(c *column) string {
	switch d.IntN(40) {
	case 0:
		return "DEFAULT"
	case 1:
		return "NULL"
	case 2:
		return d.constant(c)
	case 3:
		return pick(d.Rand, []string{"1+1", "CONCAT('a',1)", "NOW()", "LENGTH('abc')", "COALESCE(NULL,5)", "IF(1,'a',2)"})
	case 4:
		return d.called(&d.t.columns[d.IntN(len(d.t.columns))])
	case 5:
		return "DEFAULT(" + d.called(pick(d.Rand, []*column{c, &d.t.columns[d.IntN(len(d.t.columns))]})) + ")"
	}
	if c.name == "id" {
		return fmt.Sprint(1 + d.IntN(60))
	}
	return pick(d.Rand, c.values)
}
