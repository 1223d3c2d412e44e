package dialect

import (
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/mysqlerr"
)

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

// The longest names, as in MariaDB: characters of a user or role, bytes of a host.
const (
	userLengthMax = 128
	hostLengthMax = 255
)

func checkUserLength(name string) error {
	if utf8.RuneCountInString(name) > userLengthMax {
		return tooLong(name, "user name", userLengthMax)
	}
	return nil
}

func tooLong(name, what string, limit int) error {
	return mysqlerr.Newf(mysqlerr.WrongStringLength, "String '%s' is too long for %s (should be no longer than %d)", name, what, limit)
}

// parentheses takes () if they stand there.
func (p accountParser) parentheses() error {
	if p.Accept("(") && !p.Accept(")") {
		return p.Syntax()
	}
	return nil
}

// isPlainName reports whether a word is the name of an account or role without quotes.
func isPlainName(word string) bool { return word != "" && !IsReserved(word) && !IsNumber(word) }

// account takes the name of a user or role, CURRENT_USER or CURRENT_ROLE.
func (p accountParser) account() (Account, error) {
	t := p.Peek()
	switch {
	case p.Accept("CURRENT_USER"):
		return Account{Form: CurrentUser}, p.parentheses()
	case p.Accept("CURRENT_ROLE"):
		return Account{Form: CurrentRole}, p.parentheses()
	}
	a := Account{Form: BareAccount, User: t.Text}
	said := false
	if t.Kind == Word {
		// The scanner keeps @ in words.
		if a.User, a.Host, said = strings.Cut(t.Text, "@"); !isPlainName(a.User) || strings.Contains(a.Host, "@") {
			return Account{}, p.Syntax()
		}
	} else if t.Kind != String && t.Kind != Quoted {
		return Account{}, p.Syntax()
	}
	end := p.Next().End
	if at := p.Peek(); !said && at.Kind == Word && strings.HasPrefix(at.Text, "@") {
		if strings.Count(at.Text, "@") > 1 {
			return Account{}, p.Syntax()
		}
		end = p.Next().End
		a.Host, said = at.Text[1:], true
	}
	if said {
		a.Form = NamedAccount
		// Nothing may stand between @ and the host.
		if h := p.Peek(); a.Host == "" && h.Start == end && (h.Kind == String || h.IsName()) {
			a.Host = p.Next().Text
		}
		if a.Host = strings.ToLower(a.Host); a.Host == "" {
			a.Host = "%"
		}
	}
	if len(a.Host) > hostLengthMax {
		return Account{}, tooLong(a.Host, "host name", hostLengthMax)
	}
	return a, checkUserLength(a.User)
}

// commaList takes what one takes, and more of it after commas.
func commaList[T any](p accountParser, one func() (T, error)) ([]T, error) {
	var out []T
	for {
		v, err := one()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if !p.Accept(",") {
			return out, nil
		}
	}
}

func (p accountParser) accounts() ([]Account, error) { return commaList(p, p.account) }

// after takes an account if a word stands before it.
func (p accountParser) after(words ...string) (Account, error) {
	if !p.Accept(words...) {
		return Account{}, nil
	}
	return p.account()
}

// role takes the name of a role. NONE and PUBLIC cannot be one.
func (p accountParser) role() (string, error) {
	t := p.Peek()
	switch t.Kind {
	case String, Quoted:
	case Word:
		if at := strings.IndexByte(t.Text, '@'); at >= 0 {
			return "", SyntaxError(p.SQL, t.Start+at)
		}
		if !isPlainName(t.Text) {
			return "", p.Syntax()
		}
	default:
		return "", p.Syntax()
	}
	if t.Text == "" || strings.EqualFold(t.Text, "NONE") || strings.EqualFold(t.Text, "PUBLIC") {
		return "", mysqlerr.New(mysqlerr.InvalidRole, strings.ToUpper(t.Text))
	}
	p.Next()
	return t.Text, checkUserLength(t.Text)
}

func (p accountParser) roles() ([]string, error) { return commaList(p, p.role) }

// roles writes names of roles.
func (p *printer) roles(names []string) { list(p, names, p.name) }
