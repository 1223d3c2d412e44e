package statements

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// A MariaDB and a server of ours do the same for drawn changes of tables with drawn foreign keys: all rows of all tables are compared after each.
func TestDrawnForeignKeys(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	run := newRun(t, theirs, ours)
	run.both("SET NAMES utf8mb4", "SET sql_mode='STRICT_TRANS_TABLES', collation_connection=utf8mb4_general_ci")
	for n := range peer.Scaled(*tablesN, *tablesN*20) {
		run.foreign(uint64(n) + 7_000_000)
	}
	run.report()
}

// foreign draws tables, and what happens to them.
func (r *run) foreign(n uint64) {
	r.t.Helper()
	r.r = rand.New(rand.NewPCG(*seed, n))
	r.both("SET foreign_key_checks=0", "DROP DATABASE drawn", "CREATE DATABASE drawn", "USE drawn", "SET foreign_key_checks=1")
	k := &keyed{Rand: r.r, tables: 1 + r.r.IntN(4)}
	var made []string
	for i := range k.tables {
		st := k.table(i)
		r.both(st)
		made = append(made, st)
	}
	keys := 0
	for i := range 2 + r.r.IntN(6) {
		st := k.key(i)
		_, err := r.servers[0].Execute(st)
		if err != nil {
			continue // no index is there for it, or it may not be
		}
		if _, err := r.servers[1].Execute(st); err != nil {
			r.lost++
			r.servers[0].must(r.t, fmt.Sprintf("ALTER TABLE %s DROP FOREIGN KEY k%d", strings.Fields(st)[2], i))
			continue
		}
		made = append(made, st)
		keys++
	}
	if keys == 0 {
		r.lost++
		return
	}
	checked := true
	for range *count {
		before := r.rows(1, k.tables)
		var st string
		switch {
		case oneIn(r.r, map[bool]int{true: 40, false: 4}[checked]):
			checked = !checked
			r.both(fmt.Sprintf("SET foreign_key_checks=%t", checked))
			continue
		default:
			st = k.statement()
		}
		ours := r.servers[1].ask(r.t, st)
		if refused(ours) {
			r.refused++
			continue
		}
		theirs := r.servers[0].ask(r.t, st)
		if number := anyRow(theirs).failure; number != "" && !strings.Contains(st, "ORDER BY") {
			if other := anyRow(ours).failure; other != "" && other != number {
				r.inconsistent++ // which row fails first depends on the index by which rows are read
				continue
			}
		}
		r.asked++
		d := (likeness{warnings: true}).difference(anyRow(theirs), anyRow(ours))
		if d == "" {
			d = differs("rows", r.rows(0, k.tables), r.rows(1, k.tables))
		}
		if d == "" {
			continue
		}
		if r.differ++; r.differ <= *most {
			r.t.Errorf("%s;\n%s\n%s;\n%s\n", strings.Join(made, ";\n"), before, st, d)
		}
		return
	}
}

// rows are those of all tables.
func (r *run) rows(server, tables int) string {
	r.t.Helper()
	var out []string
	for i := range tables {
		rows := r.servers[server].ask(r.t, fmt.Sprintf("SELECT id,a,b,s,v FROM f%d", i)).rows
		slices.Sort(rows)
		for j := range rows {
			rows[j] = "(" + strings.ReplaceAll(rows[j], " ", ",") + ")"
		}
		if len(rows) > 0 {
			out = append(out, fmt.Sprintf("INSERT INTO f%d VALUES %s;", i, strings.Join(rows, ",")))
		}
	}
	return strings.Join(out, "\n")
}

// keyed draws tables with foreign keys.
type keyed struct {
	*rand.Rand
	tables int
}

func (k *keyed) table(i int) string {
	parts := []string{"id INT NOT NULL", "a INT", "b INT", "s VARCHAR(3) COLLATE utf8mb4_general_ci", "v INT"}
	if oneIn(k.Rand, 4) {
		parts[1] += " NOT NULL DEFAULT 1"
	}
	if oneIn(k.Rand, 6) {
		parts[3] = "s VARCHAR(20) COLLATE utf8mb4_general_ci"
	}
	parts = append(parts, pick(k.Rand, []string{"PRIMARY KEY (id)", "PRIMARY KEY (id)", "PRIMARY KEY (id)", "PRIMARY KEY (id, v)", "KEY ki (id)"}))
	for _, index := range []string{
		"KEY ka (a)", "UNIQUE ua (a)", "KEY kb (b)", "UNIQUE ub (b)", "KEY ks (s)", "UNIQUE us (s)", "KEY kab (a, b)", "UNIQUE uba (b, a)", "KEY kbv (b, v)",
	} {
		if oneIn(k.Rand, 4) {
			parts = append(parts, index)
		}
	}
	// With these MariaDB makes none of its own, whose places depend on later foreign keys.
	parts = append(parts, "KEY za (a)", "KEY zb (b)", "KEY zs (s)", "KEY zab (a, b)", "KEY zba (b, a)", "KEY zia (id, a)")
	if strings.HasSuffix(parts[5], "v)") {
		parts[4] += " NOT NULL DEFAULT 0"
	}
	return fmt.Sprintf("CREATE TABLE f%d (%s) COLLATE utf8mb4_general_ci", i, strings.Join(parts, ", "))
}

