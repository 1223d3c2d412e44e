// Package earlier reads the accounts that servers before package accounts have stored: go-mysql-server's own form.
package earlier

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/mysql_db/serial"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
)

// Accounts decodes a set. Its roles counted without SET ROLE; now they count when they are set.
func Accounts(body []byte) (*accounts.Set, error) {
	db := mysql_db.CreateEmptyMySQLDb()
	err := func() error {
		ed := db.Editor()
		defer ed.Close()
		return db.OverwriteUsersAndGrantData(sql.NewEmptyContext(), ed, body)
	}()
	if err != nil {
		return nil, fmt.Errorf("accounts of an earlier version: %w", err)
	}
	rd := db.Reader()
	defer rd.Close()
	set := accounts.New()
	rd.VisitUsers(func(u *mysql_db.User) { add(set, u) })
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

// add adds an account of go-mysql-server's to a set.
func add(set *accounts.Set, u *mysql_db.User) {
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
		p |= privileges[one]
	}
	return p
}

// privileges are go-mysql-server's names of privileges.
var privileges = map[sql.PrivilegeType]privilege.Set{
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
