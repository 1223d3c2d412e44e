package eval

// How tightly what is no operator binds; operators' numbers are those of package tree.
const bindPrimary = 1 << 10

// callPrinter prints name(args).
func callPrinter(name string, args []*Expr) func([]byte) []byte {
	return func(dst []byte) []byte {
		dst = append(append(dst, name...), '(')
		for i, a := range args {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = a.print(dst)
		}
		return append(dst, ')')
	}
}

// Printed sets how the node is printed. It changes the node, and is for the code that made it.
func (x *Expr) Printed(print func(dst []byte) []byte) *Expr {
	x.print = print
	return x
}

// Printable is a node that prints itself as the call of a function, with arguments as they are written. It changes the node, and is for
// the code that made it.
func Printable(x *Expr, name string, args []*Expr) *Expr {
	x.Name, x.print = name, callPrinter(name, args)
	return x
}

// Infix makes a node of two arguments print itself as an operator between them; bind is how tightly it binds (tree.Bind...).
func (x *Expr) Infix(bind int) *Expr {
	x.bind = bind
	x.print = func(dst []byte) []byte {
		dst = x.Args[0].operand(dst, bind)
		dst = append(append(append(dst, ' '), x.Name...), ' ')
		return x.Args[1].operand(dst, bind+1)
	}
	return x
}

// Prefix makes a node of one argument print itself as an operator in front of it.
func (x *Expr) Prefix(bind int) *Expr {
	x.bind = bind
	x.print = func(dst []byte) []byte { return x.Args[0].operand(append(dst, x.Name...), bind) }
	return x
}

// Postfix makes a node of one argument print itself as an operator behind it.
func (x *Expr) Postfix(text string, bind int) *Expr {
	x.bind = bind
	x.print = func(dst []byte) []byte { return append(x.Args[0].operand(dst, bind), text...) }
	return x
}

// As makes a node print itself as another one does: a conversion that is not written is not shown.
func (x *Expr) As(other *Expr) *Expr {
	x.print, x.bind, x.Name = other.print, other.bind, other.Name
	return x
}

// operand prints an argument of an operator, in parentheses if it binds less tightly.
func (x *Expr) operand(dst []byte, bind int) []byte {
	if x.bind >= bind {
		return x.print(dst)
	}
	return append(x.print(append(dst, '(')), ')')
}
