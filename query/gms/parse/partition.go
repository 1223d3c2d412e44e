package parse

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// go-mysql-server knows no partitions: what defines them is taken out of its text, and looked at here.

// partitionFunctions are those that a partitioning expression may call.
var partitionFunctions = words(`ABS CEIL CEILING DATEDIFF DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR FLOOR HOUR MICROSECOND MINUTE MOD MONTH QUARTER SECOND
	TIME_TO_SEC TO_DAYS TO_SECONDS UNIX_TIMESTAMP WEEKDAY YEAR YEARWEEK`)

// checkPartitions finds what is wrong with a PARTITION BY.
func checkPartitions(n *tree.CreateTable) error {
	p := n.Partitioning
	if p == nil || p.By == nil {
		return nil
	}
	for _, by := range []*tree.PartitionBy{p.By, p.Sub} {
		if by != nil && by.Expr != nil && !partitionable(by.Expr) {
			return mysqlerr.New(mysqlerr.PartitionFunctionNotAllowed)
		}
	}
	if err := checkPartitionNames(p); err != nil {
		return err
	}
	return checkPartitionKeys(n)
}

// partitions takes what ALTER TABLE does to partitions out of its text.
func (r *collating) partitions(n *tree.AlterTable) error {
	if !AltersPartitions(n) {
		return nil
	}
	if len(n.Actions) > 1 || len(n.Actions) == 1 && (n.Partitioning != nil || n.Unpartition) {
		return mysqlerr.NotYet("ALTER TABLE ... PARTITION with other clauses")
	}
	for _, a := range n.Actions {
		switch a.(type) {
		case *tree.AlterPartitions, *tree.ExchangePartition:
		default:
			return mysqlerr.NotYet("ALTER TABLE ... CONVERT of partitions")
		}
	}
	r.replace(tree.Span{Start: n.Name.Span.End, End: n.Span.End}, " FORCE")
	return nil
}

// AltersPartitions reports whether an ALTER TABLE is about partitions.
func AltersPartitions(n *tree.AlterTable) bool {
	return n.Partitioning != nil || n.Unpartition || slices.ContainsFunc(n.Actions, func(a tree.Action) bool {
		switch a.(type) {
		case *tree.AlterPartitions, *tree.ExchangePartition, *tree.ConvertPartition, *tree.ConvertTable:
			return true
		}
		return false
	})
}

// partitionable reports whether an expression is one by which rows may be distributed.
func partitionable(e tree.Expr) bool {
	ok := true
	tree.Walk(e, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Call:
			ok = ok && n.DB.Text == "" && partitionFunctions[strings.ToUpper(n.Name.Text)]
		case *tree.Binary:
			switch n.Op {
			case tree.OpPlus, tree.OpMinus, tree.OpTimes, tree.OpIntDivide, tree.OpModulo:
			default:
				ok = false
			}
		case *tree.Unary:
			ok = ok && (n.Op == tree.OpNegate || n.Op == tree.OpPositive)
		case *tree.ColumnRef, *tree.NumberLit, *tree.TextLit, *tree.NullLit, *tree.Extract:
		default:
			if _, expr := n.(tree.Expr); expr {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// checkPartitionNames looks at the list of partitions: two of one name, MAXVALUE before the last, two of DEFAULT.
func checkPartitionNames(p *tree.Partitioning) error {
	var names []string
	defaults := 0
	for i, part := range p.Partitions {
		all := append([]*tree.Partition{part}, part.SubPartitions...)
		for _, one := range all {
			name := strings.ToLower(one.Name.Text)
			if name != "" && slices.Contains(names, name) {
				return mysqlerr.New(mysqlerr.SamePartitionName, one.Name.Text)
			}
			names = append(names, name)
		}
		v := part.Values
		switch {
		case v == nil:
		case v.Kind == "DEFAULT":
			defaults++
		case v.Kind == "LESS THAN" && len(v.Rows) == 0 && i < len(p.Partitions)-1:
			return mysqlerr.New(mysqlerr.PartitionMaxValue)
		}
	}
	if defaults > 1 {
		return mysqlerr.New(mysqlerr.OneDefaultPartition)
	}
	return nil
}

// checkPartitionKeys looks whether every unique key has all columns in it by which rows are distributed.
func checkPartitionKeys(n *tree.CreateTable) error {
	used := map[string]bool{}
	for _, by := range []*tree.PartitionBy{n.Partitioning.By, n.Partitioning.Sub} {
		if by == nil {
			continue
		}
		for _, c := range by.Columns {
			used[strings.ToLower(c.Text)] = true
		}
		if by.Expr != nil {
			tree.Walk(by.Expr, func(n tree.Node) bool {
				if c, ok := n.(*tree.ColumnRef); ok {
					used[strings.ToLower(c.Name.Text)] = true
				}
				return true
			})
		}
	}
	lacks := func(columns ...string) bool {
		for name := range used {
			if !slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, name) }) {
				return true
			}
		}
		return false
	}
	for _, e := range n.Elements {
		switch e := e.(type) {
		case *tree.Column:
			if e.Primary && lacks(e.Name.Text) {
				return mysqlerr.New(mysqlerr.UniqueKeyNeedsPartitionFields, "PRIMARY KEY")
			}
			if e.Unique && lacks(e.Name.Text) {
				return mysqlerr.New(mysqlerr.UniqueKeyNeedsPartitionFields, "UNIQUE INDEX")
			}
		case *tree.Key:
			kind := map[tree.KeyKind]string{tree.PrimaryKey: "PRIMARY KEY", tree.UniqueKey: "UNIQUE INDEX"}[e.Kind]
			var columns []string
			for _, part := range e.Parts {
				columns = append(columns, part.Column.Text)
			}
			if kind != "" && lacks(columns...) {
				return mysqlerr.New(mysqlerr.UniqueKeyNeedsPartitionFields, kind)
			}
		}
	}
	return nil
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
