package json

import (
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// Table says which rows JSON_TABLE makes of documents: one for each place where its path leads, and for those of nested tables in it. It does not change.
type Table struct {
	path    *path
	columns []tableColumn
	nested  []*Table
	first   int // the place of its first column in a row
	width   int // of all columns, nested ones too
}

type tableColumn struct {
	place  int
	path   *path // nil: the number of the place
	exists bool
}

// TableColumn is a column of a Table, or a nested table.
type TableColumn struct {
	Path       string
	Ordinality bool
	Exists     bool
	Nested     []TableColumn
}

// CellState is what was found for a column.
type CellState uint8

const (
	CellNull    CellState = iota // its nested table has no row here, or there is null
	CellEmpty                    // there is nothing where the path leads
	CellSeveral                  // the path leads to several values
	CellScalar                   // Text, in UTF-8
	CellTruth                    // true or false: Text, and Number
	CellInside                   // an array or an object: Text
	CellNumber                   // Number: of ordinality, or 1 and 0 of EXISTS
)

// Cell is the value of a column in a row. Raw is the value as it is written in the document.
type Cell struct {
	State  CellState
	Number int64
	Text   []byte
	Raw    []byte
}

const tableName = "JSON_TABLE"

// NewTable makes a table. Errors are those of paths.
func NewTable(path string, columns []TableColumn) (*Table, error) {
	next := 0
	return newTable(path, columns, &next)
}

func newTable(path string, columns []TableColumn, next *int) (*Table, error) {
	p, err := tablePath(path)
	if err != nil {
		return nil, err
	}
	t := &Table{path: p, first: *next}
	for _, c := range columns {
		if c.Nested != nil {
			n, err := newTable(c.Path, c.Nested, next)
			if err != nil {
				return nil, err
			}
			t.nested = append(t.nested, n)
			continue
		}
		col := tableColumn{place: *next, exists: c.Exists}
		if *next++; !c.Ordinality {
			if col.path, err = tablePath(c.Path); err != nil {
				return nil, err
			}
		}
		t.columns = append(t.columns, col)
	}
	t.width = *next - t.first
	return t, nil
}

func tablePath(text string) (*path, error) {
	p := parsePath([]byte(text))
	if p.fault != fine {
		return nil, mysqlerr.New(pathNumbers[p.fault], faultArguments(p.fault, tableName, 2, p.at)...)
	}
	if p.several() {
		return nil, mysqlerr.NotYet("a path with several **")
	}
	return p, nil
}

// Width is how many columns a row has.
func (t *Table) Width() int { return t.width }

// TableRows are the rows of one document, in UTF-8.
type TableRows struct {
	cells []Cell
	top   *tableLevel
}

// Rows begins with a document, which must not change meanwhile.
func (t *Table) Rows(doc []byte) *TableRows {
	r := &TableRows{cells: make([]Cell, t.width), top: newLevel(t)}
	r.top.start(doc)
	return r
}

// Next is the next row, until the call after this one; nil at the end. The error is that of the document.
func (r *TableRows) Next() ([]Cell, error) {
	if !r.top.next() {
		return nil, r.top.fault()
	}
	clear(r.cells)
	r.top.fill(r.cells)
	return r.cells, nil
}

// tableLevel goes through the places of one table's path in one document, which is a part of the whole.
type tableLevel struct {
	table  *Table
	m      *matcher
	item   []byte // where it is; nil before the first
	number int64
	nested []*tableLevel
	active int  // which of nested gives rows
	begun  bool // that one has the item
	any    bool // the item has given a row
}

func newLevel(t *Table) *tableLevel {
	l := &tableLevel{table: t}
	for _, n := range t.nested {
		l.nested = append(l.nested, newLevel(n))
	}
	return l
}

func (l *tableLevel) start(doc []byte) {
	l.m, l.item, l.number = newMatcher(doc, true, l.table.path), nil, 0
}

// next goes on to the next row; false at the end, and where the document has a fault.
func (l *tableLevel) next() bool {
	for {
		if l.item != nil && l.inside() {
			return true
		}
		if !l.m.find() {
			return false
		}
		whole := l.m.scanner
		if !whole.skip() {
			l.m.scanner = whole
			return false
		}
		l.item = l.m.text[whole.start:whole.end]
		l.number++
		l.active, l.begun, l.any = 0, false, false
	}
}

// inside is next in one item: the rows of its nested tables one after the other, or one row if there are none.
func (l *tableLevel) inside() bool {
	for ; l.active < len(l.nested); l.active++ {
		n := l.nested[l.active]
		if !l.begun {
			n.start(l.item)
			l.begun = true
		}
		if n.next() {
			l.any = true
			return true
		}
		l.begun = false
	}
	if l.any {
		return false
	}
	l.any = true
	return true
}

// fault is the error of the document.
func (l *tableLevel) fault() error {
	m := l.m
	if m.scanner.fault == fine {
		return nil
	}
	return mysqlerr.New(documentNumbers[m.scanner.fault], faultArguments(m.scanner.fault, tableName, 1, m.at)...)
}

func (l *tableLevel) fill(cells []Cell) {
	for _, c := range l.table.columns {
		cells[c.place] = l.cell(&c)
	}
	if l.begun && l.active < len(l.nested) {
		l.nested[l.active].fill(cells)
	}
}

func (l *tableLevel) cell(c *tableColumn) Cell {
	if c.path == nil {
		return Cell{State: CellNumber, Number: l.number}
	}
	m := newMatcher(l.item, true, c.path)
	m.plain = true
	found := m.find()
	switch {
	case c.exists && found:
		return Cell{State: CellNumber, Number: 1}
	case c.exists:
		return Cell{State: CellNumber}
	case !found:
		return Cell{State: CellEmpty}
	}
	if c.path.wild {
		if again := *m; again.find() {
			return Cell{State: CellSeveral}
		}
	}
	whole := m.scanner
	whole.skip() // it was read before
	raw := m.text[whole.start:whole.end]
	switch m.kind {
	case string_:
		utf8mb4, _ := charset.SetByName("utf8mb4")
		text, _ := appendPlain(nil, utf8mb4, raw[1:len(raw)-1], true)
		return Cell{State: CellScalar, Text: text, Raw: raw}
	case true_, false_:
		return Cell{State: CellTruth, Number: truth(m.kind == true_), Text: raw, Raw: raw}
	case null_:
		return Cell{Raw: raw}
	case number_:
		return Cell{State: CellScalar, Text: raw, Raw: raw}
	}
	return Cell{State: CellInside, Text: raw, Raw: raw}
}
