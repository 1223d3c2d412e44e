package partition

import (
	"math"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
)

// Rule says in which partition of a table a row is. It is immutable.
type Rule struct {
	table *relation.Table
	env   *types.Env
	// Subs is how many subpartitions each partition has; 1 if it has none.
	Subs int
	// Count is how many partitions there are.
	Count int
	// Columns are those that the rule reads, by their ordinals.
	Columns map[int]bool
	by, sub distribution
}

// distribution is how rows are distributed over partitions, or over the subpartitions of one.
type distribution interface {
	// place is the place of the row that the finder reads; -1 for none.
	place(x *Finder) int
}

// Of is the rule of a table that has partitions.
func Of(t *relation.Table) (*Rule, error) {
	made := t.Kept(func() any {
		r, err := compile(t)
		return compiled{r, err}
	})
	c, ok := made.(compiled)
	if !ok {
		return nil, bind.Refusal("partitions")
	}
	return c.rule, c.err
}

type compiled struct {
	rule *Rule
	err  error
}

func compile(t *relation.Table) (*Rule, error) {
	def := t.Def.Partitioning
	n, err := parse(def)
	if err != nil {
		return nil, err
	}
	b, err := newBinder(t)
	if err != nil {
		return nil, err
	}
	r := &Rule{table: t, env: b.Env, Count: len(def.Partitions), Subs: 1, Columns: b.used}
	if r.by, err = b.distribution(n.By, n.Partitions, r.Count, "PARTITION"); err != nil {
		return nil, err
	}
	if def.Sub != "" {
		r.Subs = len(def.Partitions[0].Subs)
		r.sub, err = b.distribution(n.Sub, nil, r.Subs, "SUBPARTITION")
	}
	return r, err
}

// parse reads a definition as the catalog keeps it.
func parse(def *catalog.PartitioningDef) (*tree.Partitioning, error) {
	st, _, err := grammar.Parse("CREATE TABLE t (a INT) "+ddltext.Partitioning(def, ""), grammar.Options{})
	if err != nil {
		return nil, err
	}
	n, ok := st.(*tree.CreateTable)
	if !ok || n.Partitioning == nil {
		return nil, bind.Refusal("this PARTITION BY")
	}
	return n.Partitioning, nil
}

// distribution compiles how rows are distributed.
func (b *binder) distribution(by *tree.PartitionBy, parts []*tree.Partition, count int, what string) (distribution, error) {
	if by.IsColumns || by.Method == "KEY" {
		columns, err := b.columns(by)
		if err != nil {
			return nil, err
		}
		if by.Method == "KEY" {
			return b.keys(columns, count, by.Linear)
		}
		return b.tuples(columns, parts, by.Method == "RANGE")
	}
	x, err := b.function(by.Expr, what)
	if err != nil {
		return nil, err
	}
	switch by.Method {
	case "HASH":
		return &byHash{x, count, by.Linear}, nil
	case "RANGE":
		return b.ranges(x, parts)
	case "LIST":
		return b.lists(x, parts)
	}
	return nil, bind.Refusal("PARTITION BY " + by.Method)
}

// columns are those of a list. KEY () means the primary key, or the first unique one whose columns are never NULL.
func (b *binder) columns(by *tree.PartitionBy) (columns []int, err error) {
	for _, c := range by.Columns {
		at := b.table.Find(c.Text)
		if at < 0 {
			return nil, mysqlerr.New(mysqlerr.PartitionFieldNotFound)
		}
		columns = append(columns, at)
	}
	if by.Method == "KEY" && len(columns) == 0 {
		columns = b.keyColumns()
	}
	if len(columns) == 0 {
		return nil, mysqlerr.New(mysqlerr.PartitionFieldNotFound)
	}
	seen, length := map[int]bool{}, 0
	for _, at := range columns {
		c := &b.table.Columns[at]
		if c.Type.Kind == types.Varchar || c.Type.Kind == types.Char {
			length += int(c.Type.Length)*c.Type.Collation.Set().MaxLen() + 2
		}
		if c.Type.Nullable {
			length++
		}
		if length > lengthMost {
			return nil, mysqlerr.New(mysqlerr.PartitionFieldsTooLong)
		}
		if seen[at] {
			return nil, mysqlerr.New(mysqlerr.PartitionSameField, c.Def.Name)
		}
		seen[at] = true
		if c.Type.Kind.Blob() {
			return nil, mysqlerr.New(mysqlerr.PartitionBlob)
		}
		if by.Method != "KEY" && c.Unknown == "" && !listed(c.Type.Kind) {
			return nil, mysqlerr.New(mysqlerr.PartitionFieldType, c.Def.Name)
		}
		if err := b.readable(at); err != nil {
			return nil, err
		}
		b.used[at] = true
	}
	return columns, nil
}