// key draws a foreign key.
func (k *keyed) key(i int) string {
	columns := pick(k.Rand, [][2]string{
		{"a", "id"}, {"a", "id"}, {"b", "id"}, {"b", "id"}, {"id", "id"}, {"a", "a"}, {"b", "a"}, {"b", "b"}, {"s", "s"}, {"s", "s"},
		{"a, b", "a, b"}, {"b, a", "b, a"}, {"id, a", "b, a"},
	})
	child, parent := k.IntN(k.tables), k.IntN(k.tables)
	st := fmt.Sprintf("ALTER TABLE f%d ADD CONSTRAINT k%d FOREIGN KEY (%s) REFERENCES f%d (%s)", child, i, columns[0], parent, columns[1])
	for _, on := range []string{"DELETE", "UPDATE"} {
		if action := pick(k.Rand, []string{"", "", "CASCADE", "CASCADE", "SET NULL", "RESTRICT", "NO ACTION"}); action != "" {
			st += " ON " + on + " " + action
		}
	}
	return st
}

func (k *keyed) value(column string) string {
	if column == "s" {
		return pick(k.Rand, []string{"'a'", "'A'", "'b'", "'á'", "'ab'", "'abc'", "'abcd'", "NULL", "''"})
	}
	if column != "id" && column != "v" && oneIn(k.Rand, 4) {
		return "NULL"
	}
	return fmt.Sprint(1 + k.IntN(6))
}

func (k *keyed) where() string {
	column := pick(k.Rand, []string{"id", "id", "a", "b", "s", "v"})
	switch k.IntN(6) {
	case 0:
		return ""
	case 1:
		return " WHERE " + column + " IS NULL"
	case 2, 3:
		return " WHERE id=" + k.value("id")
	}
	return " WHERE " + column + "<=>" + k.value(column)
}

func (k *keyed) sets() string {
	var out []string
	for _, at := range k.Perm(5)[:1+k.IntN(2)] {
		column := []string{"id", "a", "b", "s", "v"}[at]
		value := k.value(column)
		if column != "s" && oneIn(k.Rand, 3) {
			value = pick(k.Rand, []string{"id", "a", "b", "v", "id+1", "a+1", "b-1", "b+10"})
		}
		out = append(out, column+"="+value)
	}
	return strings.Join(out, ", ")
}

// statement draws a change.
func (k *keyed) statement() string {
	table := fmt.Sprintf("f%d", k.IntN(k.tables))
	ignore := ""
	if oneIn(k.Rand, 3) {
		ignore = "IGNORE "
	}
	order := pick(k.Rand, []string{"", "", "", " ORDER BY id, v", " ORDER BY id DESC, v DESC", " ORDER BY v, id", " ORDER BY id, v LIMIT 2"})
	switch k.IntN(10) {
	case 0, 1, 2, 3, 4, 5:
		head := "INSERT " + ignore + "INTO "
		if oneIn(k.Rand, 5) {
			head = "REPLACE INTO "
		}
		var rows []string
		for range 1 + k.IntN(3)*k.IntN(2) {
			var row []string
			for _, c := range []string{"id", "a", "b", "s", "v"} {
				row = append(row, k.value(c))
			}
			rows = append(rows, "("+strings.Join(row, ", ")+")")
		}
		st := head + table + " VALUES " + strings.Join(rows, ", ")
		if head[0] == 'I' && oneIn(k.Rand, 4) {
			st += " ON DUPLICATE KEY UPDATE " + k.sets()
		}
		return st
	case 6, 7:
		return "UPDATE " + ignore + table + " SET " + k.sets() + k.where() + order
	}
	return "DELETE " + ignore + "FROM " + table + k.where() + order
}
