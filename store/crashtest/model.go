package crashtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// change is one effect of a transaction, in the order in which it happened.
type change struct {
	kind  kind
	table uint32
	// before and after are row images; "" for none. Of keyed tables key is the primary key.
	key           int64
	before, after string
	// name and keyless describe a new table, rows its first contents.
	name    string
	keyless bool
	rows    []change
}

type kind int

const (
	changeRow kind = iota
	createTable
	dropTable
	emptyTable // by a restart; the table is known by its name
)

// commit is a transaction that got a place in the log.
type commit struct {
	end     logpos.Pos
	gtid    gtid.GTID // zero if it was local
	changes []change
	// acked: Commit had returned before the crash, with the log synced. Once
	// recovery has found a transaction, it counts as acknowledged, too.
	acked bool
}

// tableState is what a table should hold.
type tableState struct {
	id      uint32
	name    string
	keyless bool
	rows    map[int64]string // keyed: image by primary key
	bag     map[string]int   // keyless: number of rows by image
}

// dbState is what all tables should hold, by id.
type dbState map[uint32]*tableState

// stateAfter computes the state after transactions in log order.
func stateAfter(commits []*commit) (dbState, error) {
	db := dbState{}
	for _, c := range commits {
		for i := range c.changes {
			if err := db.apply(&c.changes[i]); err != nil {
				return nil, fmt.Errorf("the model cannot follow %s at %s: %w", c.gtid, c.end, err)
			}
		}
	}
	return db, nil
}

func (db dbState) apply(c *change) error {
	t := db[c.table]
	switch {
	case c.kind == emptyTable:
		return db.empty(c.name)
	case c.kind == createTable:
		db[c.table] = &tableState{id: c.table, name: c.name, keyless: c.keyless, rows: map[int64]string{}, bag: map[string]int{}}
		for i := range c.rows {
			if err := db.apply(&c.rows[i]); err != nil {
				return err
			}
		}
		return nil
	case t == nil:
		return fmt.Errorf("no table %d", c.table)
	case c.kind == dropTable:
		delete(db, c.table)
		return nil
	case t.keyless:
		return t.changeBag(c)
	default:
		return t.changeRow(c)
	}
}

// empty removes all rows of a table.
func (db dbState) empty(name string) error {
	for _, t := range db {
		if t.name == name {
			clear(t.rows)
			clear(t.bag)
			return nil
		}
	}
	return fmt.Errorf("no table %s", name)
}

// changeRow also checks that the transaction saw what the one before it left:
// a difference is a lost update.
func (t *tableState) changeRow(c *change) error {
	if t.rows[c.key] != c.before {
		return fmt.Errorf("row %d of %s was %q, the transaction changed %q", c.key, t.name, t.rows[c.key], c.before)
	}
	if c.after == "" {
		delete(t.rows, c.key)
	} else {
		t.rows[c.key] = c.after
	}
	return nil
}

func (t *tableState) changeBag(c *change) error {
	if c.before != "" {
		if t.bag[c.before] == 0 {
			return fmt.Errorf("%s has no row %q", t.name, c.before)
		}
		if t.bag[c.before]--; t.bag[c.before] == 0 {
			delete(t.bag, c.before)
		}
	}
	if c.after != "" {
		t.bag[c.after]++
	}
	return nil
}

// diff describes how other differs from db; "" if it does not.
func (db dbState) diff(other dbState) string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(db)) {
		want, got := db[id], other[id]
		switch {
		case got == nil:
			out = append(out, fmt.Sprintf("table %s (%d) is missing", want.name, id))
		case got.name != want.name || got.keyless != want.keyless:
			out = append(out, fmt.Sprintf("table %d is %s, should be %s", id, got.name, want.name))
		default:
			out = append(out, diffMaps(want.name, want.rows, got.rows)...)
			out = append(out, diffMaps(want.name, want.bag, got.bag)...)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(other)) {
		if db[id] == nil {
			out = append(out, fmt.Sprintf("table %s (%d) should not be there", other[id].name, id))
		}
	}
	return strings.Join(out, "\n")
}

func diffMaps[K int64 | string, V comparable](table string, want, got map[K]V) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[k]; !ok {
			out = append(out, fmt.Sprintf("%s: row %v is missing", table, k))
		} else if g != want[k] {
			out = append(out, fmt.Sprintf("%s: row %v is %q, should be %q", table, k, fmt.Sprint(g), fmt.Sprint(want[k])))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			out = append(out, fmt.Sprintf("%s: row %v should not be there", table, k))
		}
	}
	return out
}
