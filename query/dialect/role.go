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

func parseCreateRole(p accountParser, orReplace bool) (Statement, error) {
	s := CreateRole{OrReplace: orReplace}
	var err error
	if s.IfNotExists, err = p.ifNotExists(orReplace); err != nil {
		return nil, err
	}
	if s.Roles, err = p.roles(); err != nil {
		return nil, err
	}
	if s.Admin, err = p.after("WITH", "ADMIN"); err != nil {
		return nil, err
	}
	return s, p.Done()
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

func parseDropRole(p accountParser) (Statement, error) {
	s := DropRole{IfExists: p.Accept("IF", "EXISTS")}
	var err error
	if s.Roles, err = p.roles(); err != nil {
		return nil, err
	}
	return s, p.Done()
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

// roleOrNone takes a role or NONE, for which it yields "".
func (p accountParser) roleOrNone() (string, error) {
	if p.Accept("NONE") {
		return "", nil
	}
	return p.role()
}

func parseSetRole(p accountParser) (Statement, error) {
	role, err := p.roleOrNone()
	if err != nil {
		return nil, err
	}
	return SetRole{Role: role}, p.Done()
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

func parseSetDefaultRole(p accountParser) (Statement, error) {
	var s SetDefaultRole
	var err error
	if s.Role, err = p.roleOrNone(); err != nil {
		return nil, err
	}
	if s.For, err = p.after("FOR"); err != nil {
		return nil, err
	}
	return s, p.Done()
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

func parseGrantRole(p accountParser) (Statement, error) {
	var s GrantRole
	var err error
	if s.Role, err = p.role(); err != nil {
		return nil, err
	}
	if !p.Accept("TO") {
		return nil, p.Syntax()
	}
	if s.To, err = p.accounts(); err != nil {
		return nil, err
	}
	s.Admin = p.Accept("WITH", "ADMIN", "OPTION")
	return s, p.Done()
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

func parseRevokeRole(p accountParser, onlyAdmin bool) (Statement, error) {
	s := RevokeRole{OnlyAdmin: onlyAdmin}
	var err error
	if s.Role, err = p.role(); err != nil {
		return nil, err
	}
	if !p.Accept("FROM") {
		return nil, p.Syntax()
	}
	if s.From, err = p.accounts(); err != nil {
		return nil, err
	}
	return s, p.Done()
}
