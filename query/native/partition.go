package native

import (
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/partition"
	"github.com/duramendb/duramen/query/plan"
)

// partitioned finds out what there is of the partitions of a statement's table, and which of them it names.
func (b *binding) partitioned(src *plan.Source, names []tree.Ident) error {
	switch {
	case src.View != nil && names != nil:
		return bind.Refusal("PARTITION (...) of a view")
	case src.Table.Def.Partitioning == nil && names != nil:
		return mysqlerr.New(mysqlerr.PartitionClauseOnNone)
	case src.Table.Def.Partitioning == nil:
		return nil
	}
	var err error
	if src.Partitions, err = partition.Of(src.Table); err != nil || names == nil {
		return err
	}
	var list []string
	for _, n := range names {
		list = append(list, n.Text)
	}
	src.Selected, err = src.Partitions.Places(list)
	return err
}
