package accounts

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/privilege"
)

// Name names a user (with a host) or a role (without).
type Name struct {
	User string `json:"user"`
	Host string `json:"host,omitempty"`
}

// IsRole reports whether n has the form of a role's name.
func (n Name) IsRole() bool { return n.Host == "" }

// String is n as MariaDB writes it in errors: 'u'@'h', or the bare name of a role.
func (n Name) String() string {
	if n.IsRole() {
		return "'" + n.User + "'"
	}
	return "'" + n.User + "'@'" + n.Host + "'"
}

// Limits are an account's MAX_* limits; 0 is none. MaxUserConnections may be negative: none at all.
type Limits struct {
	Queries         uint64  `json:"queries,omitempty"`     // per hour
	Updates         uint64  `json:"updates,omitempty"`     // per hour
	Connections     uint64  `json:"connections,omitempty"` // per hour
	UserConnections int64   `json:"userConnections,omitempty"`
	StatementTime   float64 `json:"statementTime,omitempty"` // seconds
}

// Password lifetimes that are not a number of days.
const (
	LifetimeDefault = -1 // default_password_lifetime
	LifetimeNever   = 0
)

// Account is a user or a role.
type Account struct {
	Name
	Role   bool          `json:"role,omitempty"`
	Global privilege.Set `json:"global,omitempty"`

	Plugin      string    `json:"plugin,omitempty"` // mysql_native_password ...
	Auth        string    `json:"auth,omitempty"`   // the hash as the plugin writes it
	Changed     time.Time `json:"changed,omitzero"` // when the password was set
	Lifetime    int64     `json:"lifetime"`         // of the password, days, or Lifetime...
	Expired     bool      `json:"expired,omitempty"`
	Locked      bool      `json:"locked,omitempty"`
	Require     string    `json:"require,omitempty"` // "" or Require...
	Cipher      string    `json:"cipher,omitempty"`  // with RequireSpecified: what is not "" must be so
	Issuer      string    `json:"issuer,omitempty"`
	Subject     string    `json:"subject,omitempty"`
	Limits      Limits    `json:"limits,omitzero"`
	DefaultRole string    `json:"defaultRole,omitempty"`
}

// PasswordExpired reports whether the password must be changed, with default_password_lifetime in days.
func (a *Account) PasswordExpired(now time.Time, defaultDays uint64) bool {
	days := a.Lifetime
	if days == LifetimeDefault {
		days = int64(min(defaultDays, 1<<16))
	}
	return a.Expired || days > 0 && !now.Before(a.Changed.Add(time.Duration(days)*24*time.Hour))
}

// DBGrant are privileges for the databases that a pattern fits.
type DBGrant struct {
	Name
	DB    string        `json:"db"`
	Privs privilege.Set `json:"privs"`
}

// TableGrant are privileges for one table or view, and for columns of a table.
type TableGrant struct {
	Name
	DB      string        `json:"db"`
	Table   string        `json:"table"`
	Privs   privilege.Set `json:"privs"`
	Columns []ColumnGrant `json:"columns,omitempty"`
}

// ColumnGrant are privileges for one column of a table.
type ColumnGrant struct {
	Column string        `json:"column"`
	Privs  privilege.Set `json:"privs"`
}

// RoutineGrant are privileges for one procedure or function.
type RoutineGrant struct {
	Name
	DB       string        `json:"db"`
	Routine  string        `json:"routine"`
	Function bool          `json:"function,omitempty"`
	Privs    privilege.Set `json:"privs"`
}

// RoleGrant is a role given to a user or to another role.
type RoleGrant struct {
	Name
	Role  string `json:"role"`
	Admin bool   `json:"admin,omitempty"`
}

// Set is all of a server's accounts. The slices keep the order in which things were made.
type Set struct {
	Format   int            `json:"format"`
	Accounts []*Account     `json:"accounts"`
	DBs      []DBGrant      `json:"dbs,omitempty"`
	Tables   []TableGrant   `json:"tables,omitempty"`
	Routines []RoutineGrant `json:"routines,omitempty"`
	Roles    []RoleGrant    `json:"roles,omitempty"`
}