// lengthMost is how many bytes the columns of a list may have together.
const lengthMost = 3072

// listed reports whether columns of a kind may be in RANGE COLUMNS and LIST COLUMNS.
func listed(k types.Kind) bool {
	switch k {
	case types.Date, types.Datetime, types.Time, types.Char, types.Varchar:
		return true
	}
	return k.Integer()
}

func (b *binder) keyColumns() (columns []int) {
	def := b.table.Def
	for _, p := range def.Primary {
		columns = append(columns, p.Column)
	}
	if len(columns) > 0 {
		return columns
	}
	for _, idx := range ddltext.Indexes(def) {
		whole := idx.Unique && !idx.Hash && idx.Kind == ""
		for _, p := range idx.Parts {
			whole = whole && !def.Columns[p.Column].Nullable && p.Prefix == 0
		}
		if !whole {
			continue
		}
		for _, p := range idx.Parts {
			columns = append(columns, p.Column)
		}
		return columns
	}
	return nil
}

// byHash is HASH.
type byHash struct {
	x      *eval.Expr
	count  int
	linear bool
}

func (d *byHash) place(x *Finder) int {
	v := d.x.Compute(x.frame)
	if v.Null {
		v.Int = math.MinInt64
	}
	return bucket(v.Int, d.count, d.linear)
}

// byKey is KEY.
type byKey struct {
	columns []int
	values  []value
	count   int
	linear  bool
}

func (b *binder) keys(columns []int, count int, linear bool) (distribution, error) {
	d := &byKey{columns: columns, count: count, linear: linear}
	for _, at := range columns {
		v, err := hashed(b.table, at)
		if err != nil {
			return nil, err
		}
		d.values = append(d.values, v)
	}
	return d, nil
}

func (d *byKey) place(x *Finder) int {
	return bucket(int64(key(x.reader, d.columns, d.values)), d.count, d.linear)
}

// number is a whole number in the order of those that an expression gives.
func number(v types.Value, unsigned bool) uint64 {
	if unsigned {
		return uint64(v.Int)
	}
	return uint64(v.Int) ^ 1<<63
}

// within is a value of RANGE or LIST as a number of the expression's type.
func (b *binder) within(n tree.Expr, name string, of *eval.Expr) (at uint64, null bool, err error) {
	v, unsigned, err := b.constant(n, name)
	switch {
	case err != nil || v.Null:
		return 0, v.Null, err
	case of.Type.Unsigned && !unsigned && v.Int < 0:
		return 0, false, mysqlerr.New(mysqlerr.PartitionConstDomain)
	case !of.Type.Unsigned && unsigned && v.Int < 0:
		return 0, false, bind.Refusal("a partition's value beyond the numbers with a sign")
	}
	return number(v, of.Type.Unsigned), false, nil
}

// byRange is RANGE: bounds in ascending order, and whether the last partition has all beyond them.
type byRange struct {
	x      *eval.Expr
	bounds []uint64
	open   bool
}

