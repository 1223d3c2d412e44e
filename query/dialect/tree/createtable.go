package tree

// CreateTable is CREATE TABLE.
type CreateTable struct {
	Span
	OrReplace, Temporary, IfNotExists bool
	Name                              *TableName
	Like                              *TableName // LIKE: then the rest is empty
	Elements                          []Element
	Options                           []*Option
	Partitioning                      *Partitioning
	Duplicates                        string // IGNORE, REPLACE or nothing
	Query                             Query  // AS SELECT; nil: none
}

func (*CreateTable) statement() {}

func (n *CreateTable) print(p *printer) {
	printCreate(p, n.OrReplace)
	p.when(n.Temporary, "TEMPORARY")
	p.word("TABLE")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	n.Name.print(p)
	if n.Like != nil {
		p.word("LIKE")
		n.Like.print(p)
		return
	}
	if n.Elements != nil {
		parens(p, n.Elements)
	}
	printOptions(p, n.Options)
	if n.Partitioning != nil {
		n.Partitioning.print(p)
	}
	p.words(n.Duplicates)
	if n.Query != nil {
		p.word("AS")
		n.Query.print(p)
	}
}
