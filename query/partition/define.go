package partition

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// nameMost is how many characters the name of a partition may have.
const nameMost = 64

// most is how many partitions a table may have, subpartitions counted.
const most = 8192

// Define makes the definition of a PARTITION BY of a table. Texts of the statement are UTF-8; UNIX_TIMESTAMP of a constant is that of the session's
// time zone, and is kept as the number that it is.
func Define(def *catalog.TableDef, p *tree.Partitioning, compile Compiler, zone *temporal.Zone) (*catalog.PartitioningDef, error) {
	t, err := version(def, nil, compile)
	if err != nil {
		return nil, err
	}
	b, err := newBinder(t)
	if err != nil {
		return nil, err
	}
	b.short = true
	b.inZone(zone)
	out := &catalog.PartitioningDef{Counted: p.Count != "", Listed: len(p.Partitions) > 0, SubCounted: p.SubCount != ""}
	if out.By, err = b.by(p.By, "PARTITION"); err != nil {
		return nil, err
	}
	method := p.By.Method
	subs := 0
	if p.Sub != nil {
		if method != "RANGE" && method != "LIST" {
			return nil, mysqlerr.New(mysqlerr.PartitionSubOnlyMixed)
		}
		if out.Sub, err = b.by(p.Sub, "SUBPARTITION"); err != nil {
			return nil, err
		}
		if subs, err = count(p.SubCount); err != nil {
			return nil, err
		}
	}
	parts := p.Partitions
	if len(parts) == 0 {
		n, err := count(p.Count)
		if err != nil {
			return nil, err
		}
		for i := range n {
			parts = append(parts, &tree.Partition{Name: tree.Ident{Text: "p" + strconv.Itoa(i)}})
		}
	}
	if out.Partitions, err = b.partitions(p.By, parts, p.Sub != nil, subs); err != nil {
		return nil, err
	}
	out.SubListed = len(parts[0].SubPartitions) > 0
	return out, Check(def, out, compile)
}

// Compiler compiles a table's definition.
type Compiler func(*catalog.TableDef) (*catalog.Table, error)

// version is a table with another definition of its partitions.
func version(def *catalog.TableDef, p *catalog.PartitioningDef, compile Compiler) (*relation.Table, error) {
	d := *def
	d.Partitioning = p
	if d.ID == 0 {
		d.ID = 1 // of a temporary table, or one that is being made
	}
	tbl, err := compile(&d)
	if err != nil {
		return nil, err
	}
	return relation.Of(tbl), nil
}

// Check compiles the partitions of a definition, and looks at their number and names.
func Check(def *catalog.TableDef, p *catalog.PartitioningDef, compile Compiler) error {
	var names []string
	total := 0
	for i := range p.Partitions {
		for _, one := range append([]catalog.PartitionDef{p.Partitions[i]}, p.Partitions[i].Subs...) {
			if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, one.Name) }) {
				return mysqlerr.New(mysqlerr.SamePartitionName, one.Name)
			}
			if len(p.Partitions)*max(len(p.Partitions[0].Subs), 1) <= 1024 { // beyond that, names that are made differ
				names = append(names, one.Name)
			}
		}
		if total += max(len(p.Partitions[i].Subs), 1); total > most {
			return mysqlerr.New(mysqlerr.PartitionTooMany)
		}
	}
	if len(def.ForeignKeys) > 0 {
		return mysqlerr.New(mysqlerr.PartitionFeature, "FOREIGN KEY")
	}
	t, err := version(def, p, compile)
	if err != nil {
		return err
	}
	r, err := Of(t)
	if err != nil {
		return err
	}
	return r.keys()
}

// keys looks whether every unique key has all columns by which rows are distributed, so that equal keys are in one partition.
func (r *Rule) keys() error {
	def := r.table.Def
	lacks := func(parts []catalog.IndexPart) bool {
		for at := range r.Columns {
			if !slices.ContainsFunc(parts, func(p catalog.IndexPart) bool { return p.Column == at && p.Prefix == 0 }) {
				return true
			}
		}
		return false
	}
	if len(def.Primary) > 0 && lacks(def.Primary) {
		return mysqlerr.New(mysqlerr.UniqueKeyNeedsPartitionFields, "PRIMARY KEY")
	}
	for i := range def.Indexes {
		if def.Indexes[i].Unique && lacks(def.Indexes[i].Parts) {
			return mysqlerr.New(mysqlerr.UniqueKeyNeedsPartitionFields, "UNIQUE INDEX")
		}
	}
	return nil
}