func (b *binder) ranges(x *eval.Expr, parts []*tree.Partition) (distribution, error) {
	d := &byRange{x: x}
	for _, p := range parts {
		if p.Values == nil || p.Values.Kind != "LESS THAN" || len(p.Values.Rows) > 0 && len(p.Values.Rows[0]) != 1 {
			return nil, bind.Refusal("these values of a partition")
		}
		if len(p.Values.Rows) == 0 || p.Values.Rows[0][0] == nil {
			if d.open {
				return nil, mysqlerr.New(mysqlerr.PartitionMaxValue)
			}
			d.open = true
			continue
		}
		if d.open {
			return nil, mysqlerr.New(mysqlerr.PartitionMaxValue)
		}
		at, null, err := b.within(p.Values.Rows[0][0], p.Name.Text, x)
		switch {
		case err != nil:
			return nil, err
		case null:
			return nil, mysqlerr.New(mysqlerr.PartitionNullLessThan)
		case len(d.bounds) > 0 && at <= d.bounds[len(d.bounds)-1]:
			return nil, mysqlerr.New(mysqlerr.PartitionRangeOrder)
		}
		d.bounds = append(d.bounds, at)
	}
	return d, nil
}

func (d *byRange) place(x *Finder) int {
	v := d.x.Compute(x.frame)
	if v.Null {
		return 0
	}
	at := number(v, d.x.Type.Unsigned)
	low, high := 0, len(d.bounds)
	for low < high {
		if mid := (low + high) / 2; at < d.bounds[mid] {
			high = mid
		} else {
			low = mid + 1
		}
	}
	if low == len(d.bounds) && !d.open {
		x.missing = shown(v, d.x.Type.Unsigned)
		return -1
	}
	return low
}

// shown is a number as error 1526 has it.
func shown(v types.Value, unsigned bool) string {
	switch {
	case v.Null:
		return "NULL"
	case unsigned:
		return strconv.FormatUint(uint64(v.Int), 10)
	}
	return strconv.FormatInt(v.Int, 10)
}

// byList is LIST. Places are -1 for none.
type byList struct {
	x        *eval.Expr
	places   map[uint64]int
	null     int
	standard int
}

func (b *binder) lists(x *eval.Expr, parts []*tree.Partition) (distribution, error) {
	d := &byList{x: x, places: map[uint64]int{}, null: -1, standard: -1}
	for i, p := range parts {
		if p.Values == nil || p.Values.Kind != "IN" && p.Values.Kind != "DEFAULT" {
			return nil, bind.Refusal("these values of a partition")
		}
		if p.Values.Kind == "DEFAULT" && d.standard >= 0 {
			return nil, mysqlerr.New(mysqlerr.OneDefaultPartition)
		}
		if p.Values.Kind == "DEFAULT" {
			d.standard = i
			continue
		}
		for _, tuple := range p.Values.Rows {
			if len(tuple) != 1 {
				return nil, bind.Refusal("these values of a partition")
			}
			at, null, err := b.within(tuple[0], p.Name.Text, x)
			if err != nil {
				return nil, err
			}
			_, twice := d.places[at]
			if null && d.null >= 0 || !null && twice {
				return nil, mysqlerr.New(mysqlerr.PartitionListTwice)
			}
			if null {
				d.null = i
			} else {
				d.places[at] = i
			}
		}
	}
	return d, nil
}

func (d *byList) place(x *Finder) int {
	v := d.x.Compute(x.frame)
	at, ok := d.null, d.null >= 0
	if !v.Null {
		at, ok = d.places[number(v, d.x.Type.Unsigned)]
	}
	if ok {
		return at
	}
	if d.standard < 0 {
		x.missing = shown(v, d.x.Type.Unsigned)
	}
	return d.standard
}

// Places are the places of partitions by their names, among all subpartitions, one partition after the other; error 1735 if there is none of a name.
func (r *Rule) Places(names []string) (map[int]bool, error) {
	out := map[int]bool{}
	def := r.table.Def.Partitioning
	for _, name := range names {
		found := false
		for i := range def.Partitions {
			p := &def.Partitions[i]
			whole := strings.EqualFold(p.Name, name)
			for k := range r.Subs {
				if whole || r.sub != nil && strings.EqualFold(p.Subs[k].Name, name) {
					out[i*r.Subs+k], found = true, true
				}
			}
		}
		if !found {
			return nil, mysqlerr.New(mysqlerr.PartitionUnknown, name, r.table.Def.Name)
		}
	}
	return out, nil
}
