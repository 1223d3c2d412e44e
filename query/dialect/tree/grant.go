package tree

// Grant is GRANT of privileges; with Revoke, REVOKE of them.
type Grant struct {
	Span
	Revoke     bool
	All        bool // ALL PRIVILEGES, on On
	Privileges []*Privilege
	On         *GrantLevel
	To         []*UserSpec // of REVOKE: with nothing but accounts
	AccountOptions
}

// Privilege is a privilege, in capitals, with the columns that it is about.
type Privilege struct {
	Span
	Name    string
	Columns []Ident
}

// GrantLevel is what a privilege is about. AllDBs is *.*, AllTables db.* or * (then the database is empty, the current one).
type GrantLevel struct {
	Span
	What              string // FUNCTION, PROCEDURE, or nothing: a table or more
	AllDBs, AllTables bool
	DB, Name          Ident
}

// RevokeAll is REVOKE ALL PRIVILEGES, GRANT OPTION.
type RevokeAll struct {
	Span
	From []*Account
}

// GrantProxy is GRANT PROXY and REVOKE PROXY.
type GrantProxy struct {
	Span
	Revoke      bool
	On          *Account
	To          []*UserSpec
	GrantOption bool
}

// GrantRole is GRANT of a role; with Revoke, REVOKE of one. Admin is WITH ADMIN OPTION, or ADMIN OPTION FOR.
type GrantRole struct {
	Span
	Revoke bool
	Role   *Account
	To     []*UserSpec
	Admin  bool
}

func (*Grant) statement()      {}
func (*RevokeAll) statement()  {}
func (*GrantProxy) statement() {}
func (*GrantRole) statement()  {}

// printGrant prints the first word of a statement.
func printGrant(p *printer, revoke bool) {
	if revoke {
		p.word("REVOKE")
	} else {
		p.word("GRANT")
	}
}

// printGrantees prints whom a statement is about.
func printGrantees(p *printer, revoke bool, to []*UserSpec) {
	if revoke {
		p.word("FROM")
	} else {
		p.word("TO")
	}
	list(p, to)
}

func (n *Grant) print(p *printer) {
	printGrant(p, n.Revoke)
	p.when(n.All, "ALL PRIVILEGES")
	list(p, n.Privileges)
	p.word("ON")
	n.On.print(p)
	printGrantees(p, n.Revoke, n.To)
	n.printOptions(p)
}

func (n *Privilege) print(p *printer) {
	p.word(n.Name)
	if n.Columns != nil {
		idents(p, n.Columns)
	}
}

func (n *GrantLevel) print(p *printer) {
	p.words(n.What)
	switch {
	case n.AllDBs:
		p.word("*.*")
	case n.AllTables && n.DB.Text == "":
		p.word("*")
	case n.AllTables:
		n.DB.print(p)
		p.raw(".*")
	default:
		if n.DB.Text != "" {
			n.DB.print(p)
			p.byte('.')
		}
		n.Name.print(p)
	}
}

func (n *RevokeAll) print(p *printer) {
	p.word("REVOKE ALL PRIVILEGES, GRANT OPTION FROM")
	list(p, n.From)
}

func (n *GrantProxy) print(p *printer) {
	printGrant(p, n.Revoke)
	p.word("PROXY ON")
	n.On.print(p)
	printGrantees(p, n.Revoke, n.To)
	p.when(n.GrantOption, "WITH GRANT OPTION")
}

func (n *GrantRole) print(p *printer) {
	printGrant(p, n.Revoke)
	p.when(n.Revoke && n.Admin, "ADMIN OPTION FOR")
	n.Role.print(p)
	printGrantees(p, n.Revoke, n.To)
	p.when(!n.Revoke && n.Admin, "WITH ADMIN OPTION")
}
