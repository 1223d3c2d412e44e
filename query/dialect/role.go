package dialect

// CreateRole is CREATE [OR REPLACE] ROLE [IF NOT EXISTS] role, ... [WITH ADMIN account].
type CreateRole struct {
	OrReplace, IfNotExists bool
	Roles                  []string
	Admin                  Account
}

func (s CreateRole) String() string { return textOf(s) }

func (s CreateRole) print(p *printer) {
	p.create("ROLE", s.OrReplace, s.IfNotExists)
	p.roles(s.Roles)
	if s.Admin.Form != NoAccount {
		p.words("WITH ADMIN")
		p.account(s.Admin)
	}
}

// DropRole is DROP ROLE [IF EXISTS] role, ...
type DropRole struct {
	IfExists bool
	Roles    []string
}

func (s DropRole) String() string { return textOf(s) }

func (s DropRole) print(p *printer) {
	p.words("DROP ROLE")
	p.wordsIf(s.IfExists, "IF EXISTS")
	p.roles(s.Roles)
}

// SetRole is SET ROLE role | NONE.
type SetRole struct {
	Role string // "" for NONE
}

func (s SetRole) String() string { return textOf(s) }

func (s SetRole) print(p *printer) {
	p.words("SET ROLE")
	p.roleOrNone(s.Role)
}

func (p *printer) roleOrNone(role string) {
	if role == "" {
		p.words("NONE")
		return
	}
	p.name(role)
}

// SetDefaultRole is SET DEFAULT ROLE role | NONE [FOR account].
type SetDefaultRole struct {
	Role string // "" for NONE
	For  Account
}

func (s SetDefaultRole) String() string { return textOf(s) }

func (s SetDefaultRole) print(p *printer) {
	p.words("SET DEFAULT ROLE")
	p.roleOrNone(s.Role)
	if s.For.Form != NoAccount {
		p.words("FOR")
		p.account(s.For)
	}
}

// GrantRole is GRANT role TO account, ... [WITH ADMIN OPTION].
type GrantRole struct {
	Role  string
	To    []Account
	Admin bool
}

func (s GrantRole) String() string { return textOf(s) }

func (s GrantRole) print(p *printer) {
	p.words("GRANT")
	p.name(s.Role)
	p.words("TO")
	p.accounts(s.To)
	p.wordsIf(s.Admin, "WITH ADMIN OPTION")
}

// RevokeRole is REVOKE [ADMIN OPTION FOR] role FROM account, ...
type RevokeRole struct {
	OnlyAdmin bool
	Role      string
	From      []Account
}

func (s RevokeRole) String() string { return textOf(s) }

func (s RevokeRole) print(p *printer) {
	p.words("REVOKE")
	p.wordsIf(s.OnlyAdmin, "ADMIN OPTION FOR")
	p.name(s.Role)
	p.words("FROM")
	p.accounts(s.From)
}
