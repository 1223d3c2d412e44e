package following

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// queryer is a pool or a connection.
type queryer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// TestRandomSchemas follows drawn tables, drawn changes of them, and drawn statements.
func TestRandomSchemas(t *testing.T) {
	p, seed := startPair(t), newSeed(t)
	rounds, statements := peer.Scaled(4, 60), peer.Scaled(150, 400)
	for round := range rounds {
		g := &generator{rnd: source(seed, round), db: fmt.Sprintf("drawn%d", round)}
		conn, err := p.pdb.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		image := []string{"FULL", "MINIMAL", "NOBLOB"}[g.rnd.IntN(3)]
		done := 0
		for _, q := range append([]string{"CREATE DATABASE " + g.db, "SET SESSION binlog_row_image=" + image}, g.draw(statements)...) {
			// What a primary refuses (a duplicate, a value that is too long for a changed column) is not in its log.
			if _, err := conn.ExecContext(t.Context(), q); err == nil {
				done++
			} else {
				t.Logf("round %d: %s: %v", round, q, err)
			}
		}
		if done < statements/2 {
			t.Errorf("round %d: the primary took %d statements only", round, done)
		}
		if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		p.requireEqual(t)
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// generator draws statements on tables whose columns it keeps in mind.
type generator struct {
	rnd    *rand.Rand
	db     string
	tables []*drawnTable
	made   int // tables and columns, for their names
}

type drawnTable struct {
	name    string
	columns []drawnColumn
}

type drawnColumn struct {
	name string
	kind kind
}

// indexable tells whether a column of the kind can be in a key as a whole.
func (k kind) indexable() bool {
	for _, no := range []string{"TEXT", "BLOB", "JSON", "POINT", "GEOMETRY", "CHAR(0)", "CHAR(255)", "VARCHAR(300)", "VARBINARY(300)"} {
		if strings.Contains(k.typ, no) {
			return false
		}
	}
	return true
}

func (g *generator) draw(n int) []string {
	list := []string{g.create(), g.create()}
	for len(list) < n {
		switch x := g.rnd.IntN(40); {
		case x == 0:
			list = append(list, g.create())
		case x < 4:
			list = append(list, g.alter())
		case x == 4 && len(g.tables) > 2:
			i := g.rnd.IntN(len(g.tables))
			list = append(list, g.drop(i))
		case x < 9:
			list = append(list, "BEGIN")
			for range g.rnd.IntN(6) {
				list = append(list, g.change())
			}
			list = append(list, []string{"COMMIT", "COMMIT", "ROLLBACK"}[g.rnd.IntN(3)])
		default:
			list = append(list, g.change())
		}
	}
	return list
}

func (g *generator) name(prefix string) string {
	g.made++
	return fmt.Sprintf("%s%d", prefix, g.made)
}

func (g *generator) column() drawnColumn {
	return drawnColumn{name: g.name("c"), kind: kinds[g.rnd.IntN(len(kinds))]}
}

// create makes a table with one of: a primary key, one of two columns, a unique key over NOT NULL, one over NULL, a key, none.
func (g *generator) create() string {
	t := &drawnTable{name: g.db + "." + g.name("t")}
	defs := []string{"id INT NOT NULL", "part INT NOT NULL DEFAULT 0", "again INT"}
	for range 1 + g.rnd.IntN(6) {
		c := g.column()
		t.columns = append(t.columns, c)
		defs = append(defs, c.name+" "+c.kind.typ)
	}
	if key := []string{"PRIMARY KEY (id)", "PRIMARY KEY (part, id)", "UNIQUE KEY (id)", "UNIQUE KEY (again)", "KEY (id)", ""}[g.rnd.IntN(6)]; key != "" {
		defs = append(defs, key)
	}
	if c := t.columns[g.rnd.IntN(len(t.columns))]; c.kind.indexable() && g.rnd.IntN(2) == 0 {
		defs = append(defs, fmt.Sprintf("KEY (%s)", c.name))
	}
	g.tables = append(g.tables, t)
	return fmt.Sprintf("CREATE TABLE %s (%s) CHARACTER SET utf8mb4", t.name, strings.Join(defs, ", "))
}

func (g *generator) drop(i int) string {
	t := g.tables[i]
	g.tables = slices.Delete(g.tables, i, i+1)
	return "DROP TABLE " + t.name
}

func (g *generator) table() *drawnTable { return g.tables[g.rnd.IntN(len(g.tables))] }

func (g *generator) alter() string {
	t := g.table()
	switch g.rnd.IntN(4) {
	case 0:
		c := g.column()
		t.columns = append(t.columns, c)
		return fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", t.name, c.name, c.kind.typ)
	case 1:
		if len(t.columns) < 2 {
			return "TRUNCATE TABLE " + t.name
		}
		i := g.rnd.IntN(len(t.columns))
		c := t.columns[i]
		t.columns = slices.Delete(t.columns, i, i+1)
		return fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", t.name, c.name)
	case 2:
		c := &t.columns[g.rnd.IntN(len(t.columns))]
		old := c.name
		c.name = g.name("c")
		return fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", t.name, old, c.name)
	}
	return fmt.Sprintf("ALTER TABLE %s ADD KEY (part, again)", t.name)
}

func (g *generator) value(c drawnColumn) string {
	if g.rnd.IntN(5) == 0 {
		return "NULL"
	}
	return c.kind.values[g.rnd.IntN(len(c.kind.values))]
}

// idsOfTable is from how many ids the statements draw.
const idsOfTable = 40

func (g *generator) change() string {
	t, id := g.table(), g.rnd.IntN(idsOfTable)
	switch g.rnd.IntN(8) {
	case 0:
		return fmt.Sprintf("DELETE FROM %s WHERE id = %d", t.name, id)
	case 1:
		return fmt.Sprintf("DELETE FROM %s WHERE id BETWEEN %d AND %d AND part = %d", t.name, id, id+3, g.rnd.IntN(3))
	case 2:
		c := t.columns[g.rnd.IntN(len(t.columns))]
		return fmt.Sprintf("UPDATE %s SET %s = %s WHERE id BETWEEN %d AND %d", t.name, c.name, g.value(c), id, id+g.rnd.IntN(10))
	case 3:
		return fmt.Sprintf("UPDATE %s SET again = part, part = part + 1 WHERE id = %d", t.name, id)
	case 4:
		return fmt.Sprintf("UPDATE %s SET id = %d WHERE id = %d", t.name, g.rnd.IntN(idsOfTable), id)
	}
	names, rows := []string{"id", "part", "again"}, []string(nil)
	for _, c := range t.columns {
		names = append(names, c.name)
	}
	for range 1 + g.rnd.IntN(4) {
		values := []string{fmt.Sprint(g.rnd.IntN(idsOfTable)), fmt.Sprint(g.rnd.IntN(3)), []string{"NULL", fmt.Sprint(g.rnd.IntN(100))}[g.rnd.IntN(2)]}
		for _, c := range t.columns {
			values = append(values, g.value(c))
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	verb := []string{"INSERT", "INSERT IGNORE", "REPLACE"}[g.rnd.IntN(3)]
	return fmt.Sprintf("%s INTO %s (%s) VALUES %s", verb, t.name, strings.Join(names, ", "), strings.Join(rows, ", "))
}
