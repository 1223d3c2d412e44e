package dialect

// Statements about accounts share their first words with others. Each of these parsers yields nil for a statement that is not about
// accounts, and leaves its place unchanged then.

// parseCreateAccount is CREATE [OR REPLACE] USER | ROLE.
func parseCreateAccount(p accountParser) (Statement, error) {
	start := p.Pos
	orReplace := p.Accept("OR", "REPLACE")
	switch {
	case p.Accept("USER"):
		return parseCreateUser(p, orReplace)
	case p.Accept("ROLE"):
		return parseCreateRole(p, orReplace)
	}
	p.Pos = start
	return nil, nil
}

// parseAlterAccount is ALTER USER.
func parseAlterAccount(p accountParser) (Statement, error) {
	if p.Accept("USER") {
		return parseAlterUser(p)
	}
	return nil, nil
}

// parseDropAccount is DROP USER | ROLE.
func parseDropAccount(p accountParser) (Statement, error) {
	switch {
	case p.Accept("USER"):
		return parseDropUser(p)
	case p.Accept("ROLE"):
		return parseDropRole(p)
	}
	return nil, nil
}

// parseRenameAccount is RENAME USER.
func parseRenameAccount(p accountParser) (Statement, error) {
	if p.Accept("USER") {
		return parseRenameUser(p)
	}
	return nil, nil
}

// parseSetAccount is SET PASSWORD | ROLE | DEFAULT ROLE.
func parseSetAccount(p accountParser) (Statement, error) {
	switch {
	case p.Accept("PASSWORD"):
		return parseSetPassword(p)
	case p.Accept("ROLE"):
		return parseSetRole(p)
	case p.Accept("DEFAULT", "ROLE"):
		return parseSetDefaultRole(p)
	}
	return nil, nil
}

// parseShowAccount is SHOW GRANTS | CREATE USER.
func parseShowAccount(p accountParser) (Statement, error) {
	switch {
	case p.Accept("GRANTS"):
		return parseShowGrants(p)
	case p.Accept("CREATE", "USER"):
		return parseShowCreateUser(p)
	}
	return nil, nil
}

// accountParser reads statements about accounts.
type accountParser struct{ *Parser }

// about makes the parser of a statement about accounts one for any statement.
func about(parse func(accountParser) (Statement, error)) parse {
	return func(p *Parser) (Statement, error) { return parse(accountParser{p}) }
}
