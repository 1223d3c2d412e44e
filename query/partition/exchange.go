package partition

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Place is the place of a partition without subpartitions, or of a subpartition, among all places of a table.
func Place(def *catalog.TableDef, name string) (int, error) {
	at := 0
	for i := range def.Partitioning.Partitions {
		p := &def.Partitioning.Partitions[i]
		if strings.EqualFold(p.Name, name) {
			if len(p.Subs) > 0 {
				return 0, mysqlerr.New(mysqlerr.ExchangeSubpartitioned)
			}
			return at, nil
		}
		for k := range p.Subs {
			if strings.EqualFold(p.Subs[k].Name, name) {
				return at + k, nil
			}
		}
		at += max(len(p.Subs), 1)
	}
	return 0, mysqlerr.New(mysqlerr.PartitionUnknown, name, def.Name)
}

// Exchangeable looks whether the rows of a partition of a table may become those of another table, and the other way round: both have the same columns and
// indexes. MariaDB does not look at CHECK constraints, which the rows may not meet; where they differ, that is refused.
func Exchangeable(def, with *catalog.TableDef) error {
	different := mysqlerr.New(mysqlerr.ExchangeOtherDefinition)
	switch {
	case with.Partitioning != nil:
		return bind.Refusal("EXCHANGE PARTITION with a table that has partitions")
	case !strings.EqualFold(def.Engine, with.Engine):
		return mysqlerr.New(mysqlerr.PartitionMixedEngines)
	case len(with.ForeignKeys) > 0:
		return mysqlerr.New(mysqlerr.ExchangeForeignKey, with.Name)
	case len(def.Columns) != len(with.Columns), !slices.Equal(def.Primary, with.Primary), len(def.Indexes) != len(with.Indexes):
		return different
	case !strings.EqualFold(def.Options["row_format"], with.Options["row_format"]):
		return mysqlerr.New(mysqlerr.ExchangeOtherOption, "ROW_FORMAT")
	case def.Collation != with.Collation:
		return mysqlerr.New(mysqlerr.ExchangeOtherOption, "CHARACTER SET")
	}
	for i := range def.Columns {
		a, b := &def.Columns[i], &with.Columns[i]
		if a.Name != b.Name || a.SQLType != b.SQLType || a.Nullable != b.Nullable || a.Type != b.Type || a.Meta != b.Meta || a.Unsigned != b.Unsigned ||
			a.Collation != b.Collation || a.AutoIncrement != b.AutoIncrement || a.Generated != b.Generated || a.Virtual != b.Virtual ||
			!slices.Equal(a.EnumValues, b.EnumValues) {
			return different
		}
	}
	for i := range def.Indexes {
		a, b := &def.Indexes[i], &with.Indexes[i]
		if a.Name != b.Name || a.Unique != b.Unique || a.Kind != b.Kind || a.Hash != b.Hash || !slices.Equal(a.Parts, b.Parts) {
			return different
		}
	}
	if !slices.Equal(checks(def), checks(with)) {
		return bind.Refusal("EXCHANGE PARTITION of tables with different CHECK constraints")
	}
	return nil
}

// checks are the CHECK constraints of a table, in one order.
func checks(def *catalog.TableDef) []string {
	var out []string
	for i := range def.Checks {
		out = append(out, def.Checks[i].Expression)
	}
	slices.Sort(out)
	return out
}
