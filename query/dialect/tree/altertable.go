package tree

// AlterTable is ALTER TABLE.
type AlterTable struct {
	Span
	Online, Ignore, IfExists bool
	Name                     *TableName
	Wait                     *Wait
	Actions                  []Action
	Partitioning             *Partitioning // PARTITION BY, after the actions
	Unpartition              bool          // REMOVE PARTITIONING
}

// Action is one thing that ALTER TABLE does.
type Action interface {
	Node
	action()
}

// AddColumns is ADD COLUMN. Elements are one column, or what stood in parentheses (InParens).
type AddColumns struct {
	Span
	IfNotExists bool
	InParens    bool
	Elements    []Element
	At          *ColumnPlace
}

// AddElement is ADD with a key, a check or a period. IfNotExists is that of a check and a period; a key has its own.
type AddElement struct {
	Span
	IfNotExists bool
	Element     Element
}

// ChangeColumn is CHANGE COLUMN and, without an old name, MODIFY COLUMN.
type ChangeColumn struct {
	Span
	IfExists bool
	Old      Ident
	Column   *Column
	At       *ColumnPlace
}

// ColumnPlace is AFTER a column, or FIRST if that is empty.
type ColumnPlace struct {
	Span
	After Ident
}

// DropElement is DROP of something with a name, PRIMARY KEY among them.
type DropElement struct {
	Span
	What     string // COLUMN, CONSTRAINT, FOREIGN KEY, PRIMARY KEY, INDEX, PERIOD
	IfExists bool
	Name     Ident
	Behavior string // RESTRICT, CASCADE or nothing
}

// AlterColumn is ALTER COLUMN ... SET DEFAULT, or DROP DEFAULT if that is nil.
type AlterColumn struct {
	Span
	IfExists bool
	Name     Ident
	Default  Expr
}

// AlterIndex is ALTER INDEX ... [NOT] IGNORED.
type AlterIndex struct {
	Span
	IfExists bool
	Name     Ident
	Ignored  bool
}

// RenameTo is RENAME of the table itself.
type RenameTo struct {
	Span
	Name *TableName
}

// RenameElement is RENAME COLUMN and RENAME INDEX.
type RenameElement struct {
	Span
	What     string
	IfExists bool
	Old, New Ident
}

// ConvertCharset is CONVERT TO CHARACTER SET. DEFAULT is that keyword.
type ConvertCharset struct {
	Span
	Charset, Collate string
}

// SetOptions sets options of the table, ALGORITHM and LOCK among them.
type SetOptions struct {
	Span
	Options []*Option
}

// OrderTable is ORDER BY.
type OrderTable struct {
	Span
	By []*OrderColumn
}

// OrderColumn is a column of OrderTable; a table and a database may qualify it.
type OrderColumn struct {
	Span
	Path []Ident
	Desc bool
}

// AlterWords is an action without anything variable: FORCE, ENABLE KEYS, REMOVE PARTITIONING ...
type AlterWords struct {
	Span
	Words string
}

func (*AlterTable) statement()     {}
func (*AddColumns) action()        {}
func (*AddElement) action()        {}
func (*ChangeColumn) action()      {}
func (*DropElement) action()       {}
func (*AlterColumn) action()       {}
func (*AlterIndex) action()        {}
func (*RenameTo) action()          {}
func (*RenameElement) action()     {}
func (*ConvertCharset) action()    {}
func (*SetOptions) action()        {}
func (*OrderTable) action()        {}
func (*AlterWords) action()        {}
func (*AlterPartitions) action()   {}
func (*ExchangePartition) action() {}
func (*ConvertPartition) action()  {}
func (*ConvertTable) action()      {}

