package tree

// Partitioning is PARTITION BY.
type Partitioning struct {
	Span
	By         *PartitionBy
	Count      string // PARTITIONS; empty: not said
	Sub        *PartitionBy
	SubCount   string
	Partitions []*Partition
}

// PartitionBy is how rows are distributed.
type PartitionBy struct {
	Span
	Linear    bool
	Method    string // HASH, KEY, RANGE, LIST, SYSTEM_TIME
	Algorithm string // of KEY; empty: not said
	Expr      Expr   // of HASH, RANGE, LIST
	IsColumns bool   // RANGE COLUMNS, LIST COLUMNS and KEY
	Columns   []Ident

	// Of SYSTEM_TIME.
	Interval Expr
	Unit     string
	Starts   Expr
	Auto     bool
	Limit    string
}

// Partition is the definition of a partition, or of a subpartition.
type Partition struct {
	Span
	Sub    bool
	Name   Ident
	Values *PartitionValues
	// Options are its own; SubPartitions those in it.
	Options       []*Option
	SubPartitions []*Partition
}

// PartitionValues say which rows a partition takes.
type PartitionValues struct {
	Span
	Kind string // LESS THAN, IN, DEFAULT, HISTORY, CURRENT
	// Rows are tuples of one value per column. A nil value is MAXVALUE, and no rows at all is LESS THAN MAXVALUE.
	Rows [][]Expr
	// Tuples says that the values of IN are written as tuples.
	Tuples bool
}

func (n *Partitioning) print(p *printer) {
	p.word("PARTITION BY")
	n.By.print(p)
	if n.Count != "" {
		p.words("PARTITIONS", n.Count)
	}
	if n.Sub != nil {
		p.word("SUBPARTITION BY")
		n.Sub.print(p)
		if n.SubCount != "" {
			p.words("SUBPARTITIONS", n.SubCount)
		}
	}
	if n.Partitions != nil {
		parens(p, n.Partitions)
	}
}

func (n *PartitionBy) print(p *printer) {
	p.when(n.Linear, "LINEAR")
	p.word(n.Method)
	if n.Algorithm != "" {
		p.words("ALGORITHM =", n.Algorithm)
	}
	switch {
	case n.Method == "KEY":
		idents(p, n.Columns)
	case n.IsColumns:
		p.word("COLUMNS")
		idents(p, n.Columns)
	case n.Method != "SYSTEM_TIME":
		inParens(p, n.Expr)
	default:
		n.printRotation(p)
	}
}

func (n *PartitionBy) printRotation(p *printer) {
	if n.Interval != nil {
		p.word("INTERVAL")
		n.Interval.print(p)
		p.word(n.Unit)
	}
	if n.Starts != nil {
		p.word("STARTS")
		n.Starts.print(p)
	}
	if n.Limit != "" {
		p.words("LIMIT", n.Limit)
	}
	p.when(n.Auto, "AUTO")
}

func (n *Partition) print(p *printer) {
	if n.Sub {
		p.word("SUBPARTITION")
	} else {
		p.word("PARTITION")
	}
	n.Name.print(p)
	if n.Values != nil {
		n.Values.print(p)
	}
	printOptions(p, n.Options)
	if n.SubPartitions != nil {
		parens(p, n.SubPartitions)
	}
}

func (n *PartitionValues) print(p *printer) {
	switch n.Kind {
	case "LESS THAN":
		p.word("VALUES LESS THAN")
		if n.Rows == nil {
			p.word("MAXVALUE")
			return
		}
		printTuple(p, n.Rows[0])
	case "IN":
		p.word("VALUES IN")
		if !n.Tuples {
			printTuple(p, flat(n.Rows))
			return
		}
		p.space()
		p.byte('(')
		for i, row := range n.Rows {
			if i > 0 {
				p.byte(',')
			}
			printTuple(p, row)
		}
		p.byte(')')
	default:
		p.word(n.Kind)
	}
}

func flat(rows [][]Expr) (all []Expr) {
	for _, r := range rows {
		all = append(all, r...)
	}
	return all
}

func printTuple(p *printer, row []Expr) {
	p.space()
	p.byte('(')
	for i, e := range row {
		if i > 0 {
			p.byte(',')
		}
		if e == nil {
			p.word("MAXVALUE")
		} else {
			e.print(p)
		}
	}
	p.byte(')')
}
