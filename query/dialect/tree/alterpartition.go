package tree

// AlterPartitions is what ALTER TABLE does to partitions: a verb and the partitions it is about.
type AlterPartitions struct {
	Span
	Verb         string // ADD, DROP, REBUILD, OPTIMIZE, ANALYZE, CHECK, REPAIR, COALESCE, TRUNCATE, REORGANIZE
	IfExists     bool   // of DROP; of ADD: IF NOT EXISTS
	NoWriteToLog bool
	All          bool
	Names        []Ident
	Count        string // ADD PARTITIONS n, COALESCE n
	Definitions  []*Partition
	CheckOptions []string // QUICK, EXTENDED ... of CHECK and REPAIR
}

// ExchangePartition is EXCHANGE PARTITION ... WITH TABLE.
type ExchangePartition struct {
	Span
	Name  Ident
	Table *TableName
}

// ConvertPartition is CONVERT PARTITION ... TO TABLE.
type ConvertPartition struct {
	Span
	Name  Ident
	Table *TableName
}

// ConvertTable is CONVERT TABLE ... TO PARTITION.
type ConvertTable struct {
	Span
	Table     *TableName
	Partition *Partition
}

func (n *AlterPartitions) print(p *printer) {
	p.words(n.Verb, "PARTITION")
	if n.IfExists && n.Verb == "ADD" {
		p.word("IF NOT EXISTS")
	} else {
		p.when(n.IfExists, "IF EXISTS")
	}
	p.when(n.NoWriteToLog, "NO_WRITE_TO_BINLOG")
	p.when(n.All, "ALL")
	nameList(p, n.Names)
	switch {
	case n.Count != "" && n.Verb == "ADD":
		p.words("PARTITIONS", n.Count)
	case n.Count != "":
		p.word(n.Count)
	case n.Definitions != nil:
		p.when(n.Verb == "REORGANIZE", "INTO")
		parens(p, n.Definitions)
	}
	p.words(n.CheckOptions...)
}

func (n *ExchangePartition) print(p *printer) {
	p.word("EXCHANGE PARTITION")
	n.Name.print(p)
	p.word("WITH TABLE")
	n.Table.print(p)
}

func (n *ConvertPartition) print(p *printer) {
	p.word("CONVERT PARTITION")
	n.Name.print(p)
	p.word("TO TABLE")
	n.Table.print(p)
}

func (n *ConvertTable) print(p *printer) {
	p.word("CONVERT TABLE")
	n.Table.print(p)
	p.word("TO")
	n.Partition.print(p)
}
