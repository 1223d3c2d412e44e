package tree

// AccountKind is how an account is named.
type AccountKind uint8

// The kinds.
const (
	NamedAccount AccountKind = iota // a user with or without a host, or a role
	CurrentUser
	CurrentRole
)

// Account is the name of a user or a role.
type Account struct {
	Span
	Kind    AccountKind
	Name    string
	HasHost bool
	Host    string
}

// UserSpec is an account with how it logs in.
type UserSpec struct {
	Span
	Account *Account
	// Password is that of IDENTIFIED BY; Hash that of IDENTIFIED BY PASSWORD; Auth the plugins of IDENTIFIED VIA.
	Password, Hash *string
	Auth           []*AuthPlugin
}

// AuthPlugin is a plugin of IDENTIFIED VIA, with its string (USING) or its password (USING PASSWORD(...)).
type AuthPlugin struct {
	Span
	Name            Ident
	Using, Password *string
}

// AccountOptions are what CREATE USER, ALTER USER and GRANT say of all of their accounts.
type AccountOptions struct {
	// Require is NONE, SSL, X509, or empty; RequireList are SUBJECT, ISSUER and CIPHER instead.
	Require     string
	RequireList []*Option
	Limits      []*Option // MAX_QUERIES_PER_HOUR ...
	GrantOption bool      // of GRANT
	Lock        string    // LOCK, UNLOCK or nothing
	Expire      *Expire
}

// Expire is PASSWORD EXPIRE. How is empty (now), DEFAULT, NEVER or INTERVAL, with Days.
type Expire struct {
	Span
	How, Days string
}

// Users is CREATE USER or ALTER USER.
type Users struct {
	Span
	Alter       bool
	OrReplace   bool
	IfNotExists bool // ALTER: IF EXISTS
	Users       []*UserSpec
	AccountOptions
}

// CreateRole is CREATE ROLE.
type CreateRole struct {
	Span
	OrReplace, IfNotExists bool
	Roles                  []*Account
	Admin                  *Account
}

// DropAccounts is DROP USER or DROP ROLE.
type DropAccounts struct {
	Span
	Roles    bool
	IfExists bool
	Accounts []*Account
}

// RenameUsers is RENAME USER.
type RenameUsers struct {
	Span
	Pairs []*RenameUserPair
}

// RenameUserPair is one account of RenameUsers.
type RenameUserPair struct {
	Span
	Old, New *Account
}

func (*Users) statement()        {}
func (*CreateRole) statement()   {}
func (*DropAccounts) statement() {}
func (*RenameUsers) statement()  {}

func (n *Account) print(p *printer) {
	switch n.Kind {
	case CurrentUser:
		p.word("CURRENT_USER")
	case CurrentRole:
		p.word("CURRENT_ROLE")
	default:
		p.text(n.Name)
		if n.HasHost {
			p.byte('@')
			p.text(n.Host)
		}
	}
}

func (n *UserSpec) print(p *printer) {
	n.Account.print(p)
	comment(p, "IDENTIFIED BY", n.Password)
	comment(p, "IDENTIFIED BY PASSWORD", n.Hash)
	for i, a := range n.Auth {
		if i == 0 {
			p.word("IDENTIFIED VIA")
		} else {
			p.word("OR")
		}
		a.print(p)
	}
}

func (n *AuthPlugin) print(p *printer) {
	n.Name.print(p)
	comment(p, "USING", n.Using)
	if n.Password != nil {
		p.word("USING PASSWORD")
		p.byte('(')
		p.text(*n.Password)
		p.byte(')')
	}
}

func (n *AccountOptions) printOptions(p *printer) {
	if n.Require != "" {
		p.words("REQUIRE", n.Require)
	}
	for i, o := range n.RequireList {
		if i == 0 {
			p.word("REQUIRE")
		} else {
			p.word("AND")
		}
		o.print(p)
	}
	if n.GrantOption || n.Limits != nil {
		p.word("WITH")
		p.when(n.GrantOption, "GRANT OPTION")
		printOptions(p, n.Limits)
	}
	if n.Expire != nil {
		n.Expire.print(p)
	}
	if n.Lock != "" {
		p.words("ACCOUNT", n.Lock)
	}
}

func (n *Expire) print(p *printer) {
	p.words("PASSWORD EXPIRE", n.How)
	if n.Days != "" {
		p.words(n.Days, "DAY")
	}
}

func (n *Users) print(p *printer) {
	if n.Alter {
		p.word("ALTER USER")
		p.when(n.IfNotExists, "IF EXISTS")
	} else {
		printCreate(p, n.OrReplace)
		p.word("USER")
		p.when(n.IfNotExists, "IF NOT EXISTS")
	}
	list(p, n.Users)
	n.printOptions(p)
}

func (n *CreateRole) print(p *printer) {
	printCreate(p, n.OrReplace)
	p.word("ROLE")
	p.when(n.IfNotExists, "IF NOT EXISTS")
	list(p, n.Roles)
	if n.Admin != nil {
		p.word("WITH ADMIN")
		n.Admin.print(p)
	}
}

func (n *DropAccounts) print(p *printer) {
	if n.Roles {
		p.word("DROP ROLE")
	} else {
		p.word("DROP USER")
	}
	p.when(n.IfExists, "IF EXISTS")
	list(p, n.Accounts)
}

func (n *RenameUsers) print(p *printer) {
	p.word("RENAME USER")
	list(p, n.Pairs)
}

func (n *RenameUserPair) print(p *printer) {
	n.Old.print(p)
	p.word("TO")
	n.New.print(p)
}