// count is a number of partitions; 1 if it is not said.
func count(text string) (int, error) {
	if text == "" {
		return 1, nil
	}
	n, err := strconv.ParseUint(text, 0, 32)
	if err != nil || n > most {
		return 0, mysqlerr.New(mysqlerr.PartitionTooMany)
	}
	return int(n), nil
}

// by prints how rows are distributed.
func (b *binder) by(n *tree.PartitionBy, what string) (string, error) {
	text := n.Method
	if n.Linear {
		text = "LINEAR " + text
	}
	if n.Algorithm != "" && n.Algorithm != "2" {
		return "", bind.Refusal("PARTITION BY KEY ALGORITHM = " + n.Algorithm)
	}
	if n.Method == "KEY" || n.IsColumns {
		columns, err := b.columns(n)
		if err != nil {
			return "", err
		}
		names := make([]string, len(columns))
		for i, at := range columns {
			names[i] = ddltext.Name(b.table.Columns[at].Def.Name)
		}
		if len(n.Columns) == 0 {
			names = nil
		}
		if n.IsColumns && n.Method != "KEY" {
			return text + "  COLUMNS(" + strings.Join(names, ",") + ")", nil
		}
		return text + " (" + strings.Join(names, ",") + ")", nil
	}
	if n.Method != "HASH" && n.Method != "RANGE" && n.Method != "LIST" {
		return "", bind.Refusal("PARTITION BY " + n.Method)
	}
	x, err := b.function(n.Expr, what)
	if err != nil {
		return "", err
	}
	return text + " (" + x.String() + ")", nil
}

// Partitions makes the definitions of partitions that come to those of a table, which are distributed by p.
func Partitions(
	def *catalog.TableDef, p *catalog.PartitioningDef, parts []*tree.Partition, compile Compiler, zone *temporal.Zone,
) ([]catalog.PartitionDef, error) {
	t, err := version(def, p, compile)
	if err != nil {
		return nil, err
	}
	by, err := parse(p)
	if err != nil {
		return nil, err
	}
	b, err := newBinder(t)
	if err != nil {
		return nil, err
	}
	b.short = true
	b.inZone(zone)
	return b.partitions(by.By, parts, p.Sub != "", len(p.Partitions[0].Subs))
}

