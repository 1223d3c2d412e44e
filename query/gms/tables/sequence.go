package tables

import (
	"io"
	"regexp"
	"strconv"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// numbers is a table that is there by its name alone, in every database: seq_1_to_10_step_3 has 1, 4, 7 and 10. MariaDB's engine SEQUENCE has
// such tables.
type numbers struct {
	name              string
	least, last, step uint64
	descending        bool
}

var _ sql.Table = (*numbers)(nil)

// numbersName is what their names look like.
var numbersName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^seq_([0-9]{1,20})_to_([0-9]{1,20})(?:_step_([0-9]{1,20}))?$`)
})

// numbersNamed is the table of a name; nil if the name is of none.
func numbersNamed(name string) (*numbers, error) {
	const begin = "seq_"
	if len(name) <= len(begin) || name[:len(begin)] != begin {
		return nil, nil //nolint:nilnil // as it says
	}
	m := numbersName().FindStringSubmatch(name)
	if m == nil {
		return nil, nil //nolint:nilnil // as it says
	}
	var n [3]uint64
	for i, text := range m[1:] {
		if text == "" {
			n[i] = 1
			continue
		}
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, nil //nolint:nilnil,nilerr // it is no such name
		}
		n[i] = v
	}
	if n[2] == 0 {
		return nil, mysqlerr.Newf(mysqlerr.GetErrno, `Got error 140 "Wrong create options" from storage engine SEQUENCE`)
	}
	t := &numbers{name: name, least: n[0], last: n[1], step: n[2], descending: n[0] > n[1]}
	if t.descending {
		t.least, t.last = t.last, t.least
	}
	t.last = t.least + (t.last-t.least)/t.step*t.step
	return t, nil
}

// Name implements sql.Table.
func (t *numbers) Name() string { return t.name }

// String implements sql.Table.
func (t *numbers) String() string { return t.name }

// Collation implements sql.Table.
func (t *numbers) Collation() sql.CollationID { return sql.Collation_Default }

// Schema implements sql.Table.
func (t *numbers) Schema(*sql.Context) sql.Schema {
	return sql.Schema{{Name: "seq", Type: types.Uint64, Source: t.name, PrimaryKey: true}}
}

// Partitions implements sql.Table.
func (t *numbers) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(allNumbers{}), nil
}

type allNumbers struct{}

// Key implements sql.Partition.
func (allNumbers) Key() []byte { return []byte{0} }

// PartitionRows implements sql.Table.
func (t *numbers) PartitionRows(*sql.Context, sql.Partition) (sql.RowIter, error) {
	next := t.least
	if t.descending {
		next = t.last
	}
	return &countedNumbers{of: t, next: next}, nil
}

// countedNumbers gives the rows.
type countedNumbers struct {
	of   *numbers
	next uint64
	done bool
}

// Next implements sql.RowIter.
func (i *countedNumbers) Next(ctx *sql.Context) (sql.Row, error) {
	if i.done {
		return nil, io.EOF
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := i.next
	if i.of.descending {
		i.done = n == i.of.least
		i.next -= i.of.step
	} else {
		i.done = n == i.of.last
		i.next += i.of.step
	}
	return sql.Row{n}, nil
}

// Close implements sql.RowIter.
func (*countedNumbers) Close(*sql.Context) error { return nil }
