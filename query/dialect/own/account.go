package own

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// The longest names, as in MariaDB: characters of a user or role, bytes of a host.
const (
	userLengthMax = 128
	hostLengthMax = 255
)

func checkUserLength(name string) error {
	if utf8.RuneCountInString(name) > userLengthMax {
		return tooLong(name, "user name", userLengthMax)
	}
	return nil
}

func tooLong(name, what string, limit int) error {
	return mysqlerr.Newf(mysqlerr.WrongStringLength, "String '%s' is too long for %s (should be no longer than %d)", name, what, limit)
}

// account is a user or role; nil is none.
func account(n *tree.Account) (dialect.Account, error) {
	switch {
	case n == nil:
		return dialect.Account{}, nil
	case n.Kind == tree.CurrentUser:
		return dialect.Account{Form: dialect.CurrentUser}, nil
	case n.Kind == tree.CurrentRole:
		return dialect.Account{Form: dialect.CurrentRole}, nil
	}
	a := dialect.Account{Form: dialect.BareAccount, User: n.Name}
	if n.HasHost {
		a.Form, a.Host = dialect.NamedAccount, strings.ToLower(n.Host)
		if a.Host == "" {
			a.Host = "%"
		}
		if len(a.Host) > hostLengthMax {
			return dialect.Account{}, tooLong(a.Host, "host name", hostLengthMax)
		}
	}
	return a, checkUserLength(a.User)
}

// each makes values of a list.
func each[T, V any](all []T, one func(T) (V, error)) ([]V, error) {
	out := make([]V, len(all))
	for i, n := range all {
		var err error
		if out[i], err = one(n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// role is the name of a role. NONE and PUBLIC cannot be one.
func role(name string) (string, error) {
	if name == "" || strings.EqualFold(name, "NONE") || strings.EqualFold(name, "PUBLIC") {
		return "", mysqlerr.New(mysqlerr.InvalidRole, strings.ToUpper(name))
	}
	return name, checkUserLength(name)
}

func roleOf(n *tree.Account) (string, error) {
	if n.Kind == tree.CurrentRole {
		return "", notYet("CURRENT_ROLE in place of the name of a role")
	}
	return role(n.Name)
}

// user is an account with its password.
func user(n *tree.UserSpec) (u dialect.User, err error) {
	if u.Account, err = account(n.Account); err != nil {
		return u, err
	}
	u.Password, err = password(n)
	return u, err
}

// bareUser is an account that must not say how it logs in.
func bareUser(n *tree.UserSpec) (dialect.Account, error) {
	if n.Password != nil || n.Hash != nil || n.Auth != nil {
		return dialect.Account{}, notYet("IDENTIFIED in a GRANT of a role")
	}
	return account(n.Account)
}

func password(n *tree.UserSpec) (dialect.Password, error) {
	w := dialect.Password{Plugin: dialect.NativePlugin}
	switch {
	case n.Password != nil:
		w.Form, w.Text = dialect.ClearPassword, *n.Password
	case n.Hash != nil:
		w.Form, w.Text = dialect.HashedPassword, *n.Hash
	case len(n.Auth) > 1:
		return w, notYet("IDENTIFIED VIA more than one plugin")
	case n.Auth == nil:
		return dialect.Password{}, nil
	default:
		a := n.Auth[0]
		if w.Form = dialect.PluginOnly; !strings.EqualFold(a.Name.Text, dialect.NativePlugin) {
			w.Plugin = a.Name.Text
		}
		switch {
		case a.Password != nil:
			w.Form, w.Text = dialect.ClearPassword, *a.Password
		case a.Using != nil:
			w.Form, w.Text = dialect.HashedPassword, *a.Using
		}
	}
	return w, nil
}

func userOptions(n *tree.AccountOptions) (o dialect.UserOptions, err error) {
	o.Require = required(n)
	if o.Limits, err = limits(n.Limits); err != nil {
		return o, err
	}
	switch n.Lock {
	case "LOCK":
		o.Lock = dialect.LockAccount
	case "UNLOCK":
		o.Lock = dialect.UnlockAccount
	}
	if n.Expire == nil {
		return o, nil
	}
	switch n.Expire.How {
	case "":
		o.Expiry = dialect.ExpireNow
	case "NEVER":
		o.Expiry = dialect.ExpireNever
	case "DEFAULT":
		o.Expiry = dialect.ExpireDefault
	default:
		days, err := number(n.Expire.Days)
		if err != nil {
			return o, err
		}
		if days == 0 || days > 1<<16-1 {
			return o, mysqlerr.Newf(mysqlerr.NoSuchKeyValue, "Incorrect DAY value: '%d'", days)
		}
		o.Expiry, o.Interval = dialect.ExpireInterval, uint16(days)
	}
	return o, nil
}

func required(n *tree.AccountOptions) dialect.Require {
	switch n.Require {
	case "NONE":
		return dialect.Require{Form: dialect.RequireNone}
	case "SSL":
		return dialect.Require{Form: dialect.RequireSSL}
	case "X509":
		return dialect.Require{Form: dialect.RequireX509}
	}
	if n.RequireList == nil {
		return dialect.Require{}
	}
	r := dialect.Require{Form: dialect.RequireSpecified}
	for _, o := range n.RequireList {
		switch o.Name {
		case "CIPHER":
			r.Cipher = o.Value.Text
		case "ISSUER":
			r.Issuer = o.Value.Text
		case "SUBJECT":
			r.Subject = o.Value.Text
		}
	}
	return r
}

func limits(all []*tree.Option) (l dialect.Limits, err error) {
	for _, o := range all {
		if err := oneLimit(o.Name, o.Value.Text, &l); err != nil {
			return l, err
		}
	}
	return l, nil
}

func oneLimit(name, value string, l *dialect.Limits) error {
	wrong := mysqlerr.New(mysqlerr.WrongValueForVar, name, value)
	switch name {
	case "MAX_STATEMENT_TIME":
		const secondsMax = 31536000 // a year
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || f > secondsMax {
			return wrong
		}
		l.StatementTime = dialect.UserLimit[float64]{Said: true, Value: f}
		return nil
	case "MAX_USER_CONNECTIONS":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return wrong
		}
		l.UserConnections = dialect.UserLimit[int64]{Said: true, Value: max(min(n, 1<<31-1), -1)}
		return nil
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return wrong
	}
	said := dialect.UserLimit[uint64]{Said: true, Value: min(n, 1<<32-1)}
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
