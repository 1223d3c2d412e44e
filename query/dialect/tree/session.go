package tree

import "slices"

// Set is SET with one or more items.
type Set struct {
	Span
	Items []SetItem
}

// SetStatement is SET STATEMENT ... FOR Statement.
type SetStatement struct {
	Span
	Items     []SetItem
	Statement Statement
}

// SetItem is one of a SET.
type SetItem interface {
	Node
	setItem()
}

// SetVariable sets a system variable, or without @@ and a scope perhaps one of a routine, or (with Base NEW) a column. Value is nil for DEFAULT.
type SetVariable struct {
	Span
	System     bool // @@ is there
	Scope      Scope
	Base, Name Ident
	Value      Expr
}

// SetUserVariable is @name = value.
type SetUserVariable struct {
	Span
	Name  string
	Value Expr
}

// SetNames is NAMES. Charset is empty for DEFAULT.
type SetNames struct {
	Span
	Charset, Collation string
}

// SetCharset is CHARACTER SET. Charset is empty for DEFAULT.
type SetCharset struct {
	Span
	Charset string
}

// SetTransaction is SET TRANSACTION. What is empty is not given.
type SetTransaction struct {
	Span
	Scope     Scope
	Isolation string // READ COMMITTED ...
	Access    string // READ ONLY, READ WRITE
}

// SetRole is SET ROLE. Without a Role it is NONE.
type SetRole struct {
	Span
	Role *Ident
}

// SetDefaultRole is SET DEFAULT ROLE. Without a Role it is NONE, and without a User it is for oneself.
type SetDefaultRole struct {
	Span
	Role, User *Account
}

// SetPassword is SET PASSWORD. Function is PASSWORD, OLD_PASSWORD, or empty for what such a function gave.
type SetPassword struct {
	Span
	User     *Account
	Function string
	Text     string
}

func (*Set) statement()           {}
func (*SetStatement) statement()  {}
func (*SetVariable) setItem()     {}
func (*SetUserVariable) setItem() {}
func (*SetNames) setItem()        {}
func (*SetCharset) setItem()      {}
func (*SetTransaction) setItem()  {}
func (*SetRole) setItem()         {}
func (*SetDefaultRole) setItem()  {}
func (*SetPassword) setItem()     {}

func (n *Set) print(p *printer) {
	p.word("SET")
	list(p, n.Items)
}

func (n *SetStatement) print(p *printer) {
	p.word("SET STATEMENT")
	list(p, n.Items)
	p.word("FOR")
	n.Statement.print(p)
}

func (n *SetVariable) print(p *printer) {
	if n.System {
		p.word("@@")
		if n.Scope != NoScope {
			p.raw(n.Scope.String())
			p.byte('.')
		}
	} else {
		p.words(n.Scope.String())
	}
	qualify(p, n.Base)
	n.Name.print(p)
	p.word("=")
	if n.Value == nil {
		p.word("DEFAULT")
	} else {
		n.Value.print(p)
	}
}

func (n *SetUserVariable) print(p *printer) {
	userVariable(p, n.Name)
	p.word("=")
	n.Value.print(p)
}

func orDefault(s string) string {
	if s == "" {
		return "DEFAULT"
	}
	return s
}

func (n *SetNames) print(p *printer) {
	p.words("NAMES", orDefault(n.Charset))
	if n.Collation != "" {
		p.words("COLLATE", n.Collation)
	}
}

func (n *SetCharset) print(p *printer) { p.words("CHARACTER SET", orDefault(n.Charset)) }

func (n *SetTransaction) print(p *printer) {
	p.words(n.Scope.String(), "TRANSACTION")
	if n.Isolation != "" {
		p.words("ISOLATION LEVEL", n.Isolation)
		if n.Access != "" {
			p.byte(',')
		}
	}
	p.words(n.Access)
}

func (n *SetRole) print(p *printer) {
	p.word("ROLE")
	if n.Role == nil {
		p.word("NONE")
	} else {
		n.Role.print(p)
	}
}

func (n *SetDefaultRole) print(p *printer) {
	p.word("DEFAULT ROLE")
	if n.Role == nil {
		p.word("NONE")
	} else {
		n.Role.print(p)
	}
	if n.User != nil {
		p.word("FOR")
		n.User.print(p)
	}
}

func (n *SetPassword) print(p *printer) {
	p.word("PASSWORD")
	if n.User != nil {
		p.word("FOR")
		n.User.print(p)
	}
	p.word("=")
	if n.Function == "" {
		p.text(n.Text)
		return
	}
	p.call(n.Function)
	p.text(n.Text)
	p.byte(')')
}

// Scoped are the items, of which those of plain names behind GLOBAL x are GLOBAL, too, up to SESSION y. @@global.x does not count.
func (n *Set) Scoped() []SetItem {
	items := n.Items
	scope := NoScope
	for i, item := range n.Items {
		v, ok := item.(*SetVariable)
		switch {
		case !ok || v.System:
		case v.Scope != NoScope:
			scope = v.Scope
		case scope == ScopeGlobal:
			if &items[0] == &n.Items[0] {
				items = slices.Clone(items)
			}
			global := *v
			global.Scope = ScopeGlobal
			items[i] = &global
		}
	}
	return items
}
