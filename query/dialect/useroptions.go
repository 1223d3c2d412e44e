package dialect

import (
	"strconv"
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