// partitions makes the definitions of partitions. subs is how many subpartitions each has that lists none.
func (b *binder) partitions(by *tree.PartitionBy, parts []*tree.Partition, sub bool, subs int) (out []catalog.PartitionDef, err error) {
	for _, n := range parts {
		p, err := b.partition(by, n)
		if err != nil {
			return nil, err
		}
		switch {
		case len(n.SubPartitions) > 0 && !sub:
			return nil, mysqlerr.New(mysqlerr.PartitionSubOnlyMixed)
		case len(n.SubPartitions) > 0:
			for _, s := range n.SubPartitions {
				d, err := b.partition(nil, s)
				if err != nil {
					return nil, err
				}
				p.Subs = append(p.Subs, d)
			}
		case sub:
			for k := range subs {
				p.Subs = append(p.Subs, catalog.PartitionDef{Name: p.Name + "sp" + strconv.Itoa(k)})
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// partition makes the definition of a partition or, without by, of a subpartition.
func (b *binder) partition(by *tree.PartitionBy, n *tree.Partition) (p catalog.PartitionDef, err error) {
	p.Name = n.Name.Text
	if p.Name == "" || strings.HasSuffix(p.Name, " ") {
		return p, mysqlerr.New(mysqlerr.PartitionWrongName)
	}
	if utf8.RuneCountInString(p.Name) > nameMost {
		return p, mysqlerr.New(mysqlerr.TooLongIdent, p.Name)
	}
	if p.Options, p.Comment, err = options(n.Options, b.table.Def.Engine); err != nil {
		return p, err
	}
	if n.Values == nil || by == nil {
		return p, nil
	}
	switch v := n.Values; v.Kind {
	case "DEFAULT":
		p.Values = "DEFAULT"
		return p, nil
	case "LESS THAN":
		if by.Method != "RANGE" {
			return p, mysqlerr.New(mysqlerr.PartitionWrongValues, "RANGE", "LESS THAN")
		}
		p.Values = "VALUES LESS THAN "
	case "IN":
		if by.Method != "LIST" {
			return p, mysqlerr.New(mysqlerr.PartitionWrongValues, "LIST", "IN")
		}
		p.Values = "VALUES IN "
	default:
		return p, bind.Refusal("partitions of history")
	}
	rows := n.Values.Rows
	maximum := len(rows) == 0 || !by.IsColumns && len(rows[0]) == 1 && rows[0][0] == nil
	if n.Values.Kind == "LESS THAN" && maximum {
		if p.Values += "MAXVALUE"; by.IsColumns {
			p.Values = "VALUES LESS THAN (MAXVALUE)"
		}
		return p, nil
	}
	text, err := b.rows(by, p.Name, n.Values)
	p.Values += text
	return p, err
}

// rows prints the values of a partition, in parentheses.
func (b *binder) rows(by *tree.PartitionBy, name string, v *tree.PartitionValues) (string, error) {
	tuples := make([]string, len(v.Rows))
	for i, row := range v.Rows {
		if by.IsColumns && len(row) != len(by.Columns) || !by.IsColumns && len(row) != 1 {
			return "", mysqlerr.New(mysqlerr.PartitionColumnList)
		}
		cells := make([]string, len(row))
		for k, n := range row {
			var err error
			switch {
			case n == nil:
				cells[k] = "MAXVALUE"
			case by.IsColumns:
				at := b.table.Find(by.Columns[k].Text)
				if cells[k], err = b.literal(at, n); err != nil {
					return "", err
				}
			default:
				v, unsigned, err := b.constant(n, name)
				if err != nil {
					return "", err
				}
				cells[k] = shown(v, unsigned)
			}
		}
		tuples[i] = strings.Join(cells, ",")
		if tuples[i] == "NULL" && !by.IsColumns && i > 0 { // it is shown first
			copy(tuples[1:i+1], tuples[:i])
			tuples[0] = "NULL"
		}
		if by.IsColumns && len(row) > 1 && v.Kind == "IN" {
			tuples[i] = "(" + tuples[i] + ")"
		}
	}
	return "(" + strings.Join(tuples, ",") + ")", nil
}

// literal prints a value of RANGE COLUMNS or LIST COLUMNS.
func (b *binder) literal(at int, n tree.Expr) (string, error) {
	x, err := b.columnValue(at, n)
	if err != nil {
		return "", err
	}
	if x.Null() {
		return "NULL", nil
	}
	f := b.newFrame()
	v := x.Compute(f)
	if err := f.Diag.Failed(); err != nil {
		return "", err
	}
	switch x.Type.Class() {
	case types.ClassInt:
		return shown(v, x.Type.Unsigned), nil
	case types.ClassTime:
		d, ok := n.(*tree.TemporalLit)
		if !ok {
			return "", bind.Refusal("this value of a partition")
		}
		return ddltext.Text(d.Value), nil
	case types.ClassText:
		if _, call := n.(*tree.Call); call {
			return "", mysqlerr.New(mysqlerr.PartitionFunctionNotAllowed)
		}
		if x.Type.Collation.Set().Name() == "binary" && !ascii(v.Text) {
			return "", bind.Refusal("bytes as a value of a partition")
		}
		utf8, _ := charset.SetByName("utf8mb4")
		text, _ := charset.Convert(nil, utf8, x.Type.Collation.Set(), v.Text)
		return ddltext.Text(string(text)), nil
	}
	return "", bind.Refusal("this value of a partition")
}

func ascii(s []byte) bool { return !slices.ContainsFunc(s, func(c byte) bool { return c >= 0x80 }) }

// options prints the options of a partition, in MariaDB's order, and finds the comment.
func options(list []*tree.Option, engine string) (text, comment string, err error) {
	known := map[string]string{}
	for _, o := range list {
		if o.Own || o.Value == nil {
			return "", "", bind.Refusal("this option of a partition")
		}
		switch o.Name {
		case "ENGINE":
			if !strings.EqualFold(o.Value.Text, engine) {
				return "", "", mysqlerr.New(mysqlerr.PartitionMixedEngines)
			}
		case "COMMENT":
			comment = o.Value.Text
			known[o.Name] = ddltext.PartitionComment(comment)
		case "MAX_ROWS", "MIN_ROWS", "NODEGROUP":
			known[o.Name] = o.Name + " = " + o.Value.Text
			if o.Name != "NODEGROUP" && o.Value.Text == "0" {
				known[o.Name] = ""
			}
		case "TABLESPACE":
		default:
			return "", "", bind.Refusal("the option " + o.Name + " of a partition")
		}
	}
	var out []string
	for _, name := range []string{"NODEGROUP", "MAX_ROWS", "MIN_ROWS", "COMMENT"} {
		if known[name] != "" {
			out = append(out, known[name])
		}
	}
	return strings.Join(out, " "), comment, nil
}
