package query_test

import (
	"context"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/txn"
)

// storeAccounts replaces the accounts in the data directory, and starts the server on it.
func (s *server) storeAccounts(body []byte) {
	s.t.Helper()
	tx := s.store.Txns().Begin(txn.Options{})
	require.NoError(s.t, tx.ChangeCatalog(catalog.Change{Objects: []catalog.ObjectDef{{Kind: "privileges", Name: "mysql", Body: body}}}))
	_, err := tx.Commit(context.Background())
	require.NoError(s.t, err)
	s.restart()
}

// TestPasswordLifetime lets passwords grow old: their accounts are stored with a date that lies back. MariaDB counts
// whole days since the change.
func TestPasswordLifetime(t *testing.T) {
	const day = 24 * time.Hour
	s := newServer(t)
	root := s.connect()
	root.exec("CREATE USER three PASSWORD EXPIRE INTERVAL 3 DAY")
	root.exec("CREATE USER never PASSWORD EXPIRE NEVER")
	root.exec("CREATE USER usual PASSWORD EXPIRE DEFAULT")
	root.exec("CREATE USER plain")
	root.Close()
	for _, c := range []struct {
		age     time.Duration
		usual   int // default_password_lifetime, 0 for none
		expired []string
	}{
		{3*day - time.Minute, 0, nil},
		{3*day + time.Minute, 0, []string{"three"}},
		{3*day - time.Minute, 2, []string{"usual", "plain"}},
		{3*day + time.Minute, 2, []string{"three", "usual", "plain"}},
		{3*day + time.Minute, 4, []string{"three"}},
		{4000 * day, 0, []string{"three"}},
	} {
		set, err := accounts.Decode(s.store.Catalog().Current().Object("privileges", "", "mysql").Body)
		require.NoError(t, err)
		for _, a := range set.Accounts {
			a.Changed = time.Now().Add(-c.age)
		}
		body, err := set.Encode()
		require.NoError(t, err)
		s.storeAccounts(body)
		root := s.connect()
		root.exec("SET GLOBAL default_password_lifetime = %d", c.usual)
		var expired []string
		for _, user := range []string{"three", "never", "usual", "plain"} {
			a, ok := s.engine.Auth(user, "localhost")
			require.True(t, ok, user)
			u := s.connect(func(ci *session.ConnInfo) { ci.User, ci.Login, ci.Expired = user, true, a.Expired })
			if a.Expired {
				expired = append(expired, user)
				u.fails(mysqlerr.MustChangePassword, "SELECT 1")
				u.exec("SET PASSWORD = PASSWORD('new')")
				a, _ = s.engine.Auth(user, "localhost")
				require.False(t, a.Expired, "%s has a new password", user)
			}
			require.Equal(t, "1", u.query("SELECT 1"))
			u.Close()
		}
		require.Equal(t, c.expired, expired, "%v old, default_password_lifetime = %d", c.age, c.usual)
		root.Close()
	}
}

// stored is what go-mysql-server gave earlier versions of this server to store.
type stored struct{ body []byte }

// Persist implements mysql_db.MySQLDbPersistence.
func (p *stored) Persist(_ *sql.Context, body []byte) error {
	p.body = append([]byte(nil), body...)
	return nil
}

// earlierBody is a set of accounts in the form in which versions before accounts.Set stored them.
func earlierBody(t *testing.T, changed time.Time) []byte {
	db, out := mysql_db.CreateEmptyMySQLDb(), &stored{}
	db.SetPersister(out)
	ed := db.Editor()
	defer ed.Close()
	all := mysql_db.NewPrivilegeSet()
	all.AddGlobalStatic(sql.PrivilegeType_Super, sql.PrivilegeType_CreateUser, sql.PrivilegeType_GrantOption)
	ed.PutUser(&mysql_db.User{User: "root", Host: "localhost", PrivilegeSet: all, Plugin: accounts.NativePassword, PasswordLastChanged: changed})
	some := mysql_db.NewPrivilegeSet()
	some.AddGlobalStatic(sql.PrivilegeType_Process)
	some.AddDatabase("d", sql.PrivilegeType_Select, sql.PrivilegeType_LockTables)
	some.AddTable("d", "t", sql.PrivilegeType_Insert)
	some.AddRoutine("d", "p", true, sql.PrivilegeType_Execute)
	ed.PutUser(&mysql_db.User{User: "app", Host: "10.%", PrivilegeSet: some, Plugin: accounts.NativePassword,
		AuthString: "*14E65567ABDB5135D0CFD9A70B3032C179A49EE7", PasswordLastChanged: changed, Locked: true})
	reader := mysql_db.NewPrivilegeSet()
	reader.AddDatabase("d", sql.PrivilegeType_Select)
	ed.PutUser(&mysql_db.User{User: "readers", Host: "%", PrivilegeSet: reader, Locked: true, IsRole: true}) // as CREATE ROLE made it
	ed.PutRoleEdge(&mysql_db.RoleEdge{FromUser: "readers", FromHost: "%", ToUser: "app", ToHost: "10.%", WithAdminOption: true})
	require.NoError(t, db.Persist(sql.NewEmptyContext(), ed))
	return out.body
}

// TestEarlierAccounts starts a server on accounts that an earlier version stored, and changes them, which stores them anew.
func TestEarlierAccounts(t *testing.T) {
	s := newServer(t)
	changed := time.Now().Add(-5 * 24 * time.Hour).UTC().Truncate(time.Second)
	body := earlierBody(t, changed)
	require.False(t, accounts.IsStored(body))
	s.storeAccounts(body)
	const shown = "GRANT `readers` TO `app`@`10.%` WITH ADMIN OPTION\n" +
		"GRANT PROCESS ON *.* TO `app`@`10.%` IDENTIFIED BY PASSWORD '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'\n" +
		"GRANT SELECT, LOCK TABLES ON `d`.* TO `app`@`10.%`\n" +
		"GRANT INSERT ON `d`.`t` TO `app`@`10.%`\n" +
		"GRANT EXECUTE ON PROCEDURE `d`.`p` TO `app`@`10.%`"
	check := func() {
		root := s.connect()
		defer root.Close()
		require.Equal(t, shown, root.query("SHOW GRANTS FOR app@'10.%'"))
		require.Equal(t, "GRANT USAGE ON *.* TO `readers`\nGRANT SELECT ON `d`.* TO `readers`", root.query("SHOW GRANTS FOR readers"))
		require.Equal(t, "GRANT `readers` TO `root`@`localhost` WITH ADMIN OPTION\nGRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION",
			root.query("SHOW GRANTS FOR root@localhost"))
		a, ok := s.engine.Auth("app", "10.1.2.3")
		require.True(t, ok)
		require.True(t, a.Locked)
		require.False(t, a.Expired)
		root.exec("SET GLOBAL default_password_lifetime = 5")
		a, _ = s.engine.Auth("app", "10.1.2.3")
		require.True(t, a.Expired, "the date of the password is kept")
	}
	check()
	root := s.connect()
	root.exec("CREATE USER another")
	root.Close()
	stored := s.store.Catalog().Current().Object("privileges", "", "mysql").Body
	require.True(t, accounts.IsStored(stored))
	set, err := accounts.Decode(stored)
	require.NoError(t, err)
	require.Equal(t, changed, set.Find(accounts.Name{User: "app", Host: "10.%"}).Changed.UTC())
	require.Equal(t, privilege.All, set.Find(accounts.Name{User: "root", Host: "localhost"}).Global)
	s.restart()
	check()
}
