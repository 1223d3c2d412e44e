package tree

// DynamicColumns is COLUMN_CREATE(Values), or COLUMN_ADD(X, Values) if X is not nil.
type DynamicColumns struct {
	Span
	X      Expr
	Values []DynamicValue
}

// DynamicValue is one column of DynamicColumns. Type may be nil.
type DynamicValue struct {
	Name, Value Expr
	Type        *CastType
}

// DynamicColumn is COLUMN_GET(X, Name AS Type).
type DynamicColumn struct {
	Span
	X, Name Expr
	Type    *CastType
}

func (*DynamicColumns) expr() {}
func (*DynamicColumn) expr()  {}

func (n *DynamicColumns) print(p *printer) {
	if n.X != nil {
		p.call("COLUMN_ADD")
		n.X.print(p)
		p.byte(',')
	} else {
		p.call("COLUMN_CREATE")
	}
	for i, v := range n.Values {
		if i > 0 {
			p.byte(',')
		}
		v.Name.print(p)
		p.byte(',')
		v.Value.print(p)
		if v.Type != nil {
			p.word("AS")
			v.Type.print(p)
		}
	}
	p.byte(')')
}

func (n *DynamicColumn) print(p *printer) {
	p.call("COLUMN_GET")
	n.X.print(p)
	p.byte(',')
	n.Name.print(p)
	p.word("AS")
	n.Type.print(p)
	p.byte(')')
}
