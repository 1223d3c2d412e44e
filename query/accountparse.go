package query

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/nesting"
)

// accountParser reads the clauses of statements about accounts. Clear text passwords are replaced by
// their hashes in the text that is logged.
type accountParser struct {
	*dialect.Parser
	s    *Session
	edit dialect.Editor
}

func (s *Session) accountParser(c *dialect.Parser) *accountParser {
	return &accountParser{Parser: c, s: s, edit: dialect.Editor{SQL: c.SQL}}
}

// logged is the text for the log.
func (c *accountParser) logged() string { return c.edit.Done() }

// named is a user or role that a statement names.
type named struct {
	accounts.Name
	bare bool // without a host: a role, or a user of host %
}

// resolve says what a bare name means: a role if there is one, else a user.
func (n named) resolve(set *accounts.Set) accounts.Name {
	if n.bare {
		if role := set.Find(accounts.Name{User: n.User}); role != nil && role.Role {
			return role.Name
		}
	}
	return n.user()
}

// user is the user of that name.
func (n named) user() accounts.Name {
	if n.bare {
		return accounts.Name{User: n.User, Host: "%"}
	}
	return n.Name
}

// account takes the name of a user or role, or CURRENT_USER.
func (c *accountParser) account() (named, error) {
	t := c.Peek()
	if t.Is("CURRENT_USER") {
		c.Next()
		if c.Accept("(") && !c.Accept(")") {
			return named{}, c.Syntax()
		}
		return named{Name: c.s.privs.account}, nil
	}
	if t.Is("CURRENT_ROLE") {
		c.Next()
		if c.Accept("(") && !c.Accept(")") {
			return named{}, c.Syntax()
		}
		if c.s.privs.role == "" {
			return named{}, mysqlerr.New(mysqlerr.InvalidRole, "NONE")
		}
		return named{Name: accounts.Name{User: c.s.privs.role}, bare: true}, nil
	}
	if t.Kind != dialect.String && !t.IsName() || t.Kind == dialect.Word && strings.HasPrefix(t.Text, "@") {
		return named{}, c.Syntax()
	}
	if reservedWord(t) {
		return named{}, c.Syntax()
	}
	user, host := c.Parser.Account()
	c.Pos = min(c.Pos, len(c.Tokens)) // after "user@", which has host %
	n := named{Name: accounts.Name{User: user, Host: strings.ToLower(host)}}
	end := c.Tokens[c.Pos-1].End
	// The scanner's account() gives host % to a bare name; the text tells.
	if !strings.Contains(c.SQL[t.Start:end], "@") || c.Tokens[c.Pos-1].Start == t.Start && t.Kind != dialect.Word {
		n.Host, n.bare = "", true
	}
	if len([]rune(n.User)) > 80 {
		return n, mysqlerr.Newf(mysqlerr.WrongStringLength, "String '%s' is too long for user name (should be no longer than 80)", n.User)
	}
	if len(n.Host) > 255 {
		return n, mysqlerr.Newf(mysqlerr.WrongStringLength, "String '%s' is too long for host name (should be no longer than 255)", n.Host)
	}
	if !n.bare && n.Host == "" {
		n.Host = "%"
	}
	return n, nil
}

// accountList takes names, with what reads the clauses after each.
func (c *accountParser) accountList(after func(named) error) error {
	for {
		n, err := c.account()
		if err != nil {
			return err
		}
		if err := after(n); err != nil {
			return err
		}
		if !c.Accept(",") {
			return nil
		}
	}
}

// password is an IDENTIFIED clause.
type password struct {
	plugin string
	auth   string
}

// identified takes an IDENTIFIED clause, if there is one.
func (c *accountParser) identified() (*password, error) {
	if !c.Accept("IDENTIFIED") {
		return nil, nil
	}
	if c.Accept("BY") {
		if c.Accept("PASSWORD") {
			hash, ok := c.StringLiteral()
			if !ok {
				return nil, c.Syntax()
			}
			return checkedHash(accounts.NativePassword, hash)
		}
		return c.clearPassword(accounts.NativePassword)
	}
	if !c.AcceptAny("VIA", "WITH") {
		return nil, c.Syntax()
	}
	p := c.Next()
	if p.Kind != dialect.String && !p.IsName() {
		return nil, c.Syntax()
	}
	plugin := strings.ToLower(p.Text)
	if plugin != accounts.NativePassword && plugin != string(mysql.CachingSha2Password) {
		return nil, mysqlerr.Newf(mysqlerr.PluginNotLoaded, "Plugin '%s' is not loaded", p.Text)
	}
	out, err := &password{plugin: plugin}, error(nil)
	switch {
	case c.AcceptAny("USING", "AS"):
		if c.Accept("PASSWORD", "(") {
			if out, err = c.clearPassword(plugin); err == nil && !c.Accept(")") {
				return nil, c.Syntax()
			}
		} else if hash, ok := c.StringLiteral(); ok {
			out, err = checkedHash(plugin, hash)
		} else {
			return nil, c.Syntax()
		}
	case c.Accept("BY"):
		out, err = c.clearPassword(plugin)
	}
	if err == nil && c.Peek().Is("OR") {
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "IDENTIFIED VIA more than one plugin")
	}
	return out, err
}

