package tree

// Maintain is ANALYZE, CHECK, CHECKSUM, OPTIMIZE or REPAIR TABLE.
type Maintain struct {
	Span
	Verb         string // the first word
	NoWriteToLog bool
	View         bool // of CHECK and REPAIR
	Tables       []*MaintainedTable
	Options      []string // QUICK, EXTENDED, FOR UPGRADE ...
	Wait         *Wait    // of OPTIMIZE
}

// MaintainedTable is a table of Maintain; Statistics are those of ANALYZE.
type MaintainedTable struct {
	Span
	Table      *TableName
	Statistics *Statistics
}

// Statistics is PERSISTENT FOR ALL, or FOR COLUMNS (...) INDEXES (...); in each of these all is nil, ALL.
type Statistics struct {
	Span
	All              bool
	Columns, Indexes []Ident
	AllColumns       bool
	AllIndexes       bool
}

// KeyCache is CACHE INDEX ... IN, and LOAD INDEX INTO CACHE if Load is true.
type KeyCache struct {
	Span
	Load   bool
	Tables []*CachedTable
	In     string // DEFAULT is that keyword
}

// CachedTable is a table of KeyCache.
type CachedTable struct {
	Span
	Table         *TableName
	HasPartitions bool
	AllPartitions bool
	Partitions    []Ident
	HasKeys       bool
	Keys          []Ident
	IgnoreLeaves  bool
}

func (*Maintain) statement() {}
func (*KeyCache) statement() {}

func (n *Maintain) print(p *printer) {
	p.word(n.Verb)
	p.when(n.NoWriteToLog, "NO_WRITE_TO_BINLOG")
	if n.View {
		p.word("VIEW")
	} else {
		p.word("TABLE")
	}
	list(p, n.Tables)
	p.words(n.Options...)
	printWait(p, n.Wait)
}

func (n *MaintainedTable) print(p *printer) {
	n.Table.print(p)
	if n.Statistics != nil {
		n.Statistics.print(p)
	}
}

func (n *Statistics) print(p *printer) {
	p.word("PERSISTENT FOR")
	if n.All {
		p.word("ALL")
		return
	}
	p.word("COLUMNS")
	allOr(p, n.AllColumns, n.Columns)
	p.word("INDEXES")
	allOr(p, n.AllIndexes, n.Indexes)
}

// allOr prints ALL, or names in parentheses.
func allOr(p *printer, all bool, names []Ident) {
	if all {
		p.word("ALL")
		return
	}
	idents(p, names)
}

func (n *KeyCache) print(p *printer) {
	if n.Load {
		p.word("LOAD INDEX INTO CACHE")
		list(p, n.Tables)
		return
	}
	p.word("CACHE INDEX")
	list(p, n.Tables)
	p.word("IN")
	nameOrDefault(p, n.In)
}

func (n *CachedTable) print(p *printer) {
	n.Table.print(p)
	if n.HasPartitions {
		p.word("PARTITION")
		p.space()
		p.byte('(')
		p.when(n.AllPartitions, "ALL")
		nameList(p, n.Partitions)
		p.byte(')')
	}
	if n.HasKeys {
		p.word("INDEX")
		idents(p, n.Keys)
	}
	p.when(n.IgnoreLeaves, "IGNORE LEAVES")
}
