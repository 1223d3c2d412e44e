package clone

import (
	"database/sql"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/store"
)

func TestSplitCoversAllKeysOnce(t *testing.T) {
	for _, c := range []struct {
		low, high string
		parts     int
		want      []string
	}{
		{"1", "10", 1, []string{""}},
		{"1", "10", 2, []string{"`i``d` < 6", "`i``d` >= 6"}},
		{"-5", "4", 3, []string{"`i``d` < -2", "`i``d` >= -2 AND `i``d` < 1", "`i``d` >= 1"}},
		{"7", "7", 8, []string{""}},
		{"7", "8", 8, []string{"`i``d` < 8", "`i``d` >= 8"}},
		{"-9223372036854775808", "18446744073709551615", 2, []string{"`i``d` < 4611686018427387904", "`i``d` >= 4611686018427387904"}},
	} {
		low, _ := new(big.Int).SetString(c.low, 10)
		high, _ := new(big.Int).SetString(c.high, 10)
		var got []string
		for _, p := range split(&table{key: "i`d"}, low, high, c.parts) {
			got = append(got, p.where)
		}
		require.Equal(t, c.want, got, "%s to %s in %d", c.low, c.high, c.parts)
	}
}

func TestLines(t *testing.T) {
	columns := []column{
		{name: "n", class: plain}, {name: "y", class: year}, {name: "t", class: raw}, {name: "e", class: member, enum: true}, {name: "s", class: member},
	}
	for _, c := range []struct {
		values []sql.RawBytes
		line   string
		row    string // of numbers for e and s
	}{
		{[]sql.RawBytes{nil, nil, nil, nil, nil}, `\N` + "\t" + `\N` + "\t" + `\N` + "\t" + `\N` + "\t" + `\N` + "\n", "(NULL,NULL,NULL,NULL,NULL)"},
		{[]sql.RawBytes{[]byte("-7"), []byte("0"), []byte("a\tb\nc\\\x00\r'"), []byte("2"), []byte("5")}, "-7\t0000\ta\\\tb\\\nc\\\\\\0\r'\t2\t5\n", "(-7,0,x'6109620a635c000d27',2,5)"},
		{[]sql.RawBytes{[]byte("1"), []byte("1999"), {}, []byte("1"), []byte("3")}, "1\t1999\t\t1\t3\n", "(1,1999,x'',1,3)"},
	} {
		require.Equal(t, c.line, string(appendLine(nil, columns, c.values)))
		require.Equal(t, c.row, string(appendRow(nil, columns, c.values, true)))
		require.Equal(t, ","+c.row, string(appendRow(nil, columns, c.values, false)))
		require.Zero(t, nonmembers(columns, c.values, true))
	}
	texts := []sql.RawBytes{[]byte("1"), []byte("0"), {}, {}, []byte("x,y")}
	require.Equal(t, 1, nonmembers(columns, texts, true))
	require.Equal(t, "(1,0,x'',0,x'782c79')", string(appendNonmembers(nil, columns, texts, true)))
	numbers := []sql.RawBytes{[]byte("0"), []byte("0"), {}, []byte("0"), []byte("3")}
	require.Equal(t, 1, nonmembers(columns, numbers, false))
	require.Equal(t, "(0,0,x'',0,3)", string(appendNonmembers(nil, columns, numbers, false)))
}

// TestLoadable has the cases in which a file would be read otherwise than it was written, or by the fallback.
func TestLoadable(t *testing.T) {
	for _, c := range []struct {
		dataType, definition string
		want                 bool
	}{
		{"int", "int(11)", true}, {"varchar", "varchar(5)", true}, {"enum", "enum('a','b')", true}, {"set", "set('a')", true},
		{"enum", "enum('a','')", false}, {"enum", "enum('0','1')", true}, {"enum", "enum('it''s')", false},
		{"bit", "bit(3)", false}, {"json", "json", false}, {"uuid", "uuid", false}, {"inet6", "inet6", false}, {"point", "point", false},
	} {
		require.Equal(t, c.want, loads(c.dataType, c.definition), c.definition)
	}
	plainTable := &table{columns: []column{{name: "a", loadable: true}}}
	for create, want := range map[string]bool{
		"CREATE TABLE `t` (`a` int)":                                            true,
		"CREATE TABLE `t` (`a` int CHECK (`a` > 1))":                            false,
		"CREATE TABLE `t` (`a` int, FOREIGN KEY (`a`) REFERENCES `p` (`id`))":   false,
		"CREATE TABLE `t` (`a` longtext CHECK (json_valid(`a`)) COMMENT 'any')": false,
	} {
		plainTable.setLoadable(create)
		require.Equal(t, want, plainTable.loadable, create)
	}
}

func TestSkips(t *testing.T) {
	problems := []Problem{{Kind: kindView, Name: "shop.v"}, {Kind: kindEvent, Name: "shop.e"}, {Kind: kindGrant, Name: "u@%"}}
	left := func(list ...string) (names []string) {
		require.NoError(t, checkSkips(list))
		for _, p := range unskipped(problems, list) {
			names = append(names, p.Name)
		}
		return names
	}
	require.Equal(t, []string{"shop.v", "shop.e", "u@%"}, left())
	require.Equal(t, []string{"shop.v", "shop.e", "u@%"}, left("view:shop.w"))
	require.Equal(t, []string{"shop.e", "u@%"}, left("view:shop.v"))
	require.Equal(t, []string{"shop.v"}, left("event", "grant:u@%"))
	require.Empty(t, left("all"))
	require.ErrorContains(t, checkSkips([]string{"views"}), `"views" is none of all, database, table`)
}

