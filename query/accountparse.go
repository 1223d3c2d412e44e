package query

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/nesting"
)

// accountCursor reads the clauses of statements about accounts. Clear text passwords are replaced by
// their hashes in the text that is logged.
type accountCursor struct {
	*cursor
	s    *Session
	edit editor
}

func (s *Session) accountCursor(c *cursor) *accountCursor {
	return &accountCursor{cursor: c, s: s, edit: editor{sql: c.sql}}
}

// logged is the text for the log.
func (c *accountCursor) logged() string { return c.edit.done() }

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
func (c *accountCursor) account() (named, error) {
	t := c.peek()
	if t.is("CURRENT_USER") {
		c.next()
		if c.accept("(") && !c.accept(")") {
			return named{}, c.syntax()
		}
		return named{Name: c.s.privs.account}, nil
	}
	if t.is("CURRENT_ROLE") {
		c.next()
		if c.accept("(") && !c.accept(")") {
			return named{}, c.syntax()
		}
		if c.s.privs.role == "" {
			return named{}, mysqlerr.New(mysqlerr.InvalidRole, "NONE")
		}
		return named{Name: accounts.Name{User: c.s.privs.role}, bare: true}, nil
	}
	if t.kind != tokString && !t.name() || t.kind == tokWord && strings.HasPrefix(t.text, "@") {
		return named{}, c.syntax()
	}
	if reservedWord(t) {
		return named{}, c.syntax()
	}
	user, host := c.cursor.account()
	c.i = min(c.i, len(c.toks)) // after "user@", which has host %
	n := named{Name: accounts.Name{User: user, Host: strings.ToLower(host)}}
	end := c.toks[c.i-1].end
	// The scanner's account() gives host % to a bare name; the text tells.
	if !strings.Contains(c.sql[t.start:end], "@") || c.toks[c.i-1].start == t.start && t.kind != tokWord {
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
func (c *accountCursor) accountList(after func(named) error) error {
	for {
		n, err := c.account()
		if err != nil {
			return err
		}
		if err := after(n); err != nil {
			return err
		}
		if !c.accept(",") {
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
func (c *accountCursor) identified() (*password, error) {
	if !c.accept("IDENTIFIED") {
		return nil, nil
	}
	if c.accept("BY") {
		if c.accept("PASSWORD") {
			hash, ok := c.str()
			if !ok {
				return nil, c.syntax()
			}
			return checkedHash(accounts.NativePassword, hash)
		}
		return c.clearPassword(accounts.NativePassword)
	}
	if !c.acceptAny("VIA", "WITH") {
		return nil, c.syntax()
	}
	p := c.next()
	if p.kind != tokString && !p.name() {
		return nil, c.syntax()
	}
	plugin := strings.ToLower(p.text)
	if plugin != accounts.NativePassword && plugin != string(mysql.CachingSha2Password) {
		return nil, mysqlerr.Newf(mysqlerr.PluginNotLoaded, "Plugin '%s' is not loaded", p.text)
	}
	out, err := &password{plugin: plugin}, error(nil)
	switch {
	case c.acceptAny("USING", "AS"):
		if c.accept("PASSWORD", "(") {
			if out, err = c.clearPassword(plugin); err == nil && !c.accept(")") {
				return nil, c.syntax()
			}
		} else if hash, ok := c.str(); ok {
			out, err = checkedHash(plugin, hash)
		} else {
			return nil, c.syntax()
		}
	case c.accept("BY"):
		out, err = c.clearPassword(plugin)
	}
	if err == nil && c.peek().is("OR") {
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "IDENTIFIED VIA more than one plugin")
	}
	return out, err
}

// clearPassword takes a password in clear text. For the log, its hash takes its place.
func (c *accountCursor) clearPassword(plugin string) (*password, error) {
	t := c.peek()
	text, ok := c.str()
	if !ok {
		return nil, c.syntax()
	}
	out := &password{plugin: plugin, auth: nativeHash(text)}
	inCall := c.toks[c.i-2].is("(") // PASSWORD('text')
	if plugin == string(mysql.CachingSha2Password) && text != "" {
		auth, err := sha2Hash(text)
		if err != nil {
			return nil, err
		}
		out.auth = auth
	}
	switch {
	case inCall:
		for i := c.i - 3; i >= 0; i-- { // from PASSWORD to the closing parenthesis
			if c.toks[i].is("PASSWORD") {
				whole := token{start: c.toks[i].start, end: c.peek().end}
				c.edit.replace(whole, quoteString(out.auth))
				break
			}
		}
	case plugin == accounts.NativePassword && text != "":
		c.edit.replace(t, "PASSWORD "+quoteString(out.auth))
	case text != "":
		by := c.toks[c.i-2]
		c.edit.replace(token{start: by.start, end: t.end}, "USING "+quoteString(out.auth))
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

func quoteString(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
}

// option is what a clause changes of an account.
type option func(*accounts.Account)

// require takes a REQUIRE clause, if there is one.
func (c *accountCursor) require() (option, error) {
	if !c.accept("REQUIRE") {
		return nil, nil
	}
	want := accounts.Account{}
	switch {
	case c.accept("NONE"):
	case c.accept("SSL"):
		want.Require = accounts.RequireSSL
	case c.accept("X509"):
		want.Require = accounts.RequireX509
	default:
		for {
			var to *string
			switch {
			case c.accept("CIPHER"):
				to = &want.Cipher
			case c.accept("ISSUER"):
				to = &want.Issuer
			case c.accept("SUBJECT"):
				to = &want.Subject
			default:
				return nil, c.syntax()
			}
			var ok bool
			if *to, ok = c.str(); !ok {
				return nil, c.syntax()
			}
			want.Require = accounts.RequireSpecified
			c.accept("AND")
			if n := c.peek(); !n.is("CIPHER") && !n.is("ISSUER") && !n.is("SUBJECT") {
				break
			}
		}
	}
	return func(a *accounts.Account) {
		a.Require, a.Cipher, a.Issuer, a.Subject = want.Require, want.Cipher, want.Issuer, want.Subject
	}, nil
}

// limits takes what follows WITH: MAX_... n, and for GRANT also GRANT OPTION and ADMIN OPTION.
func (c *accountCursor) limits() (opts []option, grantOption bool, err error) {
	for {
		t := c.peek()
		switch {
		case c.accept("GRANT", "OPTION"):
			grantOption = true
			continue
		case t.is("MAX_QUERIES_PER_HOUR"), t.is("MAX_UPDATES_PER_HOUR"), t.is("MAX_CONNECTIONS_PER_HOUR"), t.is("MAX_USER_CONNECTIONS"), t.is("MAX_STATEMENT_TIME"):
		default:
			if len(opts) == 0 && !grantOption {
				return nil, false, c.syntax()
			}
			return opts, grantOption, nil
		}
		c.next()
		opt, err := c.limit(strings.ToUpper(t.text))
		if err != nil {
			return nil, false, err
		}
		opts = append(opts, opt)
	}
}

// limit takes the number of one limit.
func (c *accountCursor) limit(name string) (option, error) {
	start := c.peek().start
	negative := c.accept("-")
	if t := c.next(); t.kind != tokWord && !t.is(".") {
		c.i--
		return nil, c.syntax()
	}
	if c.accept(".") || c.toks[c.i-1].is(".") {
		if n := c.peek(); n.kind == tokWord {
			c.next()
		}
	}
	text := c.sql[start:c.toks[c.i-1].end]
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
func (c *accountCursor) lockAndExpiry() ([]option, error) {
	var opts []option
	for {
		switch {
		case c.accept("ACCOUNT", "LOCK"):
			opts = append(opts, func(a *accounts.Account) { a.Locked = true })
		case c.accept("ACCOUNT", "UNLOCK"):
			opts = append(opts, func(a *accounts.Account) { a.Locked = false })
		case c.accept("PASSWORD", "EXPIRE", "NEVER"):
			opts = append(opts, lifetime(accounts.LifetimeNever))
		case c.accept("PASSWORD", "EXPIRE", "DEFAULT"):
			opts = append(opts, lifetime(accounts.LifetimeDefault))
		case c.accept("PASSWORD", "EXPIRE", "INTERVAL"):
			n, ok := c.number()
			if !ok || !c.accept("DAY") {
				return nil, c.syntax()
			}
			if n == 0 || n > 65535 {
				return nil, mysqlerr.Newf(mysqlerr.NoSuchKeyValue, "Incorrect DAY value: '%d'", n)
			}
			opts = append(opts, lifetime(int64(n)))
		case c.accept("PASSWORD", "EXPIRE"):
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
func (c *accountCursor) options() ([]option, error) {
	var opts []option
	req, err := c.require()
	if err != nil {
		return nil, err
	}
	if req != nil {
		opts = append(opts, req)
	}
	if c.accept("WITH") {
		if c.peek().is("GRANT") {
			return nil, c.syntax()
		}
		more, grantOption, err := c.limits()
		if err != nil {
			return nil, err
		}
		if grantOption {
			return nil, c.syntax()
		}
		opts = append(opts, more...)
	}
	more, err := c.lockAndExpiry()
	if err != nil {
		return nil, err
	}
	return append(opts, more...), c.done()
}

// reservedWord reports whether a name has to be quoted, by go-mysql-server's parser.
func reservedWord(t token) bool {
	if t.kind != tokWord {
		return false
	}
	word, _, _ := strings.Cut(t.text, "@")
	_, err := nesting.ParseText("SELECT 1 FROM " + word)
	return word != "" && err != nil
}
