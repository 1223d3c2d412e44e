package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// privilegeWords are the privileges that go on after their first word, by that; those that may stop there have an empty one.
var privilegeWords = map[lex.Word][][]lex.Word{
	lex.WSelect: {{}}, lex.WInsert: {{}}, lex.WUpdate: {{}}, lex.WReferences: {{}}, lex.WUsage: {{}}, lex.WIndex: {{}}, lex.WDrop: {{}},
	lex.WExecute: {{}}, lex.WReload: {{}}, lex.WShutdown: {{}}, lex.WProcess: {{}}, lex.WFile: {{}}, lex.WSuper: {{}}, lex.WEvent: {{}},
	lex.WTrigger: {{}},
	lex.WDelete:  {{lex.WHistory}, {}},
	lex.WAlter:   {{lex.WRoutine}, {}},
	lex.WCreate:  {{lex.WTemporary, lex.WTables}, {lex.WView}, {lex.WRoutine}, {lex.WUser}, {lex.WTablespace}, {}},
	lex.WShow:    {{lex.WDatabases}, {lex.WSchemas}, {lex.WView}},
	lex.WLock:    {{lex.WTables}}, lex.WGrant: {{lex.WOption}}, lex.WSet: {{lex.WUser}},
	lex.WReplication: {{lex.WMaster, lex.WAdmin}, {lex.WSlave, lex.WAdmin}, {lex.WReplica, lex.WAdmin}, {lex.WSlave}, {lex.WReplica}, {lex.WClient}},
	lex.WSlave:       {{lex.WMonitor}},
	lex.WReplica:     {{lex.WMonitor}},
	lex.WBinlog:      {{lex.WMonitor}, {lex.WAdmin}, {lex.WReplay}},
	lex.WConnection:  {{lex.WAdmin}},
	lex.WFederated:   {{lex.WAdmin}},
	lex.WRead:        {{lex.WOnly, lex.WAdmin}},
	lex.WReadOnly:    {{lex.WAdmin}},
}

// privilegeNames are the privileges with another name than their words.
var privilegeNames = map[string]string{
	"REPLICATION CLIENT": "BINLOG MONITOR", "REPLICATION REPLICA": "REPLICATION SLAVE", "REPLICATION REPLICA ADMIN": "REPLICATION SLAVE ADMIN",
	"SLAVE MONITOR": "REPLICA MONITOR", "READ_ONLY ADMIN": "READ ONLY ADMIN", "SHOW SCHEMAS": "SHOW DATABASES",
}

// grantStatement takes GRANT.
func grantStatement(p *parser) tree.Statement { return grantOrRevoke(p, false) }

// revokeStatement takes REVOKE.
func revokeStatement(p *parser) tree.Statement { return grantOrRevoke(p, true) }

func grantOrRevoke(p *parser, revoke bool) tree.Statement {
	start := p.start()
	p.next()
	switch {
	case isRole(p, revoke):
		return grantRole(p, start, revoke)
	case p.isWord(lex.WProxy):
		return grantProxy(p, start, revoke)
	case p.accept(lex.WAll):
		p.accept(lex.WPrivileges)
		if revoke && p.is(',') {
			return revokeAll(p, start)
		}
		n := &tree.Grant{Revoke: revoke, All: true}
		return grantRest(p, start, n)
	}
	n := &tree.Grant{Revoke: revoke, Privileges: commas(p, func() *tree.Privilege { return privilege(p) })}
	return grantRest(p, start, n)
}

// isRole reports whether a role follows: a name of which TO or FROM says that it is none of the words that privileges begin with.
func isRole(p *parser, revoke bool) bool {
	t := p.peek(0)
	end := lex.WTo
	if revoke {
		end = lex.WFrom
	}
	switch {
	case t.Word == lex.WCurrentRole, t.Kind == lex.String:
		return true
	case revoke && t.Word == lex.WAdmin:
		return true
	case !p.isName(0):
		return false
	case t.Word == lex.NoWord:
		return true
	}
	_, privilege := privilegeWords[t.Word]
	return p.peek(1).Word == end || !privilege && t.Word != lex.WProxy
}

// grantRole takes GRANT and REVOKE of a role, after the first word.
func grantRole(p *parser, start int32, revoke bool) tree.Statement {
	n := &tree.GrantRole{Revoke: revoke}
	if revoke && p.isWords(lex.WAdmin, lex.WOption) {
		p.next()
		p.expect(lex.WOption, lex.WFor)
		n.Admin = true
	}
	n.Role = roleName(p)
	n.To = grantees(p, revoke)
	if !revoke && p.accept(lex.WWith) {
		p.expect(lex.WAdmin, lex.WOption)
		n.Admin = true
	}
	n.Span = p.from(start)
	return n
}

