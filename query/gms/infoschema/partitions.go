package infoschema

import (
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
)

// partitions has a row for each partition, or subpartition, and one for each table without any. Rows and sizes are not known by partition: those of the
// table are divided among them.
func partitions(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		p := t.Def.Partitioning
		if p == nil {
			s.add(s.partition(t, 1)...)
			return
		}
		method, expression := distributed(p.By)
		count := len(p.Partitions) * max(len(p.Partitions[0].Subs), 1)
		for i := range p.Partitions {
			part := &p.Partitions[i]
			subs := part.Subs
			if p.Sub == "" {
				subs = []catalog.PartitionDef{*part}
			}
			for k := range subs {
				row := s.partition(t, count)
				row[3], row[5], row[7], row[9], row[11] = part.Name, i+1, method, expression, described(part.Values, method, expression)
				row[22], row[23] = subs[k].Comment, "default"
				if p.Sub != "" {
					row[4], row[6] = subs[k].Name, k+1
					row[8], row[10] = distributed(p.Sub)
				}
				s.add(row...)
			}
		}
	})
}

// partition is the row of one of so many partitions, without what is known of it alone.
func (s *scan) partition(t *catalog.Table, count int) []any {
	size := s.size(t)
	row := make([]any, 25)
	row[0], row[1], row[2] = "def", t.Def.DB, t.Def.Name
	row[12], row[13], row[14], row[16], row[17] = size.rows, size.average, size.data, size.indexes, 0
	if count > 1 {
		row[12], row[14] = size.rows/uint64(count), size.data/uint64(count)
	}
	row[18], row[22], row[23] = s.time(time.UnixMicro(t.Def.CreatedAt)), "", ""
	return row
}

// distributed splits what partitions are made of, as definitions show it, into the method and its columns or expression.
func distributed(by string) (method, expression string) {
	method, expression, _ = strings.Cut(by, "(")
	method = strings.Join(strings.Fields(method), " ")
	return method, strings.TrimSuffix(expression, ")")
}

// described are the values of a partition; nil if they are computed. DEFAULT is what MariaDB has instead of values.
func described(values, method, columns string) any {
	n := strings.Count(columns, "`,`") + 1
	switch {
	case values == "":
		return nil
	case values == "DEFAULT" && method == "LIST":
		return "0"
	case values == "DEFAULT" && n > 1:
		return "(" + strings.Repeat("MAXVALUE,", n-1) + "MAXVALUE)"
	case values == "DEFAULT":
		return "MAXVALUE"
	case strings.HasSuffix(values, " MAXVALUE"):
		return "MAXVALUE"
	}
	_, list, ok := strings.Cut(values, "(")
	if !ok {
		return values
	}
	return strings.TrimSuffix(list, ")")
}
