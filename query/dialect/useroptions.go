package dialect

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// UserOptions are the clauses of CREATE USER and ALTER USER after the names.
type UserOptions struct {
	Require  Require
	Limits   Limits
	Lock     AccountLock
	Expiry   PasswordExpiry
	Interval uint16 // days, with ExpireInterval
}

// RequireForm is what a REQUIRE clause asks for.
type RequireForm byte

// What REQUIRE can ask for.
const (
	NoRequire        RequireForm = iota // there is no clause
	RequireNone                         // nothing
	RequireSSL                          // any encrypted connection
	RequireX509                         // a certificate that the server's authorities signed
	RequireSpecified                    // with the given cipher, issuer and subject
)

// Require is a REQUIRE clause.
type Require struct {
	Form                    RequireForm
	Cipher, Issuer, Subject string // with RequireSpecified; "" for any
}

// UserLimit is the value of a limit, if the statement has it.
type UserLimit[T any] struct {
	Said  bool
	Value T
}

// Limits are the resource limits after WITH.
type Limits struct {
	Queries, Updates, Connections UserLimit[uint64] // per hour
	UserConnections               UserLimit[int64]
	StatementTime                 UserLimit[float64] // seconds
}

// AccountLock is an ACCOUNT clause.
type AccountLock byte

// The ACCOUNT clauses.
const (
	LockUnsaid AccountLock = iota
	LockAccount
	UnlockAccount
)

// PasswordExpiry is a PASSWORD EXPIRE clause.
type PasswordExpiry byte

// The PASSWORD EXPIRE clauses.
const (
	ExpiryUnsaid PasswordExpiry = iota
	ExpireNow
	ExpireNever
	ExpireDefault
	ExpireInterval
)

func (p *printer) options(o UserOptions) {
	p.require(o.Require)
	if o.Limits != (Limits{}) {
		p.words("WITH")
		p.limits(o.Limits)
	}
	switch o.Lock {
	case LockAccount:
		p.words("ACCOUNT LOCK")
	case UnlockAccount:
		p.words("ACCOUNT UNLOCK")
	}
	switch o.Expiry {
	case ExpireNow:
		p.words("PASSWORD EXPIRE")
	case ExpireNever:
		p.words("PASSWORD EXPIRE NEVER")
	case ExpireDefault:
		p.words("PASSWORD EXPIRE DEFAULT")
	case ExpireInterval:
		p.number("PASSWORD EXPIRE INTERVAL", uint64(o.Interval))
		p.words("DAY")
	}
}

func (p *printer) require(r Require) {
	switch r.Form {
	case RequireNone:
		p.words("REQUIRE NONE")
	case RequireSSL:
		p.words("REQUIRE SSL")
	case RequireX509:
		p.words("REQUIRE X509")
	case RequireSpecified:
		p.words("REQUIRE")
		for _, one := range [][2]string{{"ISSUER", r.Issuer}, {"SUBJECT", r.Subject}, {"CIPHER", r.Cipher}} {
			p.wordsIf(one[1] != "", one[0], p.quoted(one[1]))
		}
		p.wordsIf(r.Cipher+r.Issuer+r.Subject == "", "CIPHER ''")
	}
}

func (p *printer) limits(l Limits) {
	if l.Queries.Said {
		p.number("MAX_QUERIES_PER_HOUR", l.Queries.Value)
	}
	if l.Updates.Said {
		p.number("MAX_UPDATES_PER_HOUR", l.Updates.Value)
	}
	if l.Connections.Said {
		p.number("MAX_CONNECTIONS_PER_HOUR", l.Connections.Value)
	}
	if l.UserConnections.Said {
		p.words("MAX_USER_CONNECTIONS", strconv.FormatInt(l.UserConnections.Value, 10))
	}
	if l.StatementTime.Said {
		p.words("MAX_STATEMENT_TIME", strconv.FormatFloat(l.StatementTime.Value, 'f', -1, 64))
	}
}

