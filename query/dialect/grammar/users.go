package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// createUser takes CREATE USER, from USER on.
func createUser(p *parser, start int32, orReplace bool) tree.Statement {
	p.next()
	n := &tree.Users{OrReplace: orReplace, IfNotExists: ifNotExists(p)}
	usersRest(p, start, n)
	return n
}

// alterUser takes ALTER USER, from USER on.
func alterUser(p *parser, start int32) tree.Statement {
	p.next()
	n := &tree.Users{Alter: true, IfNotExists: ifExists(p)}
	usersRest(p, start, n)
	return n
}

// usersRest takes the accounts and what is said of all of them.
func usersRest(p *parser, start int32, n *tree.Users) {
	n.Users = userSpecs(p)
	requireClause(p, &n.AccountOptions)
	if p.accept(lex.WWith) {
		n.Limits = resourceLimits(p, nil)
	}
	lockAndExpire(p, &n.AccountOptions)
	n.Span = p.from(start)
}

// userSpecs takes accounts with how they log in.
func userSpecs(p *parser) []*tree.UserSpec {
	return commas(p, func() *tree.UserSpec { return userSpec(p) })
}

func userSpec(p *parser) *tree.UserSpec {
	start := p.start()
	n := &tree.UserSpec{Account: userOrRole(p)}
	if n.Account.Kind != tree.CurrentRole && p.accept(lex.WIdentified) {
		switch p.acceptAny(lex.WBy, lex.WVia, lex.WWith) {
		case lex.WBy:
			if p.accept(lex.WPassword) {
				n.Hash = text(p)
			} else {
				n.Password = text(p)
			}
		case lex.NoWord:
			p.fail()
		default:
			n.Auth = []*tree.AuthPlugin{authPlugin(p)}
			for p.accept(lex.WOr) {
				n.Auth = append(n.Auth, authPlugin(p))
			}
		}
	}
	n.Span = p.from(start)
	return n
}

// authPlugin takes a plugin and what it is told.
func authPlugin(p *parser) *tree.AuthPlugin {
	start := p.start()
	n := &tree.AuthPlugin{Name: identOrText(p)}
	if p.acceptAny(lex.WUsing, lex.WAs) != lex.NoWord {
		if p.accept(lex.WPassword) {
			n.Password = inParens(p, func() *string { return text(p) })
		} else {
			n.Using = text(p)
		}
	} else if p.accept(lex.WBy) { // MySQL's form of the same, which its tools write
		n.Password = text(p)
	}
	n.Span = p.from(start)
	return n
}

// requireClause takes [REQUIRE ...].
func requireClause(p *parser, o *tree.AccountOptions) {
	if !p.accept(lex.WRequire) {
		return
	}
	if w := p.acceptAny(lex.WSsl, lex.WX509, lex.WNone); w != lex.NoWord {
		o.Require = w.String()
		return
	}
	seen := map[lex.Word]bool{}
	for {
		w := p.peek(0).Word
		if w != lex.WSubject && w != lex.WIssuer && w != lex.WCipher {
			p.fail()
		}
		o.RequireList = append(o.RequireList, option(p, 1, func() *tree.Value { return textValue(p) }))
		if seen[w] {
			p.failWith(mysqlerr.New(mysqlerr.DupArgument, w))
		}
		seen[w] = true
		if p.accept(lex.WAnd) {
			continue
		}
		if next := p.peek(0).Word; next != lex.WSubject && next != lex.WIssuer && next != lex.WCipher {
			return
		}
	}
}

// resourceLimits takes one or more limits; grant, if not nil, is set by GRANT OPTION among them.
func resourceLimits(p *parser, grant *bool) (all []*tree.Option) {
	for some := false; ; some = true {
		switch w := p.peek(0).Word; {
		case w == lex.WMaxQueriesPerHour, w == lex.WMaxUpdatesPerHour, w == lex.WMaxConnectionsPerHour:
			all = append(all, option(p, 1, func() *tree.Value { return numberValue(p) }))
		case w == lex.WMaxUserConnections:
			all = append(all, option(p, 1, func() *tree.Value { return signedValue(p) }))
		case w == lex.WMaxStatementTime:
			all = append(all, option(p, 1, func() *tree.Value { return numberLiteral(p) }))
		case w == lex.WGrant && grant != nil:
			p.next()
			p.expect(lex.WOption)
			*grant = true
		case !some:
			p.fail()
		default:
			return all
		}
	}
}

// signedValue takes an integer with a sign or none.
func signedValue(p *parser) *tree.Value {
	start := p.start()
	minus := p.acceptKind('-')
	if !p.is(lex.Integer) {
		p.fail()
	}
	v := value(p, tree.NumberValue)
	if minus {
		v.Text, v.Start = "-"+v.Text, start
	}
	return v
}

// numberLiteral takes a decimal number.
func numberLiteral(p *parser) *tree.Value {
	if p.is(lex.HexNumber) {
		p.fail()
	}
	return numberValue(p)
}

// lockAndExpire takes ACCOUNT LOCK and PASSWORD EXPIRE, in any order.
func lockAndExpire(p *parser, o *tree.AccountOptions) {
	for {
		start := p.start()
		switch {
		case o.Lock == "" && p.accept(lex.WAccount):
			o.Lock = wordValue(p, lex.WLock, lex.WUnlock).Text
		case o.Expire == nil && p.accept(lex.WPassword):
			p.expect(lex.WExpire)
			e := &tree.Expire{}
			switch w := p.acceptAny(lex.WDefault, lex.WNever, lex.WInterval); w {
			case lex.NoWord:
			case lex.WInterval:
				e.How, e.Days = "INTERVAL", number(p)
				p.expect(lex.WDay)
			default:
				e.How = w.String()
			}
			e.Span = p.from(start)
			o.Expire = e
		default:
			return
		}
	}
}

// createRole takes CREATE ROLE, from ROLE on.
func createRole(p *parser, start int32, orReplace bool) tree.Statement {
	p.next()
	n := &tree.CreateRole{OrReplace: orReplace, IfNotExists: ifNotExists(p), Roles: roleNames(p)}
	if p.accept(lex.WWith) {
		p.expect(lex.WAdmin)
		n.Admin = userOrRole(p)
	}
	n.Span = p.from(start)
	return n
}

func roleNames(p *parser) []*tree.Account {
	return commas(p, func() *tree.Account { return roleName(p) })
}

// dropAccounts takes DROP USER and DROP ROLE, from USER or ROLE on.
func dropAccounts(p *parser, start int32) tree.Statement {
	n := &tree.DropAccounts{Roles: p.next().Word == lex.WRole, IfExists: ifExists(p)}
	if n.Roles {
		n.Accounts = roleNames(p)
	} else {
		n.Accounts = commas(p, func() *tree.Account { return user(p) })
	}
	n.Span = p.from(start)
	return n
}

// renameUsers takes RENAME USER, from USER on.
func renameUsers(p *parser, start int32) tree.Statement {
	p.next()
	n := &tree.RenameUsers{Pairs: commas(p, func() *tree.RenameUserPair {
		start := p.start()
		pair := &tree.RenameUserPair{Old: user(p)}
		p.expect(lex.WTo)
		pair.New = user(p)
		pair.Span = p.from(start)
		return pair
	})}
	n.Span = p.from(start)
	return n
}