// clearPassword takes a password in clear text. For the log, its hash takes its place.
func (c *accountParser) clearPassword(plugin string) (*password, error) {
	t := c.Peek()
	text, ok := c.StringLiteral()
	if !ok {
		return nil, c.Syntax()
	}
	out := &password{plugin: plugin, auth: nativeHash(text)}
	inCall := c.Tokens[c.Pos-2].Is("(") // PASSWORD('text')
	if plugin == string(mysql.CachingSha2Password) && text != "" {
		auth, err := sha2Hash(text)
		if err != nil {
			return nil, err
		}
		out.auth = auth
	}
	switch {
	case inCall:
		for i := c.Pos - 3; i >= 0; i-- { // from PASSWORD to the closing parenthesis
			if c.Tokens[i].Is("PASSWORD") {
				whole := dialect.Token{Start: c.Tokens[i].Start, End: c.Peek().End}
				c.edit.Replace(whole, dialect.QuoteString(out.auth))
				break
			}
		}
	case plugin == accounts.NativePassword && text != "":
		c.edit.Replace(t, "PASSWORD "+dialect.QuoteString(out.auth))
	case text != "":
		by := c.Tokens[c.Pos-2]
		c.edit.Replace(dialect.Token{Start: by.Start, End: t.End}, "USING "+dialect.QuoteString(out.auth))
	}
	return out, nil
}

// sha2Hash is a password as caching_sha2_password stores it.
func sha2Hash(text string) (string, error) {
	salt, err := mysql.NewSalt()
	if err != nil {
		return "", err
	}
	b, err := mysql.SerializeCachingSha2PasswordAuthString(text, salt, mysql.DefaultCachingSha2PasswordHashIterations)
	return string(b), err
}

// checkedHash is a hash as a plugin stores it.
func checkedHash(plugin, hash string) (*password, error) {
	if plugin == accounts.NativePassword && hash != "" {
		if len(hash) != 41 || hash[0] != '*' || strings.Trim(hash[1:], "0123456789abcdefABCDEF") != "" {
			return nil, mysqlerr.New(mysqlerr.PasswdLength, 41)
		}
		hash = strings.ToUpper(hash)
	}
	return &password{plugin: plugin, auth: hash}, nil
}

// option is what a clause changes of an account.
type option func(*accounts.Account)

// require takes a REQUIRE clause, if there is one.
func (c *accountParser) require() (option, error) {
	if !c.Accept("REQUIRE") {
		return nil, nil
	}
	want := accounts.Account{}
	switch {
	case c.Accept("NONE"):
	case c.Accept("SSL"):
		want.Require = accounts.RequireSSL
	case c.Accept("X509"):
		want.Require = accounts.RequireX509
	default:
		for {
			var to *string
			switch {
			case c.Accept("CIPHER"):
				to = &want.Cipher
			case c.Accept("ISSUER"):
				to = &want.Issuer
			case c.Accept("SUBJECT"):
				to = &want.Subject
			default:
				return nil, c.Syntax()
			}
			var ok bool
			if *to, ok = c.StringLiteral(); !ok {
				return nil, c.Syntax()
			}
			want.Require = accounts.RequireSpecified
			c.Accept("AND")
			if n := c.Peek(); !n.Is("CIPHER") && !n.Is("ISSUER") && !n.Is("SUBJECT") {
				break
			}
		}
	}
	return func(a *accounts.Account) {
		a.Require, a.Cipher, a.Issuer, a.Subject = want.Require, want.Cipher, want.Issuer, want.Subject
	}, nil
}

