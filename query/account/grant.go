package account

import (
	"context"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// target is what privileges are granted on, with the database written out.
type target struct {
	db, name string // "": everything
	routine  bool
	function bool
	level    privilege.Set // what can be granted there
	columns  []accounts.ColumnGrant
}

// levels are what can be granted on the kinds of targets.
var levels = map[dialect.TargetKind]privilege.Set{
	dialect.OnEverything: privilege.All, dialect.OnDatabase: privilege.OnDatabase, dialect.OnTable: privilege.OnTable,
	dialect.OnFunction: privilege.OnRoutine, dialect.OnProcedure: privilege.OnRoutine,
}

func (r *run) target(on dialect.Target) (target, error) {
	t := target{
		db: on.DB, name: on.Name, level: levels[on.Kind],
		routine: on.Kind == dialect.OnFunction || on.Kind == dialect.OnProcedure, function: on.Kind == dialect.OnFunction,
	}
	if on.Kind == dialect.OnEverything {
		return t, nil
	}
	if t.db == "" {
		if t.db = r.DB(); t.db == "" {
			return t, mysqlerr.New(mysqlerr.NoDB)
		}
	}
	if strings.EqualFold(t.db, "information_schema") {
		return t, r.databaseDenied(t.db)
	}
	return t, nil
}

// wanted are the privileges of a list, at the target's level.
func (t *target) wanted(l dialect.PrivilegeList, grantOption bool) (privilege.Set, error) {
	var p privilege.Set
	if grantOption {
		p = privilege.Grant
	}
	if l.All {
		return p | t.level&^privilege.Grant, nil
	}
	for _, name := range l.Names {
		one, _ := privilege.Named(name) // dialect takes none that is not known
		p |= one
	}
	if l.OnColumns != nil && t.level != privilege.OnTable {
		return 0, mysqlerr.New(mysqlerr.IllegalGrantForTable)
	}
	for _, on := range l.OnColumns {
		one, _ := privilege.Named(on.Name)
		for _, c := range on.Columns {
			t.columns = append(t.columns, accounts.ColumnGrant{Column: c, Privs: one})
		}
	}
	switch {
	case p&^t.level == 0:
		return p, nil
	case t.level == privilege.OnDatabase:
		return 0, mysqlerr.New(mysqlerr.WrongUsage, "DB GRANT", "GLOBAL PRIVILEGES")
	}
	return 0, mysqlerr.New(mysqlerr.IllegalGrantForTable)
}

// checkGrant checks that the client has what it wants to grant or revoke, and may grant it.
func (r *run) checkGrant(set *accounts.Set, t target, p privilege.Set) error {
	sub, id := r.Subject(), r.Identity()
	need := p | privilege.Grant
	have := set.Global(sub)
	if have.Has(need) {
		return nil
	}
	if t.db == "" {
		using := "YES"
		if a := set.Find(sub.Account); a == nil || a.Auth == "" {
			using = "NO"
		}
		return mysqlerr.New(mysqlerr.AccessDenied, id.User, id.Host, using)
	}
	if t.name == "" {
		// A pattern may be granted by those who have the same one, or all.
		have |= patternPrivs(set, sub, t.db)
		if have.Has(need) {
			return nil
		}
		return r.databaseDenied(t.db)
	}
	have |= set.DB(sub, t.db)
	if t.routine {
		if have |= set.Routine(sub, t.db, t.name, t.function); have.Has(need) {
			return nil
		}
		return mysqlerr.New(mysqlerr.ProcAccessDenied, "execute", id.User, id.Host, t.db+"."+t.name)
	}
	have |= set.Table(sub, t.db, t.name)
	for _, c := range t.columns {
		need |= c.Privs &^ set.Column(sub, t.db, t.name, c.Column)
	}
	if have.Has(need) {
		return nil
	}
	return mysqlerr.New(mysqlerr.TableAccessDenied, (need &^ have).String(), id.User, id.Host, t.db, t.name)
}

// patternPrivs are the privileges that a user has on all databases that a pattern fits.
func patternPrivs(set *accounts.Set, sub accounts.Subject, pattern string) privilege.Set {
	if !accounts.IsPattern(pattern) {
		return set.DB(sub, accounts.Unescape(pattern))
	}
	return set.PatternDB(sub, pattern)
}

// give grants privileges to one account.
func (t *target) give(set *accounts.Set, a *accounts.Account, p privilege.Set) {
	switch {
	case t.db == "":
		a.Global |= p
	case t.routine:
		set.GrantRoutine(a.Name, t.db, t.name, t.function, p)
	case t.name != "":
		set.GrantTable(a.Name, t.db, t.name, p, t.columns...)
	default:
		set.GrantDB(a.Name, t.db, p)
	}
}

// take revokes privileges from one account; false if there is no such grant.
func (t *target) take(set *accounts.Set, a *accounts.Account, p privilege.Set) bool {
	switch {
	case t.db == "":
		a.Global &^= p
		return true
	case t.routine:
		return set.RevokeRoutine(a.Name, t.db, t.name, t.function, p)
	case t.name != "":
		return set.RevokeTable(a.Name, t.db, t.name, p, t.columns...)
	}
	return set.RevokeDB(a.Name, t.db, p)
}

// targetExists checks that there is a table or routine to grant on. CREATE may be granted on a table
// that is still to come.
func (r *run) targetExists(t target, p privilege.Set) error {
	switch {
	case t.name == "":
		return nil
	case t.routine:
		if t.function || !r.HasProcedure(t.db, t.name) {
			return mysqlerr.Newf(mysqlerr.SPDoesNotExist, "FUNCTION or PROCEDURE %s does not exist", t.name)
		}
		return nil
	case t.columns != nil:
		return r.columnsExist(t)
	case p.Has(privilege.Create) || r.HasTable(t.db, t.name):
		return nil
	}
	return mysqlerr.New(mysqlerr.NoSuchTable, t.db, t.name)
}

// columnsExist checks the columns of a GRANT. Those of a view are not known here.
func (r *run) columnsExist(t target) error {
	columns := r.Columns(t.db, t.name)
	switch {
	case columns != nil:
	case r.HasTable(t.db, t.name):
		return mysqlerr.NotYet("privileges on columns of a view or of a system table (grant them on the whole view)")
	default:
		return mysqlerr.New(mysqlerr.NoSuchTable, t.db, t.name)
	}
	for _, c := range t.columns {
		if !slices.ContainsFunc(columns, func(name string) bool { return strings.EqualFold(name, c.Column) }) {
			return mysqlerr.New(mysqlerr.BadField, c.Column, t.name)
		}
	}
	return nil
}

func (r *run) grant(ctx context.Context, st dialect.Grant) error {
	t, err := r.target(st.On)
	if err != nil {
		return err
	}
	to, err := r.allNamed(accountsOf(st.To))
	if err != nil {
		return err
	}
	if err := checkPasswords(st.To); err != nil {
		return err
	}
	p, err := t.wanted(st.Privileges, st.Option)
	if err != nil {
		return err
	}
	if st, err = st.Hashed(r.hash); err != nil {
		return err
	}
	changes := st.Require.Form != dialect.NoRequire || st.Limits != (dialect.Limits{})
	return r.Change(ctx, st, func(set *accounts.Set) error {
		if err := r.checkGrant(set, t, p); err != nil {
			return err
		}
		if err := r.targetExists(t, p); err != nil {
			return err
		}
		for i, who := range to {
			a, err := r.grantee(set, who.resolve(set), st.To[i].Password, changes)
			if err != nil {
				return err
			}
			setRequire(a, st.Require)
			setLimits(a, st.Limits)
			if p != 0 || t.columns != nil {
				t.give(set, a, p)
			}
		}
		return nil
	})
}

// grantee finds the account of a GRANT, or makes it where that is allowed. changes says that the
// statement changes more of it than privileges.
func (r *run) grantee(set *accounts.Set, n accounts.Name, w dialect.Password, changes bool) (*accounts.Account, error) {
	a := set.Find(n)
	sub := r.Subject()
	admin := set.Global(sub).Has(privilege.CreateUser) || set.May(sub, "mysql", "", privilege.Update)
	hasPassword := w.Form != dialect.NoPassword
	switch {
	case a == nil && !hasPassword && !r.GrantCreates():
		return nil, mysqlerr.New(mysqlerr.PasswordNoMatch)
	case a == nil && !admin:
		return nil, mysqlerr.New(mysqlerr.CantCreateUserWithGrant)
	case a == nil:
		a = newUser(n)
		set.Add(a)
	case a.Role && (hasPassword || changes):
		return nil, cannot("GRANT", []string{n.String()})
	case (hasPassword && n != r.Identity().Account || changes) && !admin:
		return nil, r.databaseDenied("mysql")
	}
	setPassword(a, w)
	return a, nil
}

func (r *run) revoke(ctx context.Context, st dialect.Revoke) error {
	t, err := r.target(st.On)
	if err != nil {
		return err
	}
	from, err := r.allNamed(st.From)
	if err != nil {
		return err
	}
	p, err := t.wanted(st.Privileges, false)
	if err != nil {
		return err
	}
	return r.Change(ctx, st, func(set *accounts.Set) error {
		if err := r.checkGrant(set, t, p); err != nil {
			return err
		}
		for _, who := range from {
			n := who.resolve(set)
			a := set.Find(n)
			if a == nil {
				return mysqlerr.New(mysqlerr.NonexistingGrant, n.User, n.Host)
			}
			if !t.take(set, a, p) {
				return noSuchGrant(n, t)
			}
		}
		return nil
	})
}

func noSuchGrant(n accounts.Name, t target) error {
	switch {
	case t.routine:
		return mysqlerr.New(mysqlerr.NonexistingProcGrant, n.User, n.Host, t.name)
	case t.name != "":
		return mysqlerr.New(mysqlerr.NonexistingTableGrant, n.User, n.Host, t.name)
	}
	return mysqlerr.New(mysqlerr.NonexistingGrant, n.User, n.Host)
}

// revokeEverything takes the roles, too.
func (r *run) revokeEverything(ctx context.Context, st dialect.RevokeEverything) error {
	from, err := r.allNamed(st.From)
	if err != nil {
		return err
	}
	if err := r.requireOn(privilege.Update); err != nil {
		return err
	}
	return r.Change(ctx, st, func(set *accounts.Set) error {
		for _, who := range from {
			a := set.Find(who.resolve(set))
			if a == nil {
				return mysqlerr.New(mysqlerr.CannotRevokeAll)
			}
			set.RevokeAll(a)
		}
		return nil
	})
}