// format is the version of the stored form.
const format = 1

// New makes an empty set.
func New() *Set { return &Set{Format: format} }

// Decode reads the stored form.
func Decode(b []byte) (*Set, error) {
	s := &Set{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	if s.Format != format {
		return nil, fmt.Errorf("accounts: stored in format %d, this server knows %d", s.Format, format)
	}
	return s, nil
}

// IsStored reports whether b looks like the stored form.
func IsStored(b []byte) bool { return len(b) > 0 && b[0] == '{' }

// Encode makes the stored form.
func (s *Set) Encode() ([]byte, error) { return json.Marshal(s) }

// Clone makes a copy that can be changed.
func (s *Set) Clone() *Set {
	c := &Set{
		Format: s.Format, Accounts: make([]*Account, len(s.Accounts)), DBs: slices.Clone(s.DBs), Tables: slices.Clone(s.Tables),
		Routines: slices.Clone(s.Routines), Roles: slices.Clone(s.Roles),
	}
	for i, a := range s.Accounts {
		own := *a
		c.Accounts[i] = &own
	}
	for i := range c.Tables {
		c.Tables[i].Columns = slices.Clone(c.Tables[i].Columns)
	}
	return c
}

// Find finds an account by its name. Names of users and roles have case, those of hosts do not.
func (s *Set) Find(n Name) *Account {
	for _, a := range s.Accounts {
		if a.User == n.User && strings.EqualFold(a.Host, n.Host) {
			return a
		}
	}
	return nil
}

// Add adds an account.
func (s *Set) Add(a *Account) { s.Accounts = append(s.Accounts, a) }

// Drop removes an account and its grants.
func (s *Set) Drop(n Name) {
	s.Accounts = slices.DeleteFunc(s.Accounts, func(a *Account) bool { return a.Name == n })
	s.dropGrants(n)
	s.Roles = slices.DeleteFunc(s.Roles, func(g RoleGrant) bool { return g.Name == n || n.IsRole() && g.Role == n.User })
}

func (s *Set) dropGrants(n Name) {
	s.DBs = slices.DeleteFunc(s.DBs, func(g DBGrant) bool { return g.Name == n })
	s.Tables = slices.DeleteFunc(s.Tables, func(g TableGrant) bool { return g.Name == n })
	s.Routines = slices.DeleteFunc(s.Routines, func(g RoutineGrant) bool { return g.Name == n })
}

// RevokeAll takes every privilege and role from an account.
func (s *Set) RevokeAll(a *Account) {
	a.Global = 0
	s.dropGrants(a.Name)
	s.Roles = slices.DeleteFunc(s.Roles, func(g RoleGrant) bool { return g.Name == a.Name })
}

// Rename gives an account another name.
func (s *Set) Rename(from, to Name) {
	for _, a := range s.Accounts {
		if a.Name == from {
			a.Name = to
		}
	}
	for i := range s.DBs {
		rename(&s.DBs[i].Name, from, to)
	}
	for i := range s.Tables {
		rename(&s.Tables[i].Name, from, to)
	}
	for i := range s.Routines {
		rename(&s.Routines[i].Name, from, to)
	}
	for i := range s.Roles {
		rename(&s.Roles[i].Name, from, to)
	}
}

func rename(n *Name, from, to Name) {
	if *n == from {
		*n = to
	}
}

// Login finds the account that a client gets with a user name: the named account with the most
// specific host that fits, or the anonymous one.
func (s *Set) Login(user string, c Client) *Account {
	var fit []*Account
	for _, a := range s.Accounts {
		if !a.Role && (a.User == user || a.User == "") && matchHost(a.Host, c) {
			fit = append(fit, a)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	sort.SliceStable(fit, func(i, j int) bool { return moreSpecific(fit[i], fit[j]) })
	return fit[0]
}

// moreSpecific orders accounts that fit a client.
func moreSpecific(a, b *Account) bool {
	if c := hostSpecificity(a.Host).compare(hostSpecificity(b.Host)); c != 0 {
		return c > 0
	}
	if a.User != b.User {
		return a.User != ""
	}
	return a.Host > b.Host // localhost before the loopback addresses
}
