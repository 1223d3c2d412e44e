package dialect

import "strings"

// Kill is KILL of a connection, or of all of a user, or of what these run.
type Kill struct {
	Query bool // the statement only
	Soft  bool
	ID    uint64
	// ByUser says that User and Host tell whose connections; a host of % is any.
	ByUser     bool
	User, Host string
}

func (s Kill) String() string {
	whom := number(s.ID)
	if s.ByUser {
		whom = "USER " + QuoteName(s.User) + "@" + QuoteName(s.Host)
	}
	return words("KILL", when(s.Soft, "SOFT"), when(s.Query, "QUERY"), whom)
}

// parseKill is KILL [HARD | SOFT] [CONNECTION | QUERY] {n | USER account}. That n may be an expression in MariaDB is not among what is
// taken here.
func parseKill(p *Parser) (Statement, error) {
	var s Kill
	if s.Soft = p.Accept("SOFT"); !s.Soft {
		p.Accept("HARD")
	}
	if s.Query = p.Accept("QUERY"); !s.Query {
		p.Accept("CONNECTION")
	}
	switch {
	case s.Query && p.Accept("ID"):
		return nil, notYet("KILL QUERY ID")
	case p.Accept("USER"):
		if p.Peek().Kind == Punct || p.End() {
			return nil, p.Syntax()
		}
		if t := p.Peek(); t.Kind == Word && strings.EqualFold(t.Text, "CURRENT_USER") {
			return nil, notYet("KILL USER CURRENT_USER")
		}
		s.ByUser = true
		s.User, s.Host = p.Account()
		return s, p.Done()
	}
	var err error
	if s.ID, err = p.need(); err != nil {
		return nil, err
	}
	return s, p.Done()
}
