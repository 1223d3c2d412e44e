package account

import (
	"github.com/duramendb/duramen/query/accounts"
)

// Identity is who a session is.
type Identity struct {
	Account accounts.Name // that the client logged in to
	Client  accounts.Client
	Role    string // the active one, "" for none
	Expired bool   // the password must be changed first
	// User and Host are the client as USER() and errors name it.
	User, Host string
	// System is a session of the server itself, which may do everything; Account is then for whom it works.
	System bool
}

// Connection is what the network knows of a client.
type Connection struct {
	User, Host string
	IP         string // "" for the same as Host
	Expired    bool
	// Named says that hosts have names (not skip_name_resolve).
	Named bool
}

// Identify finds the account of a new connection; its default role becomes the active one. The host that
// the session shows is localhost for loopback addresses, as with MariaDB's look-up of names.
func Identify(set *accounts.Set, c Connection) Identity {
	if c.IP == "" {
		c.IP = c.Host
	}
	id := Identity{
		Account: accounts.Name{User: c.User, Host: c.Host}, Client: accounts.ClientOf(c.IP), User: c.User, Host: c.Host,
	}
	if id.Client.Name != "" && c.Named {
		id.Host = id.Client.Name
	}
	a := set.Login(c.User, id.Client)
	if a == nil {
		return id
	}
	id.Account, id.Expired = a.Name, c.Expired
	if set.HasRole(a.Name, a.DefaultRole) {
		id.Role = a.DefaultRole
	}
	return id
}

// Own is the client with its own privileges.
func (id *Identity) Own() accounts.Subject {
	return accounts.Subject{Account: id.Account, Client: id.Client, Role: id.Role, System: id.System}
}
