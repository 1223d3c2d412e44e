package account_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/own"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
)

// session is a session without a server: database d has a table t and a procedure p.
type session struct {
	store     *account.Store
	id        account.Identity
	noCreates bool
	logged    []string
	warnings  []string
}

func newSession(t *testing.T) *session {
	s := &session{store: account.NewStore()}
	set := accounts.New()
	require.NoError(t, account.MakeRoot(set))
	s.store.Publish(set)
	s.become("root", "localhost")
	return s
}

func (s *session) become(user, host string) {
	s.id = account.Identify(s.store.Set(), account.Connection{User: user, Host: host, Named: true})
}

func (s *session) Identity() *account.Identity   { return &s.id }
func (s *session) Subject() accounts.Subject     { return s.id.Own() }
func (s *session) DB() string                    { return "d" }
func (s *session) GrantCreates() bool            { return !s.noCreates }
func (s *session) HasTable(db, name string) bool { return db == "d" && name == "t" }
func (s *session) Columns(db, name string) []string {
	if !s.HasTable(db, name) {
		return nil
	}
	return []string{"a", "b"}
}
func (s *session) HasProcedure(db, name string) bool        { return db == "d" && name == "p" }
func (s *session) SHA2Hash(password string) (string, error) { return "sha2(" + password + ")", nil }

func (s *session) Warn(level string, number uint16, message string) {
	s.warnings = append(s.warnings, fmt.Sprintf("%s %d %s", level, number, message))
}

func (s *session) Change(ctx context.Context, st dialect.Statement, change func(*accounts.Set) error) error {
	return s.store.Change(ctx, change, func(set *accounts.Set) error {
		s.logged = append(s.logged, dialect.Logged(st, dialect.Mode{}))
		s.store.Publish(set)
		return nil
	})
}

// run runs a statement and yields the rows of its result, or its error.
func (s *session) run(t *testing.T, sql string) (string, error) {
	t.Helper()
	st, _, err := own.Parse(sql, dialect.Mode{})
	require.NoError(t, err, sql)
	require.True(t, account.Runs(st), sql)
	out, err := account.Run(context.Background(), s.store, s, st)
	if out == nil {
		return "", err
	}
	return strings.Join(out.Lines, "\n"), err
}

func (s *session) exec(t *testing.T, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		_, err := s.run(t, sql)
		require.NoError(t, err, sql)
	}
}

func (s *session) fails(t *testing.T, number uint16, sql string) {
	t.Helper()
	_, err := s.run(t, sql)
	require.ErrorIs(t, err, mysqlerr.New(number), sql)
}