// options takes the clauses of CREATE USER and ALTER USER.
func (p accountParser) options() (o UserOptions, err error) {
	if o.Require, err = p.require(); err != nil {
		return o, err
	}
	if p.Accept("WITH") {
		if !p.atLimit() {
			return o, p.Syntax()
		}
		for p.atLimit() {
			if err := p.limit(&o.Limits); err != nil {
				return o, err
			}
		}
	}
	// One clause of each kind, in any order.
	for range 2 {
		switch {
		case o.Lock == LockUnsaid && p.Accept("ACCOUNT", "LOCK"):
			o.Lock = LockAccount
		case o.Lock == LockUnsaid && p.Accept("ACCOUNT", "UNLOCK"):
			o.Lock = UnlockAccount
		case o.Expiry == ExpiryUnsaid && p.Accept("PASSWORD", "EXPIRE"):
			if err := p.expiry(&o); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// expiry takes what stands after PASSWORD EXPIRE.
func (p accountParser) expiry(o *UserOptions) error {
	switch {
	case p.Accept("NEVER"):
		o.Expiry = ExpireNever
	case p.Accept("DEFAULT"):
		o.Expiry = ExpireDefault
	case p.Accept("INTERVAL"):
		n, ok := p.Number()
		if !ok || !p.Accept("DAY") {
			return p.Syntax()
		}
		if n == 0 || n > 1<<16-1 {
			return mysqlerr.Newf(mysqlerr.NoSuchKeyValue, "Incorrect DAY value: '%d'", n)
		}
		o.Expiry, o.Interval = ExpireInterval, uint16(n)
	default:
		o.Expiry = ExpireNow
	}
	return nil
}

// require takes a REQUIRE clause, if there is one.
func (p accountParser) require() (Require, error) {
	switch {
	case !p.Accept("REQUIRE"):
		return Require{}, nil
	case p.Accept("NONE"):
		return Require{Form: RequireNone}, nil
	case p.Accept("SSL"):
		return Require{Form: RequireSSL}, nil
	case p.Accept("X509"):
		return Require{Form: RequireX509}, nil
	}
	r := Require{Form: RequireSpecified}
	for {
		var to *string
		switch {
		case p.Accept("CIPHER"):
			to = &r.Cipher
		case p.Accept("ISSUER"):
			to = &r.Issuer
		case p.Accept("SUBJECT"):
			to = &r.Subject
		default:
			return r, p.Syntax()
		}
		text, ok := p.StringLiteral()
		if !ok {
			return r, p.Syntax()
		}
		*to = text
		if p.Accept("AND") {
			continue
		}
		if n := p.Peek(); !n.Is("CIPHER") && !n.Is("ISSUER") && !n.Is("SUBJECT") {
			return r, nil
		}
	}
}

// atLimit reports whether a limit stands there.
func (p accountParser) atLimit() bool {
	switch t := p.Peek(); strings.ToUpper(t.Text) {
	case "MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR", "MAX_CONNECTIONS_PER_HOUR", "MAX_USER_CONNECTIONS", "MAX_STATEMENT_TIME":
		return t.Kind == Word
	}
	return false
}

// limit takes one limit.
func (p accountParser) limit(l *Limits) error {
	name := strings.ToUpper(p.Next().Text)
	text, err := p.signedNumber()
	if err != nil {
		return err
	}
	switch name {
	case "MAX_STATEMENT_TIME":
		const secondsMax = 31536000 // a year
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || text[0] == '-' || f > secondsMax {
			return wrongLimit(name, text)
		}
		l.StatementTime = UserLimit[float64]{true, f}
		return nil
	case "MAX_USER_CONNECTIONS":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return wrongLimit(name, text)
		}
		l.UserConnections = UserLimit[int64]{true, max(min(n, 1<<31-1), -1)}
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return wrongLimit(name, text)
	}
	said := UserLimit[uint64]{true, min(n, 1<<32-1)}
	switch name {
	case "MAX_QUERIES_PER_HOUR":
		l.Queries = said
	case "MAX_UPDATES_PER_HOUR":
		l.Updates = said
	default:
		l.Connections = said
	}
	return nil
}

func wrongLimit(name, text string) error { return mysqlerr.New(mysqlerr.WrongValueForVar, name, text) }

// signedNumber takes a number with or without sign and fraction, as text.
func (p accountParser) signedNumber() (string, error) {
	start := p.Peek().Start
	p.Accept("-")
	t := p.Peek()
	if t.Kind == Word {
		p.Next()
	} else if !t.Is(".") {
		return "", p.Syntax()
	}
	if p.Accept(".") && p.Peek().Kind == Word {
		p.Next()
	}
	text := p.SQL[start:p.Tokens[p.Pos-1].End]
	if strings.Trim(text, "-.eE0123456789") != "" {
		return "", SyntaxError(p.SQL, start)
	}
	return text, nil
}
