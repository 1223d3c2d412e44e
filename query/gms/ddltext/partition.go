package ddltext

import (
	"fmt"
	"strings"

	"github.com/duramendb/duramen/catalog"
)

// Partitioning is a table's PARTITION BY clause. Each partition is shown with the table's engine, unless that is empty.
func Partitioning(p *catalog.PartitioningDef, engine string) string {
	var b strings.Builder
	b.WriteString("PARTITION BY " + p.By)
	if p.Counted && !p.Listed {
		fmt.Fprintf(&b, "\nPARTITIONS %d", len(p.Partitions))
	}
	if p.Sub != "" {
		b.WriteString("\nSUBPARTITION BY " + p.Sub)
		if p.SubCounted && !p.SubListed && len(p.Partitions) > 0 {
			fmt.Fprintf(&b, "\nSUBPARTITIONS %d", len(p.Partitions[0].Subs))
		}
	}
	if !p.Listed {
		return b.String()
	}
	for i := range p.Partitions {
		b.WriteString([]string{"\n(", ",\n "}[min(i, 1)])
		part := &p.Partitions[i]
		b.WriteString("PARTITION " + Name(part.Name))
		if part.Values != "" {
			b.WriteString(" " + part.Values)
		}
		if !p.SubListed {
			partitionOptions(&b, part, engine)
			continue
		}
		for k := range part.Subs {
			b.WriteString([]string{"\n (", ",\n  "}[min(k, 1)] + "SUBPARTITION " + Name(part.Subs[k].Name))
			partitionOptions(&b, &part.Subs[k], engine)
		}
		b.WriteString(")")
	}
	b.WriteString(")")
	return b.String()
}

func partitionOptions(b *strings.Builder, part *catalog.PartitionDef, engine string) {
	if part.Options != "" {
		b.WriteString(" " + part.Options)
	}
	if engine != "" {
		b.WriteString(" ENGINE = " + engine)
	}
}

// PartitionComment is the comment of a partition as its options have it.
func PartitionComment(text string) string { return "COMMENT = " + literal(text) }
