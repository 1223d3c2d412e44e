package account

import (
	"context"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// Session is what a statement about accounts asks of the session that runs it.
type Session interface {
	// Identity is who the client is. SET ROLE and SET PASSWORD change it.
	Identity() *Identity
	// Subject is whose privileges count.
	Subject() accounts.Subject
	// DB is the current database, "" for none.
	DB() string
	// GrantCreates reports whether GRANT makes users that are not there without a password (sql_mode without NO_AUTO_CREATE_USER).
	GrantCreates() bool
	// HasTable reports whether there is a table or view; HasProcedure is the same for procedures.
	HasTable(db, name string) bool
	// Columns are the names of a table's columns, nil if there is no such table (views are none).
	Columns(db, name string) []string
	HasProcedure(db, name string) bool
	// SHA2Hash is a password as caching_sha2_password stores it.
	SHA2Hash(password string) (string, error)
	// Change changes the accounts in a transaction of its own, which the log has as a statement.
	Change(ctx context.Context, logged dialect.Statement, change func(*accounts.Set) error) error
	// Warn adds a warning; its level is Note or Error.
	Warn(level string, number uint16, message string)
}

// Listing is the result of a SHOW: one column of text.
type Listing struct {
	Title string
	Lines []string
}

// Runs reports whether a statement is one for Run.
func Runs(st dialect.Statement) bool { return (&run{}).of(st) != nil }

// Run runs a statement about accounts. What it yields is nil for one without a result.
func Run(ctx context.Context, store *Store, s Session, st dialect.Statement) (*Listing, error) {
	r := &run{Session: s, store: store}
	return r.of(st)(ctx)
}

// run is a statement that runs.
type run struct {
	Session
	store *Store
}

// of is how a statement runs; nil for one that is not about accounts.
func (r *run) of(st dialect.Statement) func(context.Context) (*Listing, error) {
	var do func(context.Context) error
	switch st := st.(type) {
	case dialect.ShowGrants:
		return func(context.Context) (*Listing, error) { return r.showGrants(st) }
	case dialect.ShowCreateUser:
		return func(context.Context) (*Listing, error) { return r.showCreateUser(st) }
	case dialect.CreateUser:
		do = func(ctx context.Context) error { return r.createUser(ctx, st) }
	case dialect.AlterUser:
		do = func(ctx context.Context) error { return r.alterUser(ctx, st) }
	case dialect.DropUser:
		do = func(ctx context.Context) error { return r.dropUser(ctx, st) }
	case dialect.RenameUser:
		do = func(ctx context.Context) error { return r.renameUser(ctx, st) }
	case dialect.SetPassword:
		do = func(ctx context.Context) error { return r.setPassword(ctx, st) }
	case dialect.CreateRole:
		do = func(ctx context.Context) error { return r.createRole(ctx, st) }
	case dialect.DropRole:
		do = func(ctx context.Context) error { return r.dropRole(ctx, st) }
	case dialect.SetRole:
		do = func(context.Context) error { return r.setRole(st) }
	case dialect.SetDefaultRole:
		do = func(ctx context.Context) error { return r.setDefaultRole(ctx, st) }
	case dialect.GrantRole:
		do = func(ctx context.Context) error { return r.grantRole(ctx, st) }
	case dialect.RevokeRole:
		do = func(ctx context.Context) error { return r.revokeRole(ctx, st) }
	case dialect.Grant:
		do = func(ctx context.Context) error { return r.grant(ctx, st) }
	case dialect.Revoke:
		do = func(ctx context.Context) error { return r.revoke(ctx, st) }
	case dialect.RevokeEverything:
		do = func(ctx context.Context) error { return r.revokeEverything(ctx, st) }
	default:
		return nil
	}
	return func(ctx context.Context) (*Listing, error) { return nil, do(ctx) }
}

// mention is an account that a statement names: bare without a host, which is a role or a user of host %.
type mention struct {
	accounts.Name
	bare bool
}

// resolve says what a bare name means: a role if there is one, else a user.
func (n mention) resolve(set *accounts.Set) accounts.Name {
	if n.bare {
		if role := set.Find(accounts.Name{User: n.User}); role != nil && role.Role {
			return role.Name
		}
	}
	return n.user()
}

// user is the user of that name.
func (n mention) user() accounts.Name {
	if n.bare {
		return accounts.Name{User: n.User, Host: "%"}
	}
	return n.Name
}

// named is the account that a statement names, its own client's where it names none.
func (r *run) named(a dialect.Account) (mention, error) {
	id := r.Identity()
	switch a.Form {
	case dialect.NamedAccount:
		return mention{Name: accounts.Name{User: a.User, Host: a.Host}}, nil
	case dialect.BareAccount:
		return mention{Name: accounts.Name{User: a.User}, bare: true}, nil
	case dialect.CurrentRole:
		if id.Role == "" {
			return mention{}, mysqlerr.New(mysqlerr.InvalidRole, "NONE")
		}
		return mention{Name: accounts.Name{User: id.Role}, bare: true}, nil
	}
	return mention{Name: id.Account}, nil
}

func (r *run) allNamed(list []dialect.Account) ([]mention, error) {
	out := make([]mention, len(list))
	for i, a := range list {
		var err error
		if out[i], err = r.named(a); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// users are the names of users; a bare one has the host %.
func (r *run) users(list []dialect.Account) ([]accounts.Name, error) {
	all, err := r.allNamed(list)
	if err != nil {
		return nil, err
	}
	out := make([]accounts.Name, len(all))
	for i, n := range all {
		out[i] = n.user()
	}
	return out, nil
}

// accountsOf are the accounts of a list with passwords.
func accountsOf(list []dialect.User) []dialect.Account {
	out := make([]dialect.Account, len(list))
	for i, u := range list {
		out[i] = u.Account
	}
	return out
}

// asAccount is a name as a statement writes it out.
func asAccount(n accounts.Name) dialect.Account {
	return dialect.Account{Form: dialect.NamedAccount, User: n.User, Host: n.Host}
}

// requireOn checks the privilege CREATE USER, for which another one on database mysql may stand.
func (r *run) requireOn(onMySQL privilege.Set) error {
	set, sub := r.store.Set(), r.Subject()
	if set.Global(sub).Has(privilege.CreateUser) || set.May(sub, "mysql", "", onMySQL) {
		return nil
	}
	return mysqlerr.New(mysqlerr.SpecificAccessDenied, "CREATE USER")
}

// requireMySQL checks a privilege on database mysql, with the error that MariaDB has for it.
func (r *run) requireMySQL(p privilege.Set) error {
	if r.store.Set().May(r.Subject(), "mysql", "", p) {
		return nil
	}
	return r.databaseDenied("mysql")
}

// databaseDenied is error 1044, which names the account.
func (r *run) databaseDenied(db string) error {
	n := r.Identity().Account
	return mysqlerr.New(mysqlerr.DBAccessDenied, n.User, n.Host, db)
}

// Numbers of notes.
const (
	userExists  = 1973
	roleMissing = 1976
)

// note adds a warning of level Note.
func (r *run) note(number uint16, format string, args ...any) {
	r.Warn("Note", number, fmt.Sprintf(format, args...))
}

func cannot(what string, failed []string) error {
	return mysqlerr.New(mysqlerr.CannotUser, what, strings.Join(failed, ","))
}
