package query

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
)

// staticPrivileges are go-mysql-server's names of privileges.
var staticPrivileges = map[sql.PrivilegeType]privilege.Set{
	sql.PrivilegeType_Select: privilege.Select, sql.PrivilegeType_Insert: privilege.Insert,
	sql.PrivilegeType_Update: privilege.Update, sql.PrivilegeType_Delete: privilege.Delete,
	sql.PrivilegeType_Create: privilege.Create, sql.PrivilegeType_Drop: privilege.Drop,
	sql.PrivilegeType_Reload: privilege.Reload, sql.PrivilegeType_Shutdown: privilege.Shutdown,
	sql.PrivilegeType_Process: privilege.Process, sql.PrivilegeType_File: privilege.File,
	sql.PrivilegeType_GrantOption: privilege.Grant, sql.PrivilegeType_References: privilege.References,
	sql.PrivilegeType_Index: privilege.Index, sql.PrivilegeType_Alter: privilege.Alter,
	sql.PrivilegeType_ShowDB: privilege.ShowDatabases, sql.PrivilegeType_Super: privilege.Super,
	sql.PrivilegeType_CreateTempTable: privilege.CreateTemporary, sql.PrivilegeType_LockTables: privilege.LockTables,
	sql.PrivilegeType_Execute: privilege.Execute, sql.PrivilegeType_ReplicationSlave: privilege.ReplicationSlave,
	sql.PrivilegeType_ReplicationClient: privilege.BinlogMonitor, sql.PrivilegeType_CreateView: privilege.CreateView,
	sql.PrivilegeType_ShowView: privilege.ShowView, sql.PrivilegeType_CreateRoutine: privilege.CreateRoutine,
	sql.PrivilegeType_AlterRoutine: privilege.AlterRoutine, sql.PrivilegeType_CreateUser: privilege.CreateUser,
	sql.PrivilegeType_Event: privilege.Event, sql.PrivilegeType_Trigger: privilege.Trigger,
	sql.PrivilegeType_CreateTablespace: privilege.CreateTablespace,
	// MariaDB asks for CREATE USER where MySQL has privileges of their own.
	sql.PrivilegeType_CreateRole: privilege.CreateUser, sql.PrivilegeType_DropRole: privilege.CreateUser,
}

// privOf is MariaDB's privilege of one of go-mysql-server's; 0 if there is none.
func privOf(p sql.PrivilegeType) privilege.Set { return staticPrivileges[p] }

// staticOf are go-mysql-server's privileges of some of MariaDB's. SUPER is left out, because
// go-mysql-server takes it for all others.
func staticOf(p privilege.Set) []sql.PrivilegeType {
	var out []sql.PrivilegeType
	for theirs, ours := range staticPrivileges {
		if p.Has(ours) && theirs != sql.PrivilegeType_Super {
			out = append(out, theirs)
		}
	}
	return out
}

// everything is what an account must have to be go-mysql-server's superuser.
const everything = privilege.All &^ privilege.Grant

// globalInto adds privileges on *.* to a set of go-mysql-server's.
func globalInto(ps mysql_db.PrivilegeSet, p privilege.Set) {
	ps.AddGlobalStatic(staticOf(p)...)
	if p.Has(everything) {
		ps.AddGlobalStatic(sql.PrivilegeType_Super)
	}
}

// mirrorAccounts makes go-mysql-server's accounts those of a set. Their change makes sessions compute
// their privileges anew.
func (e *Engine) mirrorAccounts(set *accounts.Set) error {
	db := e.gms.Analyzer.Catalog.MySQLDb
	ed := db.Editor()
	defer ed.Close()
	var users []mysql_db.UserPrimaryKey
	var edges []mysql_db.RoleEdgesPrimaryKey
	ed.VisitUsers(func(u *mysql_db.User) { users = append(users, mysql_db.UserPrimaryKey{Host: u.Host, User: u.User}) })
	ed.VisitRoleEdges(func(r *mysql_db.RoleEdge) {
		edges = append(edges, mysql_db.RoleEdgesPrimaryKey{FromHost: r.FromHost, FromUser: r.FromUser, ToHost: r.ToHost, ToUser: r.ToUser})
	})
	for _, k := range users {
		ed.RemoveUser(k)
	}
	for _, k := range edges {
		ed.RemoveRoleEdge(k)
	}
	for _, a := range set.Accounts {
		ed.PutUser(mirrorOf(set, a))
	}
	for _, g := range set.Roles {
		ed.PutRoleEdge(&mysql_db.RoleEdge{FromUser: g.Role, ToHost: g.Host, ToUser: g.User, WithAdminOption: g.Admin})
	}
	return nil
}

