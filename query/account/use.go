package account

import (
	"sync"
	"time"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Use counts what accounts use, for their limits. There is at most one entry for each account;
// entries go with their accounts, and on FLUSH USER_RESOURCES.
type Use struct {
	mu sync.Mutex
	of map[accounts.Name]*usage
}

// usage is what one account has used.
type usage struct {
	open        int64     // connections now
	hour        time.Time // when counting of the following began
	connections uint64
	queries     uint64
	updates     uint64
	wrong       uint64 // passwords since the last right one
}

// get finds the counters of an account, with the hour that is now. u.mu is held.
func (u *Use) get(n accounts.Name) *usage {
	if u.of == nil {
		u.of = map[accounts.Name]*usage{}
	}
	one := u.of[n]
	if one == nil {
		one = &usage{hour: time.Now()}
		u.of[n] = one
	}
	if time.Since(one.hour) >= time.Hour {
		one.hour = time.Now()
		one.connections, one.queries, one.updates = 0, 0, 0
	}
	return one
}

// forget removes the counters of accounts that are no more.
func (u *Use) forget(set *accounts.Set) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for n, one := range u.of {
		if one.open == 0 && set.Find(n) == nil {
			delete(u.of, n)
		}
	}
}

// Flush is FLUSH USER_RESOURCES: the hour begins anew for everybody.
func (u *Use) Flush() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for n, one := range u.of {
		if one.open == 0 && one.wrong == 0 {
			delete(u.of, n)
			continue
		}
		one.connections, one.queries, one.updates = 0, 0, 0
	}
}

// Forgive forgets the wrong passwords of an account.
func (u *Use) Forgive(n accounts.Name) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if one := u.of[n]; one != nil {
		one.wrong = 0
	}
}

// ForgiveAll is FLUSH PRIVILEGES: it forgets all wrong passwords.
func (u *Use) ForgiveAll() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, one := range u.of {
		one.wrong = 0
	}
}

// PasswordTried notes the outcome of an authentication.
func (u *Use) PasswordTried(a Login, right bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := accounts.Name{User: a.User, Host: a.Host}
	switch one := u.of[n]; {
	case !right:
		u.get(n).wrong++
	case one != nil:
		one.wrong = 0
	}
}

// blocked reports whether an account had too many wrong passwords. Who may administer connections is
// never blocked on the server's own host, as in MariaDB.
func (u *Use) blocked(a *accounts.Account, host string, limit uint64) bool {
	if accounts.ClientOf(host).Name == "localhost" && a.Global.Has(privilege.ConnectionAdmin) {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	one := u.of[a.Name]
	return one != nil && one.wrong >= limit
}

// connect counts a new connection of an account, or refuses it. most is max_user_connections.
func (u *Use) connect(a *accounts.Account, most int64, admin bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	one, l := u.get(a.Name), a.Limits
	switch {
	case admin:
	case l.UserConnections < 0 || l.UserConnections > 0 && one.open >= l.UserConnections:
		return overLimit(a, "max_user_connections", uint64(max(l.UserConnections, 0)))
	case l.UserConnections == 0 && most != 0 && one.open >= max(most, 0):
		return mysqlerr.New(mysqlerr.TooManyUserConnections, a.User)
	}
	if l.Connections != 0 && one.connections >= l.Connections {
		return overLimit(a, "max_connections_per_hour", l.Connections)
	}
	one.open++
	one.connections++
	return nil
}

// Disconnect is the end of a connection that connect counted.
func (u *Use) Disconnect(n accounts.Name) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if one := u.of[n]; one != nil && one.open > 0 {
		one.open--
	}
}

// statement counts a statement of an account, or refuses it.
func (u *Use) statement(a *accounts.Account, updates bool) error {
	l := a.Limits
	if l.Queries == 0 && l.Updates == 0 {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	one := u.get(a.Name)
	if l.Queries != 0 {
		if one.queries >= l.Queries {
			return overLimit(a, "max_queries_per_hour", l.Queries)
		}
		one.queries++
	}
	if l.Updates != 0 && updates {
		if one.updates >= l.Updates {
			return overLimit(a, "max_updates_per_hour", l.Updates)
		}
		one.updates++
	}
	return nil
}

func overLimit(a *accounts.Account, what string, limit uint64) error {
	return mysqlerr.New(mysqlerr.UserLimitReached, a.User, what, limit)
}
