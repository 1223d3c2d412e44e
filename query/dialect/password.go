package dialect

import (
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

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

// password takes a string literal as a password of some form.
func (p accountParser) password(form PasswordForm, plugin string) (Password, error) {
	text, ok := p.StringLiteral()
	if !ok {
		return Password{}, p.Syntax()
	}
	return Password{Form: form, Plugin: plugin, Text: text}, nil
}

// identified takes an IDENTIFIED clause, if there is one.
func (p accountParser) identified() (Password, error) {
	if !p.Accept("IDENTIFIED") {
		return Password{}, nil
	}
	switch {
	case p.Accept("BY", "PASSWORD"):
		return p.password(HashedPassword, NativePlugin)
	case p.Accept("BY"):
		return p.password(ClearPassword, NativePlugin)
	case !p.AcceptAny("VIA", "WITH"):
		return Password{}, p.Syntax()
	}
	name := p.Peek()
	if name.Kind != String && !name.IsName() {
		return Password{}, p.Syntax()
	}
	p.Next()
	plugin := name.Text
	if strings.EqualFold(plugin, NativePlugin) {
		plugin = NativePlugin
	}
	w, err := Password{Form: PluginOnly, Plugin: plugin}, error(nil)
	switch {
	case p.AcceptAny("USING", "AS"):
		if p.Accept("PASSWORD") {
			w, err = p.inParentheses(plugin)
		} else {
			w, err = p.password(HashedPassword, plugin)
		}
	case p.Accept("BY"): // MySQL's
		w, err = p.password(ClearPassword, plugin)
	}
	if err == nil && p.Peek().Is("OR") {
		err = mysqlerr.New(mysqlerr.NotSupportedYet, "IDENTIFIED VIA more than one plugin")
	}
	return w, err
}

// inParentheses takes what stands after PASSWORD: ('text').
func (p accountParser) inParentheses(plugin string) (Password, error) {
	if !p.Accept("(") {
		return Password{}, p.Syntax()
	}
	w, err := p.password(ClearPassword, plugin)
	if err == nil && !p.Accept(")") {
		err = p.Syntax()
	}
	return w, err
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

func parseSetPassword(p accountParser) (Statement, error) {
	var s SetPassword
	var err error
	if s.For, err = p.after("FOR"); err != nil {
		return nil, err
	}
	switch {
	case !p.Accept("="):
		return nil, p.Syntax()
	case p.AcceptAny("PASSWORD", "OLD_PASSWORD"):
		s.Password, err = p.inParentheses(NativePlugin)
	default:
		s.Password, err = p.password(HashedPassword, NativePlugin)
	}
	if err != nil {
		return nil, err
	}
	return s, p.Done()
}