func TestRun(t *testing.T) {
	s := newSession(t)
	s.exec(t, "CREATE USER u IDENTIFIED BY 'x' REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 2 PASSWORD EXPIRE NEVER",
		"CREATE USER v IDENTIFIED VIA caching_sha2_password USING PASSWORD('x')", "CREATE USER IF NOT EXISTS u",
		"ALTER USER u ACCOUNT LOCK", "ALTER USER IF EXISTS nobody ACCOUNT LOCK", "RENAME USER v TO w@h", "CREATE ROLE r", "GRANT r TO u",
		"GRANT SELECT ON t TO r", "GRANT ALL ON d.* TO w@h WITH GRANT OPTION", "REVOKE DROP ON d.* FROM w@h", "SET DEFAULT ROLE r FOR u",
		"SET PASSWORD FOR w@h = PASSWORD('y')", "GRANT EXECUTE ON PROCEDURE p TO made IDENTIFIED BY 'z'")
	require.Equal(t, []string{
		"CREATE USER `u` IDENTIFIED BY PASSWORD '*B69027D44F6E5EDC07F1AEAD1477967B16F28227' REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 2 PASSWORD EXPIRE NEVER",
		"CREATE USER `v` IDENTIFIED VIA `caching_sha2_password` USING 'sha2(x)'",
		"CREATE USER IF NOT EXISTS `u`",
		"ALTER USER `u` ACCOUNT LOCK",
		"ALTER USER IF EXISTS `nobody` ACCOUNT LOCK",
		"RENAME USER `v` TO `w`@`h`",
		"CREATE ROLE `r`",
		"GRANT `r` TO `u`",
		"GRANT SELECT ON `t` TO `r`",
		"GRANT ALL PRIVILEGES ON `d`.* TO `w`@`h` WITH GRANT OPTION",
		"REVOKE DROP ON `d`.* FROM `w`@`h`",
		"SET DEFAULT ROLE `r` FOR `u`@`%`",
		"SET PASSWORD FOR `w`@`h` = '" + account.NativeHash("y") + "'",
		"GRANT EXECUTE ON PROCEDURE `p` TO `made` IDENTIFIED BY PASSWORD '" + account.NativeHash("z") + "'",
	}, s.logged)
	require.Equal(t, []string{
		"Note 1973 Can't create user 'u'@'%'; it already exists",
		"Error 1133 Can't find any matching row in the user table",
		"Note 1396 Operation ALTER USER failed for 'nobody'",
	}, s.warnings)
	for _, c := range [][2]string{
		{"SHOW CREATE USER u", "CREATE USER `u`@`%` IDENTIFIED BY PASSWORD '*B69027D44F6E5EDC07F1AEAD1477967B16F28227' REQUIRE SSL " +
			"WITH MAX_QUERIES_PER_HOUR 2 ACCOUNT LOCK PASSWORD EXPIRE NEVER"},
		{"SHOW GRANTS FOR r", "GRANT USAGE ON *.* TO `r`\nGRANT SELECT ON `d`.`t` TO `r`"},
		{"SHOW GRANTS FOR made", "GRANT USAGE ON *.* TO `made`@`%` IDENTIFIED BY PASSWORD '" + account.NativeHash("z") + "'\n" +
			"GRANT EXECUTE ON PROCEDURE `d`.`p` TO `made`@`%`"},
	} {
		got, err := s.run(t, c[0])
		require.NoError(t, err)
		require.Equal(t, c[1], got)
	}
	logged := len(s.logged)
	s.noCreates = true
	s.fails(t, mysqlerr.CannotUser, "CREATE USER x, u")
	s.fails(t, mysqlerr.PluginNotLoaded, "CREATE USER x IDENTIFIED VIA nosuch")
	s.fails(t, mysqlerr.PasswdLength, "CREATE USER x IDENTIFIED BY PASSWORD 'short'")
	s.fails(t, mysqlerr.PasswordNoMatch, "GRANT SELECT ON d.* TO x")
	s.fails(t, mysqlerr.NoSuchTable, "GRANT SELECT ON nosuch TO u")
	s.fails(t, mysqlerr.WrongUsage, "GRANT SUPER ON d.* TO u")
	s.fails(t, mysqlerr.IllegalGrantForTable, "GRANT EXECUTE ON t TO u")
	s.fails(t, mysqlerr.DBAccessDenied, "GRANT SELECT ON information_schema.* TO u")
	s.fails(t, mysqlerr.NonexistingGrant, "SHOW GRANTS FOR CURRENT_ROLE")
	require.Len(t, s.logged, logged, "a statement that fails is not logged")
	require.Nil(t, s.store.Set().Find(accounts.Name{User: "x", Host: "%"}), "and changes nothing")
}

func TestRunUnprivileged(t *testing.T) {
	s := newSession(t)
	s.exec(t, "CREATE USER u IDENTIFIED BY 'x'", "CREATE ROLE r", "GRANT r TO u", "GRANT SELECT ON d.* TO u WITH GRANT OPTION", "CREATE USER v")
	s.become("u", "10.0.0.1")
	s.fails(t, mysqlerr.SpecificAccessDenied, "CREATE USER x")
	s.fails(t, mysqlerr.DBAccessDenied, "SET PASSWORD FOR v = ''")
	s.fails(t, mysqlerr.DBAccessDenied, "SHOW GRANTS FOR v")
	s.fails(t, mysqlerr.AccessDeniedNoPassword, "GRANT r TO v")
	s.fails(t, mysqlerr.AccessDenied, "GRANT SELECT ON *.* TO v")
	s.fails(t, mysqlerr.DBAccessDenied, "GRANT INSERT ON d.* TO v")
	s.fails(t, mysqlerr.CantCreateUserWithGrant, "GRANT SELECT ON d.* TO new IDENTIFIED BY 'x'")
	s.exec(t, "GRANT SELECT ON t TO v", "SET ROLE r", "SET PASSWORD = ''")
	require.Equal(t, "r", s.id.Role)
	require.Equal(t, "SET PASSWORD FOR `u`@`%` = ''", s.logged[len(s.logged)-1])
	got, err := s.run(t, "SHOW GRANTS")
	require.NoError(t, err)
	require.Equal(t, "GRANT `r` TO `u`@`%`\nGRANT USAGE ON *.* TO `u`@`%`\nGRANT SELECT ON `d`.* TO `u`@`%` WITH GRANT OPTION\nGRANT USAGE ON *.* TO `r`", got)
}

