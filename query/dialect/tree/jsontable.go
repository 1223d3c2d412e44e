package tree

// JSONTable is JSON_TABLE(X, Path COLUMNS (Columns)).
type JSONTable struct {
	Span
	X       Expr
	Path    *TextLit
	Columns []*JSONColumn
	Alias   Ident
}

// JSONColumnKind is the kind of a JSONColumn.
type JSONColumnKind uint8

// The kinds.
const (
	JSONOrdinality JSONColumnKind = iota
	JSONPath
	JSONExists
	JSONNested
)

// JSONColumn is one column, or those of a JSONNested. Type is of JSONPath and JSONExists.
type JSONColumn struct {
	Span
	Kind    JSONColumnKind
	Name    Ident
	Type    Node
	Path    *TextLit
	OnEmpty *JSONResponse
	OnError *JSONResponse
	Columns []*JSONColumn
}

// JSONResponse is what a column is if there is nothing, or an error: NULL, a default, or an error if Fail.
type JSONResponse struct {
	Span
	Fail    bool
	Default Expr // nil: NULL
}

func (*JSONTable) tableRef() {}

func (n *JSONTable) print(p *printer) {
	p.call("JSON_TABLE")
	n.X.print(p)
	p.byte(',')
	jsonColumns(p, n.Path, n.Columns)
	p.byte(')')
	p.alias(&n.Alias)
}

func jsonColumns(p *printer, path *TextLit, columns []*JSONColumn) {
	path.print(p)
	p.word("COLUMNS")
	parens(p, columns)
}

func (n *JSONColumn) print(p *printer) {
	if n.Kind == JSONNested {
		p.word("NESTED PATH")
		jsonColumns(p, n.Path, n.Columns)
		return
	}
	n.Name.print(p)
	if n.Kind == JSONOrdinality {
		p.word("FOR ORDINALITY")
		return
	}
	n.Type.print(p)
	p.when(n.Kind == JSONExists, "EXISTS")
	p.word("PATH")
	n.Path.print(p)
	if n.OnEmpty != nil {
		n.OnEmpty.print(p)
		p.word("ON EMPTY")
	}
	if n.OnError != nil {
		n.OnError.print(p)
		p.word("ON ERROR")
	}
}

func (n *JSONResponse) print(p *printer) {
	switch {
	case n.Fail:
		p.word("ERROR")
	case n.Default != nil:
		p.word("DEFAULT")
		n.Default.print(p)
	default:
		p.word("NULL")
	}
}
