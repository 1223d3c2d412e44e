package eval

// Label is how warnings call an expression that is an item of a select list: by the item's name.
type Label struct{ name string }

// NewLabel is the label of what is no item.
func NewLabel() *Label { return &Label{"(null)"} }

// Name is the item's name, or what MariaDB writes where there is none; "" if it is not known.
func (l *Label) Name() string { return l.name }

// Labelled sets the label of a node whose warnings have it. It changes the node, and is for the code that made it.
func (x *Expr) Labelled(l *Label) *Expr {
	x.label = l
	return x
}

// Call says that the node is an item of a select list that has a name, or that warnings have a name for it that is not known, "".
func (x *Expr) Call(name string) {
	if x.label != nil {
		x.label.name = name
	}
}