func TestIdentify(t *testing.T) {
	s := newSession(t)
	s.exec(t, "CREATE USER u@localhost", "CREATE ROLE r", "GRANT r TO u@localhost", "SET DEFAULT ROLE r FOR u@localhost")
	id := account.Identify(s.store.Set(), account.Connection{User: "u", Host: "127.0.0.1", Named: true, Expired: true})
	require.Equal(t, accounts.Name{User: "u", Host: "localhost"}, id.Account)
	require.Equal(t, "localhost", id.Host)
	require.Equal(t, "r", id.Role)
	require.True(t, id.Expired)
	id = account.Identify(s.store.Set(), account.Connection{User: "u", Host: "10.0.0.1", IP: "10.0.0.1", Expired: true})
	require.Equal(t, account.Identity{Account: accounts.Name{User: "u", Host: "10.0.0.1"}, Client: accounts.Client{IP: "10.0.0.1"}, User: "u", Host: "10.0.0.1"}, id)
}

// variables are global variables that are on, and their numbers.
type variables map[string]uint64

func (v variables) On(name string) bool     { return v[name] != 0 }
func (v variables) Uint(name string) uint64 { return v[name] }

func TestLogin(t *testing.T) {
	s := newSession(t)
	require.False(t, s.store.RootHasPassword())
	s.exec(t, "CREATE USER u IDENTIFIED BY 'x' PASSWORD EXPIRE", "SET PASSWORD = PASSWORD('y')")
	require.True(t, s.store.RootHasPassword())
	v := variables{"max_password_errors": 2, "disconnect_on_expired_password": 1}
	want := account.Login{User: "u", Host: "%", Plugin: "mysql_native_password", AuthString: account.NativeHash("x"), Expired: true, Disconnect: true}
	for range 2 {
		got, ok := s.store.Login("u", "10.0.0.1", v)
		require.True(t, ok)
		require.Equal(t, want, got)
		s.store.Use.PasswordTried(got, false)
	}
	got, _ := s.store.Login("u", "10.0.0.1", v)
	require.True(t, got.Blocked)
	s.exec(t, "ALTER USER u ACCOUNT UNLOCK")
	got, _ = s.store.Login("u", "10.0.0.1", v)
	require.False(t, got.Blocked)
	_, ok := s.store.Login("nobody", "10.0.0.1", v)
	require.False(t, ok)
}

func TestLimits(t *testing.T) {
	s := newSession(t)
	s.exec(t, "CREATE USER u WITH MAX_QUERIES_PER_HOUR 3 MAX_UPDATES_PER_HOUR 1 MAX_USER_CONNECTIONS 1")
	s.become("u", "10.0.0.1")
	a, err := s.store.Admit(&s.id, 0)
	require.NoError(t, err)
	require.Equal(t, s.id.Account, a.Name)
	_, err = s.store.Admit(&s.id, 0)
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.UserLimitReached, "", "", ""))
	s.store.Use.Disconnect(a.Name)
	_, err = s.store.Admit(&s.id, 0)
	require.NoError(t, err)
	for _, c := range []struct {
		sql    string
		number uint16
	}{
		{"(SELECT 1)", 0}, {"INSERT INTO t VALUES (1)", 0}, {"/* x */ update t SET a = 1", mysqlerr.UserLimitReached}, {"SELECT 1", mysqlerr.UserLimitReached},
	} {
		if err := s.store.CheckStatement(&s.id, c.sql, dialect.Mode{}); c.number == 0 {
			require.NoError(t, err, c.sql)
		} else {
			require.ErrorIs(t, err, mysqlerr.New(c.number, "", "", ""), c.sql)
		}
	}
	s.store.Use.Flush()
	require.NoError(t, s.store.CheckStatement(&s.id, "SELECT 1", dialect.Mode{}))
	s.id.Expired = true
	require.ErrorIs(t, s.store.CheckStatement(&s.id, "SELECT 1", dialect.Mode{}), mysqlerr.New(mysqlerr.MustChangePassword))
	require.NoError(t, s.store.CheckStatement(&s.id, "SET PASSWORD = ''", dialect.Mode{}))
}