// grantees takes TO or FROM, and the accounts. Only those that get something may say how they log in.
func grantees(p *parser, revoke bool) []*tree.UserSpec {
	if !revoke {
		p.expect(lex.WTo)
		return userSpecs(p)
	}
	p.expect(lex.WFrom)
	return bareUsers(p, userOrRole)
}

// bareUsers takes accounts without more.
func bareUsers(p *parser, f func(*parser) *tree.Account) []*tree.UserSpec {
	return commas(p, func() *tree.UserSpec {
		a := f(p)
		return &tree.UserSpec{Span: a.Span, Account: a}
	})
}

// grantProxy takes GRANT PROXY and REVOKE PROXY, from PROXY on.
func grantProxy(p *parser, start int32, revoke bool) tree.Statement {
	p.next()
	p.expect(lex.WOn)
	n := &tree.GrantProxy{Revoke: revoke, On: user(p)}
	if revoke {
		p.expect(lex.WFrom)
		n.To = bareUsers(p, user)
	} else {
		p.expect(lex.WTo)
		n.To = userSpecs(p)
		if p.accept(lex.WWith) {
			p.expect(lex.WGrant, lex.WOption)
			n.GrantOption = true
		}
	}
	n.Span = p.from(start)
	return n
}

// revokeAll takes REVOKE ALL PRIVILEGES, GRANT OPTION, from the comma on.
func revokeAll(p *parser, start int32) tree.Statement {
	p.next()
	p.expect(lex.WGrant, lex.WOption, lex.WFrom)
	n := &tree.RevokeAll{From: commas(p, func() *tree.Account { return userOrRole(p) })}
	n.Span = p.from(start)
	return n
}

// privilege takes a privilege.
func privilege(p *parser) *tree.Privilege {
	start := p.start()
	ends, ok := privilegeWords[p.peek(0).Word]
	if !ok {
		p.fail()
	}
	first := p.next().Word
	n := &tree.Privilege{Name: first.String()}
	if end := privilegeEnd(p, ends); len(end) > 0 {
		n.Name += " " + takeWords(p, len(end))
	}
	if name, ok := privilegeNames[n.Name]; ok {
		n.Name = name
	}
	switch first {
	case lex.WSelect, lex.WInsert, lex.WUpdate, lex.WReferences:
		if p.is('(') {
			n.Columns = inParens(p, func() []tree.Ident { return names(p) })
		}
	}
	n.Span = p.from(start)
	return n
}

// privilegeEnd is which of the ends of a privilege follows.
func privilegeEnd(p *parser, ends [][]lex.Word) []lex.Word {
	begun, whole := false, false
	for _, end := range ends {
		if len(end) > 0 && p.isWords(end...) {
			return end
		}
		begun = begun || len(end) > 0 && p.isWord(end[0])
		whole = whole || len(end) == 0
	}
	if begun { // the error is where the longest one ends
		p.next()
	}
	if begun || !whole {
		p.fail()
	}
	return nil
}

// grantRest takes ON and what follows it.
func grantRest(p *parser, start int32, n *tree.Grant) tree.Statement {
	p.expect(lex.WOn)
	n.On = grantLevel(p)
	n.To = grantees(p, n.Revoke)
	if !n.Revoke {
		requireClause(p, &n.AccountOptions)
		if p.accept(lex.WWith) {
			n.Limits = resourceLimits(p, &n.GrantOption)
		}
	}
	n.Span = p.from(start)
	return n
}

// grantLevel takes what privileges are about.
func grantLevel(p *parser) *tree.GrantLevel {
	start := p.start()
	n := &tree.GrantLevel{}
	switch w := p.peek(0).Word; w {
	case lex.WTable:
		p.next()
	case lex.WProcedure, lex.WFunction:
		p.next()
		n.What = w.String()
	}
	switch {
	case p.acceptKind('*'):
		n.AllTables = true
		if p.acceptKind('.') {
			p.expectKind('*')
			n.AllDBs = true
		}
	case p.isName(0) && p.peek(1).Kind == '.' && p.peek(2).Kind == '*':
		n.AllTables, n.DB = true, p.ident()
		p.next()
		p.next()
	default:
		t := p.tableName()
		n.DB, n.Name = t.DB, t.Name
	}
	n.Span = p.from(start)
	return n
}