// limits takes what follows WITH: MAX_... n, and for GRANT also GRANT OPTION and ADMIN OPTION.
func (c *accountParser) limits() (opts []option, grantOption bool, err error) {
	for {
		t := c.Peek()
		switch {
		case c.Accept("GRANT", "OPTION"):
			grantOption = true
			continue
		case t.Is("MAX_QUERIES_PER_HOUR"), t.Is("MAX_UPDATES_PER_HOUR"), t.Is("MAX_CONNECTIONS_PER_HOUR"), t.Is("MAX_USER_CONNECTIONS"), t.Is("MAX_STATEMENT_TIME"):
		default:
			if len(opts) == 0 && !grantOption {
				return nil, false, c.Syntax()
			}
			return opts, grantOption, nil
		}
		c.Next()
		opt, err := c.limit(strings.ToUpper(t.Text))
		if err != nil {
			return nil, false, err
		}
		opts = append(opts, opt)
	}
}

// limit takes the number of one limit.
func (c *accountParser) limit(name string) (option, error) {
	start := c.Peek().Start
	negative := c.Accept("-")
	if t := c.Next(); t.Kind != dialect.Word && !t.Is(".") {
		c.Pos--
		return nil, c.Syntax()
	}
	if c.Accept(".") || c.Tokens[c.Pos-1].Is(".") {
		if n := c.Peek(); n.Kind == dialect.Word {
			c.Next()
		}
	}
	text := c.SQL[start:c.Tokens[c.Pos-1].End]
	if name == "MAX_STATEMENT_TIME" {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || negative || f > 31536000 {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, "MAX_STATEMENT_TIME", text)
		}
		return func(a *accounts.Account) { a.Limits.StatementTime = f }, nil
	}
	if name == "MAX_USER_CONNECTIONS" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.WrongValueForVar, name, text)
		}
		return func(a *accounts.Account) { a.Limits.UserConnections = max(min(n, 1<<31-1), -1) }, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, mysqlerr.New(mysqlerr.WrongValueForVar, name, text)
	}
	n = min(n, 1<<32-1)
	return func(a *accounts.Account) {
		switch name {
		case "MAX_QUERIES_PER_HOUR":
			a.Limits.Queries = n
		case "MAX_UPDATES_PER_HOUR":
			a.Limits.Updates = n
		default:
			a.Limits.Connections = n
		}
	}, nil
}

// lockAndExpiry takes ACCOUNT LOCK | UNLOCK and PASSWORD EXPIRE ..., in any order.
func (c *accountParser) lockAndExpiry() ([]option, error) {
	var opts []option
	for {
		switch {
		case c.Accept("ACCOUNT", "LOCK"):
			opts = append(opts, func(a *accounts.Account) { a.Locked = true })
		case c.Accept("ACCOUNT", "UNLOCK"):
			opts = append(opts, func(a *accounts.Account) { a.Locked = false })
		case c.Accept("PASSWORD", "EXPIRE", "NEVER"):
			opts = append(opts, lifetime(accounts.LifetimeNever))
		case c.Accept("PASSWORD", "EXPIRE", "DEFAULT"):
			opts = append(opts, lifetime(accounts.LifetimeDefault))
		case c.Accept("PASSWORD", "EXPIRE", "INTERVAL"):
			n, ok := c.Number()
			if !ok || !c.Accept("DAY") {
				return nil, c.Syntax()
			}
			if n == 0 || n > 65535 {
				return nil, mysqlerr.Newf(mysqlerr.NoSuchKeyValue, "Incorrect DAY value: '%d'", n)
			}
			opts = append(opts, lifetime(int64(n)))
		case c.Accept("PASSWORD", "EXPIRE"):
			opts = append(opts, func(a *accounts.Account) { a.Expired = true })
		default:
			return opts, nil
		}
	}
}

func lifetime(days int64) option {
	return func(a *accounts.Account) { a.Lifetime, a.Expired = days, false }
}

// options takes what CREATE USER and ALTER USER have after the names.
func (c *accountParser) options() ([]option, error) {
	var opts []option
	req, err := c.require()
	if err != nil {
		return nil, err
	}
	if req != nil {
		opts = append(opts, req)
	}
	if c.Accept("WITH") {
		if c.Peek().Is("GRANT") {
			return nil, c.Syntax()
		}
		more, grantOption, err := c.limits()
		if err != nil {
			return nil, err
		}
		if grantOption {
			return nil, c.Syntax()
		}
		opts = append(opts, more...)
	}
	more, err := c.lockAndExpiry()
	if err != nil {
		return nil, err
	}
	return append(opts, more...), c.Done()
}

// reservedWord reports whether a name has to be quoted, by go-mysql-server's parser.
func reservedWord(t dialect.Token) bool {
	if t.Kind != dialect.Word {
		return false
	}
	word, _, _ := strings.Cut(t.Text, "@")
	_, err := nesting.ParseText("SELECT 1 FROM " + word)
	return word != "" && err != nil
}
