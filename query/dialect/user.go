package dialect

// User is an account with its password, as CREATE USER, ALTER USER and GRANT name it.
type User struct {
	Account
	Password Password
}

func (p *printer) users(all []User) {
	list(p, all, func(u User) {
		p.account(u.Account)
		p.identified(u.Password)
	})
}

// hashedUsers are the users without passwords in clear text.
func hashedUsers(all []User, hash Hash) ([]User, error) {
	out := make([]User, len(all))
	for i, u := range all {
		w, err := u.Password.Hashed(hash)
		if err != nil {
			return nil, err
		}
		out[i] = User{Account: u.Account, Password: w}
	}
	return out, nil
}

// CreateUser is CREATE [OR REPLACE] USER [IF NOT EXISTS] user [IDENTIFIED ...], ... [options].
type CreateUser struct {
	OrReplace, IfNotExists bool
	Users                  []User
	Options                UserOptions
}

func (s CreateUser) String() string { return textOf(s) }

func (s CreateUser) print(p *printer) {
	p.create("USER", s.OrReplace, s.IfNotExists)
	p.users(s.Users)
	p.options(s.Options)
}

// Hashed is the statement without passwords in clear text.
func (s CreateUser) Hashed(hash Hash) (CreateUser, error) {
	users, err := hashedUsers(s.Users, hash)
	s.Users = users
	return s, err
}

// create writes CREATE with its conditions.
func (p *printer) create(what string, orReplace, ifNotExists bool) {
	p.words("CREATE")
	p.wordsIf(orReplace, "OR REPLACE")
	p.words(what)
	p.wordsIf(ifNotExists, "IF NOT EXISTS")
}

// AlterUser is ALTER USER [IF EXISTS] user [IDENTIFIED ...], ... [options].
type AlterUser struct {
	IfExists bool
	Users    []User
	Options  UserOptions
}

func (s AlterUser) String() string { return textOf(s) }

func (s AlterUser) print(p *printer) {
	p.words("ALTER USER")
	p.wordsIf(s.IfExists, "IF EXISTS")
	p.users(s.Users)
	p.options(s.Options)
}

// Hashed is the statement without passwords in clear text.
func (s AlterUser) Hashed(hash Hash) (AlterUser, error) {
	users, err := hashedUsers(s.Users, hash)
	s.Users = users
	return s, err
}

// DropUser is DROP USER [IF EXISTS] user, ...
type DropUser struct {
	IfExists bool
	Users    []Account
}

func (s DropUser) String() string { return textOf(s) }

func (s DropUser) print(p *printer) {
	p.words("DROP USER")
	p.wordsIf(s.IfExists, "IF EXISTS")
	p.accounts(s.Users)
}

// RenameUser is RENAME USER old TO new, ...
type RenameUser struct{ Renames []Rename }

// Rename is one account with its new name.
type Rename struct{ From, To Account }

func (s RenameUser) String() string { return textOf(s) }

func (s RenameUser) print(p *printer) {
	p.words("RENAME USER")
	list(p, s.Renames, func(r Rename) {
		p.account(r.From)
		p.words("TO")
		p.account(r.To)
	})
}

// ShowCreateUser is SHOW CREATE USER [user].
type ShowCreateUser struct{ User Account }

func (s ShowCreateUser) String() string { return textOf(s) }

func (s ShowCreateUser) print(p *printer) {
	p.words("SHOW CREATE USER")
	p.account(s.User)
}