func (n *AlterTable) print(p *printer) {
	p.word("ALTER")
	p.when(n.Online, "ONLINE")
	p.when(n.Ignore, "IGNORE")
	p.word("TABLE")
	p.when(n.IfExists, "IF EXISTS")
	n.Name.print(p)
	printWait(p, n.Wait)
	list(p, n.Actions)
	if n.Partitioning != nil {
		n.Partitioning.print(p)
	}
	p.when(n.Unpartition, "REMOVE PARTITIONING")
}

func (n *AddColumns) print(p *printer) {
	p.word("ADD COLUMN")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	if n.InParens {
		parens(p, n.Elements)
	} else {
		list(p, n.Elements)
	}
	printPlace(p, n.At)
}

func (n *AddElement) print(p *printer) {
	p.word("ADD")
	switch e := n.Element.(type) {
	case *Check:
		if n.IfNotExists {
			p.word("CONSTRAINT IF NOT EXISTS")
			e.Constraint.print(p)
			p.word("CHECK")
			inParens(p, e.Expr)
			return
		}
	case *Period:
		if n.IfNotExists {
			p.word("PERIOD IF NOT EXISTS FOR")
			e.Name.print(p)
			idents(p, []Ident{e.Start, e.End})
			return
		}
	}
	n.Element.print(p)
}

func (n *ChangeColumn) print(p *printer) {
	if n.Old.Text == "" {
		p.word("MODIFY COLUMN")
	} else {
		p.word("CHANGE COLUMN")
	}
	p.when(n.IfExists, "IF EXISTS")
	if n.Old.Text != "" {
		n.Old.print(p)
	}
	n.Column.print(p)
	printPlace(p, n.At)
}

func printPlace(p *printer, n *ColumnPlace) {
	if n != nil {
		n.print(p)
	}
}

func (n *ColumnPlace) print(p *printer) {
	if n.After.Text == "" {
		p.word("FIRST")
		return
	}
	after(p, "AFTER", &n.After)
}

func (n *DropElement) print(p *printer) {
	p.words("DROP", n.What)
	p.when(n.IfExists, "IF EXISTS")
	p.when(n.What == "PERIOD", "FOR")
	switch {
	case n.What == "PRIMARY KEY":
	case n.What == "PERIOD" && n.Name.Text == "SYSTEM_TIME":
		p.word("SYSTEM_TIME")
	default:
		n.Name.print(p)
	}
	p.words(n.Behavior)
}

func (n *AlterColumn) print(p *printer) {
	p.word("ALTER COLUMN")
	p.when(n.IfExists, "IF EXISTS")
	n.Name.print(p)
	if n.Default == nil {
		p.word("DROP DEFAULT")
		return
	}
	p.word("SET DEFAULT")
	printDefault(p, n.Default)
}

func (n *AlterIndex) print(p *printer) {
	p.word("ALTER INDEX")
	p.when(n.IfExists, "IF EXISTS")
	n.Name.print(p)
	p.when(!n.Ignored, "NOT")
	p.word("IGNORED")
}

func (n *RenameTo) print(p *printer) {
	p.word("RENAME TO")
	n.Name.print(p)
}

func (n *RenameElement) print(p *printer) {
	p.words("RENAME", n.What)
	p.when(n.IfExists, "IF EXISTS")
	n.Old.print(p)
	p.word("TO")
	n.New.print(p)
}

func (n *ConvertCharset) print(p *printer) {
	p.word("CONVERT TO CHARACTER SET")
	nameOrDefault(p, n.Charset)
	printCollate(p, n.Collate)
}

func (n *SetOptions) print(p *printer) { printOptions(p, n.Options) }

func (n *OrderTable) print(p *printer) {
	p.word("ORDER BY")
	list(p, n.By)
}

func (n *OrderColumn) print(p *printer) {
	printPath(p, n.Path)
	p.when(n.Desc, "DESC")
}

// printPath prints names with points between them.
func printPath(p *printer, path []Ident) {
	for i := range path {
		if i > 0 {
			p.byte('.')
		}
		path[i].print(p)
	}
}

func (n *AlterWords) print(p *printer) { p.word(n.Words) }