func TestMariaDBUser(t *testing.T) {
	require.Equal(t, "CREATE USER `u`@`%` IDENTIFIED WITH 'caching_sha2_password' AS '$A''\\\\' REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK",
		mariaDBUser("CREATE USER `u`@`%` IDENTIFIED WITH 'caching_sha2_password' AS 0x2441275C DEFAULT ROLE `r`@`%` REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK "+
			"PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"))
}

func TestMariaDBGrant(t *testing.T) {
	for _, c := range []struct {
		grant, statement string
		missing          []string
	}{
		{"GRANT USAGE ON *.* TO `u`@`%`", "GRANT USAGE ON *.* TO `u`@`%`", nil},
		{"GRANT SELECT, CREATE ROLE, CREATE USER, DROP ROLE ON *.* TO `u`@`%` WITH GRANT OPTION", "GRANT SELECT, CREATE USER ON *.* TO `u`@`%` WITH GRANT OPTION", []string{"CREATE ROLE", "DROP ROLE"}},
		{"GRANT BACKUP_ADMIN,BINLOG_ADMIN,SET_ANY_DEFINER ON *.* TO `u`@`%`", "GRANT BINLOG ADMIN, SET USER ON *.* TO `u`@`%`", []string{"BACKUP_ADMIN"}},
		{"GRANT BACKUP_ADMIN ON *.* TO `u`@`%`", "", []string{"BACKUP_ADMIN"}},
		{"GRANT SELECT (`a_b`), INSERT ON `d`.`t` TO `u`@`%`", "GRANT SELECT (`a_b`), INSERT ON `d`.`t` TO `u`@`%`", nil},
		{"GRANT `r`@`%` TO `u`@`%`", "GRANT `r`@`%` TO `u`@`%`", nil},
	} {
		statement, missing := mariaDBGrant(c.grant)
		require.Equal(t, c.statement, statement, c.grant)
		require.Equal(t, c.missing, missing, c.grant)
	}
}

func TestFlavors(t *testing.T) {
	for version, want := range map[string]flavor{"10.11.14-MariaDB-duramen-0.1.0": duramen, "10.11.6-MariaDB-log": mariaDB, "8.4.3": mySQL} {
		require.Equal(t, want, flavorOf(version))
	}
}

// TestClaim takes only directories that are empty or not there, and leaves them as they were.
func TestClaim(t *testing.T) {
	base := t.TempDir()
	full := filepath.Join(base, "full")
	require.NoError(t, os.Mkdir(full, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(full, "x"), nil, 0o640))
	_, err := claim(full)
	require.ErrorContains(t, err, `is not empty: it has "x"`)

	empty := filepath.Join(base, "empty")
	require.NoError(t, os.Mkdir(empty, 0o750))
	for _, dir := range []string{empty, filepath.Join(base, "new")} {
		c, err := claim(dir)
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(dir, store.UnfinishedName))
		_, err = claim(dir)
		require.ErrorContains(t, err, "is not empty", "another clone")
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "lsm", "x"), 0o750))
		require.NoError(t, c.discard())
	}
	entries, err := os.ReadDir(base)
	require.NoError(t, err)
	require.True(t, slices.EqualFunc(entries, []string{"empty", "full"}, func(e os.DirEntry, name string) bool { return e.Name() == name }))
	entries, err = os.ReadDir(empty)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestChangeMaster(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct {
		source Source
		ssl    string
	}{
		{Source{}, ""},
		{Source{RequireTLS: true}, ", MASTER_SSL = 1"},
		{Source{CA: "/ca.pem", Verify: true}, ", MASTER_SSL = 1, MASTER_SSL_CA = '/ca.pem', MASTER_SSL_VERIFY_SERVER_CERT = 1"},
		{Source{Cert: "c.pem", Key: "../k.pem"}, ", MASTER_SSL = 1, MASTER_SSL_CERT = '" + dir + "/c.pem', MASTER_SSL_KEY = '" + filepath.Dir(dir) + "/k.pem'"},
	} {
		o := Options{Source: c.source, ReplicationUser: "r", ReplicationPassword: `it's \`}
		o.Source.Host, o.Source.Port = "db", 3307
		got, err := changeMaster(&o, primary.SlavePos)
		require.NoError(t, err)
		require.Equal(t, `CHANGE MASTER TO MASTER_HOST = 'db', MASTER_PORT = 3307, MASTER_USER = 'r', MASTER_PASSWORD = 'it''s \\', MASTER_USE_GTID = slave_pos`+c.ssl, got)
	}
}

func TestProgressLine(t *testing.T) {
	big, small := &table{database: "d", name: "big", rows: 1000, bytes: 3 << 20}, &table{database: "d", name: "small", rows: 5, bytes: 100}
	c := newCounters(&strings.Builder{}, []*table{big, small})
	c.start(big, 2)
	c.start(small, 1)
	c.add(small, 5, 90)
	require.True(t, c.finish(small))
	c.add(big, 10, 2048)
	require.False(t, c.finish(big))
	require.Regexp(t, `^1 of 2 tables, 15 rows, 2\.1 KiB of about 3\.0 MiB, .*/s: d\.big 10 of about 1000 rows$`, c.line())
}