func mirrorOf(set *accounts.Set, a *accounts.Account) *mysql_db.User {
	ps := mysql_db.NewPrivilegeSet()
	globalInto(ps, a.Global)
	if a.Global.Has(privilege.Super) {
		ps.AddGlobalStatic(sql.PrivilegeType_Super)
	}
	for _, g := range set.DBs {
		if g.Name == a.Name {
			ps.AddDatabase(g.DB, staticOf(g.Privs)...)
		}
	}
	for _, g := range set.Tables {
		if g.Name == a.Name {
			ps.AddTable(g.DB, g.Table, staticOf(g.Privs)...)
		}
	}
	for _, g := range set.Routines {
		if g.Name == a.Name {
			ps.AddRoutine(g.DB, g.Routine, !g.Function, staticOf(g.Privs)...)
		}
	}
	u := &mysql_db.User{
		User: a.User, Host: a.Host, PrivilegeSet: ps, Plugin: a.Plugin, AuthString: a.Auth, PasswordLastChanged: a.Changed,
		Locked: a.Locked, IsRole: a.Role, SslCipher: a.Cipher, X509Issuer: a.Issuer, X509Subject: a.Subject,
	}
	switch a.Require {
	case accounts.RequireSSL:
		u.SslType = "ANY"
	case "":
	default:
		u.SslType = a.Require
	}
	return u
}

// addEarlier adds an account of go-mysql-server's to a set.
func addEarlier(set *accounts.Set, u *mysql_db.User) {
	a := &accounts.Account{
		Name: accounts.Name{User: u.User, Host: u.Host}, Plugin: u.Plugin, Auth: u.AuthString, Locked: u.Locked,
		Lifetime: accounts.LifetimeDefault, Changed: u.PasswordLastChanged.UTC(),
	}
	if wasRole(u) {
		a = &accounts.Account{Name: accounts.Name{User: u.User}, Role: true, Lifetime: accounts.LifetimeDefault}
	}
	a.Global = privsOf(u.PrivilegeSet.ToSlice())
	if u.IsSuperUser || u.PrivilegeSet.Has(sql.PrivilegeType_Super, sql.PrivilegeType_CreateUser, sql.PrivilegeType_GrantOption) {
		a.Global |= privilege.All
	}
	set.Add(a)
	for _, db := range u.PrivilegeSet.GetDatabases() {
		if p := privsOf(db.ToSlice()); p != 0 {
			set.GrantDB(a.Name, db.Name(), p&privilege.OnDatabase)
		}
		for _, t := range db.GetTables() {
			if p := privsOf(t.ToSlice()); p != 0 {
				set.GrantTable(a.Name, db.Name(), t.Name(), p&privilege.OnTable)
			}
		}
		for _, r := range db.GetRoutines() {
			if p := privsOf(r.ToSlice()); p != 0 {
				set.GrantRoutine(a.Name, db.Name(), r.RoutineName(), r.RoutineType() == "FUNCTION", p&privilege.OnRoutine)
			}
		}
	}
}

// wasRole reports whether an account of go-mysql-server's is a role, which it does not store: CREATE ROLE made an account
// that nobody could log in to, without a password.
func wasRole(u *mysql_db.User) bool { return u.Locked && u.AuthString == "" && u.Host == "%" }

func privsOf(list []sql.PrivilegeType) privilege.Set {
	var p privilege.Set
	for _, one := range list {
		p |= privOf(one)
	}
	return p
}

// earlierAccounts reads what servers before accounts.Set stored: go-mysql-server's own form.
// Their roles counted without SET ROLE; now they count when they are set.
func (e *Engine) earlierAccounts(body []byte) (*accounts.Set, error) {
	db := e.gms.Analyzer.Catalog.MySQLDb
	err := func() error {
		ed := db.Editor()
		defer ed.Close()
		return db.OverwriteUsersAndGrantData(sql.NewEmptyContext(), ed, body)
	}()
	if err != nil {
		return nil, err
	}
	rd := db.Reader()
	defer rd.Close()
	set := accounts.New()
	rd.VisitUsers(func(u *mysql_db.User) { addEarlier(set, u) })
	// go-mysql-server does not read who may give a role to others.
	all := serial.GetRootAsMySQLDb(body, 0)
	for i := range all.RoleEdgesLength() {
		var r serial.RoleEdge
		all.RoleEdges(&r, i)
		to := accounts.Name{User: string(r.ToUser()), Host: string(r.ToHost())}
		if a := set.Find(accounts.Name{User: to.User}); a != nil && a.Role {
			to = a.Name
		}
		set.GrantRole(to, string(r.FromUser()), r.WithAdminOption())
	}
	for _, a := range set.Accounts {
		if a.Role {
			set.GrantRole(accounts.Name{User: "root", Host: "localhost"}, a.User, true)
		}
	}
	return set, nil
}
