package dialect

// AccountForm is how a statement names an account.
type AccountForm byte

// The ways to name an account.
const (
	NoAccount    AccountForm = iota // the statement names none
	NamedAccount                    // user@host
	BareAccount                     // name: a role if there is one of that name, else the user with the host %
	CurrentUser                     // CURRENT_USER
	CurrentRole                     // CURRENT_ROLE
)

// Account is a user or role as a statement names it. Its host is in small letters.
type Account struct {
	Form       AccountForm
	User, Host string
}

func (p *printer) account(a Account) {
	switch a.Form {
	case NoAccount:
	case CurrentUser:
		p.words("CURRENT_USER")
	case CurrentRole:
		p.words("CURRENT_ROLE")
	case BareAccount:
		p.name(a.User)
	case NamedAccount:
		p.words(QuoteName(a.User) + "@" + QuoteName(a.Host))
	}
}

// accounts writes a list of accounts.
func (p *printer) accounts(all []Account) { list(p, all, p.account) }

// roles writes names of roles.
func (p *printer) roles(names []string) { list(p, names, p.name) }
