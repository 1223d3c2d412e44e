package dialect

// NativePlugin is the authentication plugin of accounts that name none.
const NativePlugin = "mysql_native_password"

// PasswordForm is how a statement gives a password.
type PasswordForm byte

// The ways to give a password.
const (
	NoPassword     PasswordForm = iota // there is no clause about it
	PluginOnly                         // IDENTIFIED VIA plugin
	ClearPassword                      // the password itself
	HashedPassword                     // the text that the plugin stores
)

// Password is an IDENTIFIED clause, or what SET PASSWORD sets.
type Password struct {
	Form   PasswordForm
	Plugin string // as written; NativePlugin where there is none
	Text   string
}

// Hash makes of a password in clear text what a plugin stores.
type Hash func(plugin, password string) (string, error)

// Hashed is the password as it may be shown. An empty one stays as it is: it has no secret.
func (w Password) Hashed(hash Hash) (Password, error) {
	if w.Form != ClearPassword || w.Text == "" {
		return w, nil
	}
	text, err := hash(w.Plugin, w.Text)
	return Password{Form: HashedPassword, Plugin: w.Plugin, Text: text}, err
}

// secret is a password in clear text as it is printed.
func (p *printer) secret(text string) string {
	if p.hide && text != "" {
		return "<secret>"
	}
	return p.quoted(text)
}

// identified writes an IDENTIFIED clause.
func (p *printer) identified(w Password) {
	switch {
	case w.Form == NoPassword:
	case w.Plugin == NativePlugin && w.Form == ClearPassword:
		p.words("IDENTIFIED BY", p.secret(w.Text))
	case w.Plugin == NativePlugin && w.Form == HashedPassword:
		p.words("IDENTIFIED BY PASSWORD", p.quoted(w.Text))
	default:
		p.words("IDENTIFIED VIA", QuoteName(w.Plugin))
		switch w.Form {
		case ClearPassword:
			p.words("USING PASSWORD(" + p.secret(w.Text) + ")")
		case HashedPassword:
			p.words("USING", p.quoted(w.Text))
		}
	}
}

// SetPassword is SET PASSWORD [FOR account] = PASSWORD('text') | 'hash'.
type SetPassword struct {
	For      Account
	Password Password
}

func (s SetPassword) String() string { return textOf(s) }

func (s SetPassword) print(p *printer) {
	p.words("SET PASSWORD")
	if s.For.Form != NoAccount {
		p.words("FOR")
		p.account(s.For)
	}
	if s.Password.Form == ClearPassword {
		p.words("=", "PASSWORD("+p.secret(s.Password.Text)+")")
		return
	}
	p.words("=", p.quoted(s.Password.Text))
}

// Hashed is the statement without a password in clear text.
func (s SetPassword) Hashed(hash Hash) (SetPassword, error) {
	w, err := s.Password.Hashed(hash)
	s.Password = w
	return s, err
}
