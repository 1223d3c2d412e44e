package partition

import (
	"bytes"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// byTuples is RANGE COLUMNS and LIST COLUMNS. Values of columns are the components of keys, which are ordered as they are.
type byTuples struct {
	parts    []row.KeyPart
	layout   []row.Column
	bounds   [][][]byte // of RANGE; nil is MAXVALUE
	places   map[string]int
	standard int
	isRange  bool
}

func (b *binder) tuples(columns []int, parts []*tree.Partition, isRange bool) (distribution, error) {
	d := &byTuples{layout: b.table.Table.Columns, isRange: isRange, places: map[string]int{}, standard: -1}
	for _, at := range columns {
		if c := &b.table.Columns[at]; c.Type.Kind.IsString() && isRange && !ordered(c.Type.Collation) {
			return nil, bind.Refusal("RANGE COLUMNS of a text of " + c.Type.Collation.Name())
		}
		d.parts = append(d.parts, row.KeyPart{Column: at})
	}
	for i, p := range parts {
		if p.Values == nil {
			return nil, bind.Refusal("these values of a partition")
		}
		tuples := p.Values.Rows
		switch {
		case p.Values.Kind == "DEFAULT" && d.standard >= 0:
			return nil, mysqlerr.New(mysqlerr.OneDefaultPartition)
		case p.Values.Kind == "DEFAULT":
			d.standard = i
			continue
		case isRange && len(tuples) == 0: // one column, and MAXVALUE without parentheses
			tuples = [][]tree.Expr{{nil}}
		}
		for _, tuple := range tuples {
			if len(tuple) != len(columns) {
				return nil, mysqlerr.New(mysqlerr.PartitionColumnList)
			}
			if err := d.add(b, i, tuple); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// add adds the values of a partition.
func (d *byTuples) add(b *binder, place int, tuple []tree.Expr) error {
	bound := make([][]byte, len(tuple))
	for k, n := range tuple {
		if n == nil {
			continue
		}
		_, null := n.(*tree.NullLit)
		if null && d.isRange {
			return mysqlerr.New(mysqlerr.PartitionNullLessThan)
		}
		var err error
		if bound[k], err = b.component(d.parts[k], n); err != nil {
			return err
		}
	}
	if d.isRange {
		if place > 0 && compare(bound, d.bounds[place-1]) <= 0 {
			return mysqlerr.New(mysqlerr.PartitionRangeOrder)
		}
		d.bounds = append(d.bounds, bound)
		return nil
	}
	joined := string(bytes.Join(bound, nil))
	if _, twice := d.places[joined]; twice {
		return mysqlerr.New(mysqlerr.PartitionListTwice)
	}
	d.places[joined] = place
	return nil
}

// compare compares tuples of components; nil is greater than all others.
func compare(a, b [][]byte) int {
	for i := range a {
		switch {
		case a[i] == nil && b[i] == nil: // what follows does not count
			return 0
		case a[i] == nil:
			return 1
		case b[i] == nil:
			return -1
		default:
			if c := bytes.Compare(a[i], b[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}

// component makes the key component of a constant that a column takes without a warning.
func (b *binder) component(part row.KeyPart, n tree.Expr) ([]byte, error) {
	x, err := b.columnValue(part.Column, n)
	if err != nil {
		return nil, err
	}
	t := b.table
	col := &t.Columns[part.Column]
	image := relation.NewImage(t)
	for i := range t.Columns {
		if err := image.Set(i, types.Value{Null: true}); err != nil {
			return nil, err
		}
	}
	f := b.newFrame()
	v := x.Compute(f)
	if !v.Null {
		to := col.Type
		if to.Kind.IsString() {
			to.Length, to.Octets = 1<<16, 1<<18 // values may be longer than the column's
		}
		a, err := assign.New(types.ModeNamed("STRICT_ALL_TABLES"), &assign.Column{Type: to, Name: col.Def.Name}, assign.Source{Type: x.Type})
		if err != nil {
			return nil, err
		}
		if v, _ = a.Assign(&assign.Context{Diag: f.Diag, Zone: temporal.UTC}, v); len(f.Diag.Conditions) > 0 || a.Mismatch != nil || f.Diag.Failed() != nil {
			return nil, mysqlerr.New(mysqlerr.PartitionWrongColumnValue)
		}
	}
	if v.Null {
		return row.AppendKeyNull(nil, false), nil
	}
	if err := image.Set(part.Column, v); err != nil {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongColumnValue)
	}
	bytes, err := image.Append(nil, nil)
	if err != nil {
		return nil, err
	}
	key, _, err := row.AppendKey(nil, t.Table.Columns, []row.KeyPart{part}, bytes)
	return key, err
}

// columnValue binds a value of RANGE COLUMNS or LIST COLUMNS: a literal of the column's kind.
func (b *binder) columnValue(at int, n tree.Expr) (*eval.Expr, error) {
	c := *b.Binder
	c.Column = nil
	x, err := c.Expr(n)
	if err != nil {
		return nil, err
	}
	k := b.table.Columns[at].Type.Kind
	if x.Type.Class() == types.ClassInt && x.Type.Unsigned && x.Is(eval.Constant) && x.Compute(b.newFrame()).Int < 0 {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongColumnValue) // MariaDB takes it for a negative number
	}
	if !x.Null() && k.Integer() != (x.Type.Class() == types.ClassInt) {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongColumnValue)
	}
	if !x.Null() && !k.Integer() && x.Type.Class() != types.ClassText && x.Type.Class() != types.ClassTime {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongColumnValue)
	}
	return x, nil
}

func (d *byTuples) place(x *Finder) int {
	x.bounds = x.bounds[:0]
	for _, p := range d.parts {
		k, _, err := row.AppendKey(nil, d.layout, []row.KeyPart{p}, x.reader.Image())
		if err != nil {
			x.frame.FailWith(err)
			return -1
		}
		x.bounds = append(x.bounds, k)
	}
	if !d.isRange {
		if at, ok := d.places[string(bytes.Join(x.bounds, nil))]; ok {
			return at
		}
		if d.standard < 0 {
			x.missing = "from column_list"
		}
		return d.standard
	}
	low, high := 0, len(d.bounds)
	for low < high {
		if mid := (low + high) / 2; compare(x.bounds, d.bounds[mid]) < 0 {
			high = mid
		} else {
			low = mid + 1
		}
	}
	if low == len(d.bounds) {
		x.missing = "from column_list"
		return -1
	}
	return low
}

// ordered reports whether keys of texts are known to compare as the texts do.
func ordered(c *charset.Collation) bool {
	switch c.Name() {
	case "latin1_swedish_ci", "utf8mb3_general_ci", "utf8mb4_general_ci", "latin1_general_ci", "latin1_general_cs":
		return true
	}
	return c.Binary() && c.Set().MinLen() == 1
}