func TestNameDefiner(t *testing.T) {
	own := accounts.Name{User: "u", Host: "10.%"}
	for _, c := range [][2]string{
		{"CREATE VIEW v AS SELECT 1", "CREATE DEFINER=`u`@`10.%` VIEW v AS SELECT 1"},
		{"create or replace algorithm = merge sql security invoker view v as select 1",
			"create or replace algorithm = merge DEFINER=`u`@`10.%` sql security invoker view v as select 1"},
		{"CREATE DEFINER = CURRENT_USER () TRIGGER t", "CREATE DEFINER=`u`@`10.%` TRIGGER t"},
		{"CREATE DEFINER = x@y EVENT e", "CREATE DEFINER = x@y EVENT e"},
		{"CREATE TABLE t (a INT)", "CREATE TABLE t (a INT)"},
		{"SELECT 1", "SELECT 1"},
	} {
		require.Equal(t, c[1], account.NameDefiner(c[0], dialect.Mode{}, own))
	}
}

func TestDefiners(t *testing.T) {
	s := newSession(t)
	s.exec(t, "CREATE USER u@'10.%'", "CREATE USER v")
	set := s.store.Set()
	u, v := accounts.Definer(accounts.Name{User: "u", Host: "10.%"}), accounts.Subject{Account: accounts.Name{User: "v", Host: "%"}}
	sub, err := account.DefinerSubject(set, "`u`@`10.0.0.1`")
	require.NoError(t, err)
	require.Equal(t, u, sub)
	_, err = account.DefinerSubject(set, "nobody@h")
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.NoSuchUser, "", ""))

	require.Equal(t, u, account.ViewSubject(set, "CREATE DEFINER=u@'10.%' VIEW v AS SELECT 1", v))
	require.Equal(t, v, account.ViewSubject(set, "CREATE DEFINER=u@'10.%' SQL SECURITY INVOKER VIEW v AS SELECT 1", v))
	require.Equal(t, v, account.ViewSubject(set, "CREATE VIEW v AS SELECT 1", v))
	require.Equal(t, accounts.Subject{}, account.ViewSubject(set, "CREATE DEFINER=nobody VIEW v AS SELECT 1", v))

	note, err := account.CheckDefiner(set, v, "v@`%`")
	require.NoError(t, err)
	require.Nil(t, note)
	_, err = account.CheckDefiner(set, v, "u@`10.%`")
	require.ErrorIs(t, err, mysqlerr.New(mysqlerr.SpecificAccessDenied, ""))
	note, err = account.CheckDefiner(set, s.Subject(), "nobody@h")
	require.NoError(t, err)
	require.Equal(t, mysqlerr.NoSuchUser, note.Number)
}

func TestTables(t *testing.T) {
	s := newSession(t)
	s.exec(t, "CREATE ROLE r", "CREATE USER u REQUIRE X509", "GRANT r TO u", "SET DEFAULT ROLE r FOR u", "GRANT SELECT ON t TO r")
	v := account.View{Set: s.store.Set(), Subject: accounts.Subject{Account: accounts.Name{User: "u", Host: "%"}, Role: "r"}, Version: 101119}
	priv := account.Tables["mysql.global_priv"](v)
	require.Equal(t, []any{"", "r", `{"access":0,"version_id":101119,"is_role":true}`}, priv[1])
	require.Contains(t, priv[2][2], `"ssl_type":2,`)
	require.Equal(t, [][]any{{"u@%", "r", "NO", "YES"}}, account.Tables["APPLICABLE_ROLES"](v))
	require.Equal(t, [][]any{{"r"}}, account.Tables["ENABLED_ROLES"](v))
	require.Equal(t, [][]any{{"'r'@''", "def", "d", "t", "SELECT", "NO"}}, account.Tables["TABLE_PRIVILEGES"](v))
	require.Equal(t, [][]any{{"localhost", "root", "r", "Y"}, {"%", "u", "r", "N"}}, account.Tables["mysql.roles_mapping"](v))
}

// Whoever waits for another change stops at the end of its context.
func TestOneChangeAtATime(t *testing.T) {
	s := newSession(t)
	ctx, cancel := context.WithCancel(context.Background())
	inner := error(nil)
	err := s.store.Change(context.Background(), func(set *accounts.Set) error {
		cancel()
		inner = s.store.Change(ctx, func(*accounts.Set) error { return nil }, func(*accounts.Set) error { return nil })
		set.Accounts[0].Global = privilege.Select
		return nil
	}, func(*accounts.Set) error { return mysqlerr.New(mysqlerr.UnknownError) })
	require.Error(t, err)
	require.ErrorIs(t, inner, context.Canceled)
	require.Equal(t, privilege.All, s.store.Set().Accounts[0].Global, "the set that counts is another one")
}
