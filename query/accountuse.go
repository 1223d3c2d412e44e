package query

import (
	"sync"
	"time"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// accountUse counts what accounts use, for their limits. There is at most one entry for each account;
// entries go with their accounts, and on FLUSH USER_RESOURCES.
type accountUse struct {
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
func (u *accountUse) get(n accounts.Name) *usage {
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
func (u *accountUse) forget(set *accounts.Set) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for n, one := range u.of {
		if one.open == 0 && set.Find(n) == nil {
			delete(u.of, n)
		}
	}
}

// flush is FLUSH USER_RESOURCES: the hour begins anew for everybody.
func (u *accountUse) flush() {
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

// forgive forgets the wrong passwords of one account, or of all (nil).
func (u *accountUse) forgive(n *accounts.Name) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for have, one := range u.of {
		if n == nil || have == *n {
			one.wrong = 0
		}
	}
}

// password notes the outcome of an authentication.
func (u *accountUse) password(a Account, right bool) {
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
func (u *accountUse) blocked(a *accounts.Account, host string, limit uint64) bool {
	if accounts.ClientOf(host).Name == "localhost" && a.Global.Has(privilege.ConnectionAdmin) {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	one := u.of[a.Name]
	return one != nil && one.wrong >= limit
}

// connect counts a new connection of an account, or refuses it. global is max_user_connections.
func (u *accountUse) connect(a *accounts.Account, global int64, admin bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	one, l := u.get(a.Name), a.Limits
	switch {
	case admin:
	case l.UserConnections < 0 || l.UserConnections > 0 && one.open >= l.UserConnections:
		return overLimit(a, "max_user_connections", uint64(max(l.UserConnections, 0)))
	case l.UserConnections == 0 && global != 0 && one.open >= max(global, 0):
		return mysqlerr.New(mysqlerr.TooManyUserConnections, a.User)
	}
	if l.Connections != 0 && one.connections >= l.Connections {
		return overLimit(a, "max_connections_per_hour", l.Connections)
	}
	one.open++
	one.connections++
	return nil
}

// disconnect is the end of a connection that connect counted.
func (u *accountUse) disconnect(n accounts.Name) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if one := u.of[n]; one != nil && one.open > 0 {
		one.open--
	}
}

// statement counts a statement of an account, or refuses it.
func (u *accountUse) statement(a *accounts.Account, updates bool) error {
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
