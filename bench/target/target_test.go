//go:build unix

package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/load"
	"github.com/duramendb/duramen/bench/profiles"
)

// program writes a program that behaves as the shell script says.
func program(t *testing.T, dir, name, script string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return path
}

func TestParseSpec(t *testing.T) {
	bin := t.TempDir()
	self, maria, other := program(t, bin, "duramen", ""), program(t, bin, "mariadbd", ""), program(t, bin, "other", "")
	t.Setenv("PATH", bin)
	for _, c := range []struct {
		text  string
		want  Spec
		fails string
	}{
		{"duramen", Spec{Name: "duramen", Kind: Duramen, Path: self}, ""},
		{"mariadb", Spec{Name: "mariadb", Kind: MariaDB, Path: maria}, ""},
		{"new=mariadb:" + other, Spec{Name: "new", Kind: MariaDB, Path: other}, ""},
		{"old=duramen:other", Spec{Name: "old", Kind: Duramen, Path: other}, ""},
		{"root:a=b@tcp(127.0.0.1:3306)/", Spec{Name: "running", Kind: Running, DSN: "root:a=b@tcp(127.0.0.1:3306)/"}, ""},
		{"prod=root@unix(/s.sock)/?timeout=1s", Spec{Name: "prod", Kind: Running, DSN: "root@unix(/s.sock)/?timeout=1s"}, ""},
		{"root@tcp(h:3306)/duramen_bench", Spec{Name: "running", Kind: Running, DSN: "root@tcp(h:3306)/duramen_bench"}, ""},
		{"postgres", Spec{}, "want [NAME=]KIND[:PATH]"},
		{"", Spec{}, "want [NAME=]KIND[:PATH]"},
		{"mariadb:/none", Spec{}, "/none"},
		{"root@tcp(h:3306)/shop", Spec{}, `names database "shop"`},
		{"root@tcp(h:x)/", Spec{}, "invalid syntax"},
		{"root@pipe(h)/", Spec{}, "want tcp or unix"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := ParseSpec(c.text, self)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestInstalled(t *testing.T) {
	kinds := func(specs []Spec) (k []Kind) {
		for _, s := range specs {
			k = append(k, s.Kind)
		}
		return k
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	program(t, bin, "mariadbd", "")
	// MariaDB is also installed as mysqld.
	program(t, bin, "mysqld", "echo mysqld Ver 10.11-MariaDB\n")
	require.Equal(t, []Kind{Duramen, MariaDB}, kinds(Installed(t.Context(), "/self")))
	program(t, bin, "mysqld", "echo mysqld Ver 8.4\n")
	require.Equal(t, []Kind{Duramen, MariaDB, MySQL}, kinds(Installed(t.Context(), "/self")))
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		dsn  string
		want load.Address
	}{
		{"u:p@tcp(10.0.0.1:3307)/", load.Address{Host: "10.0.0.1", Port: 3307, User: "u", Password: "p", Database: Database}},
		{"u@unix(/run/s.sock)/", load.Address{Socket: "/run/s.sock", User: "u", Database: Database}},
	} {
		got, err := Spec{Kind: Running, DSN: c.dsn}.address()
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestProfiles(t *testing.T) {
	for _, kind := range []Kind{Duramen, MariaDB, MySQL} {
		for _, p := range profiles.Of(string(kind)) {
			text, err := profiles.Read(string(kind), p)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(text, "# "), "%s %s says what it is", kind, p)
		}
	}
	require.Equal(t, []string{"nobinlog", "nosync", "sync", "sync0", "sync1000"}, profiles.Of("mariadb"))
	_, err := profiles.Read("duramen", "nobinlog")
	require.ErrorIs(t, err, profiles.ErrNone)
	require.Subset(t, profiles.Of("duramen"), []string{"onelog", "2pc", "2pc-eager", "engine"})
	require.Equal(t, []string{"sync"}, Spec{Kind: Duramen}.Profiles([]string{"nobinlog", "sync"}))
	require.Equal(t, []string{AsIs}, Spec{Kind: Running}.Profiles([]string{"sync"}))
}

// A server that cannot start says why, and leaves nothing but its option file and log.
func TestServerThatDoesNotStart(t *testing.T) {
	for _, c := range []struct {
		name, script string
		kind         Kind
		fails        string
	}{
		{"ends", "echo cannot open tables >&2; exit 3", Duramen, "exit status 3; its log ends with:\ncannot open tables"},
		{"ends well", "exit 0", Duramen, "exit code 0"},
		{"cannot be installed", "echo no space >&2; exit 1", MySQL, "no space"},
		{"has no installer", "", MariaDB, "no mariadb-install-db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			path := program(t, filepath.Join(dir, "bin"), "server", c.script)
			s, err := Start(t.Context(), Contender{Spec{Name: "s", Kind: c.kind, Path: path}, "sync"},
				Options{Dir: filepath.Join(dir, "s"), DataDir: data, CacheBytes: 1 << 20, Extra: []string{"x = 1"}})
			require.Nil(t, s)
			require.ErrorContains(t, err, c.fails)
			require.Equal(t, 1, strings.Count(err.Error(), c.fails), "it is said once")
			require.NoDirExists(t, data)
		})
	}
}

func TestDataThatIsNotOursStays(t *testing.T) {
	dir := t.TempDir()
	path := program(t, dir, "server", "exit 1")
	_, err := Start(t.Context(), Contender{Spec{Name: "s", Kind: Duramen, Path: path}, "sync"}, Options{Dir: filepath.Join(dir, "s"), DataDir: dir})
	require.ErrorContains(t, err, "is there already")
	require.FileExists(t, path)
}

func TestOptionFile(t *testing.T) {
	dir := t.TempDir()
	path := program(t, dir, "server", "exit 1")
	o := Options{Dir: filepath.Join(dir, "s"), DataDir: filepath.Join(dir, "data"), CacheBytes: 12345, Extra: []string{"max-binlog-size = 1G"}}
	_, err := Start(t.Context(), Contender{Spec{Name: "s", Kind: Duramen, Path: path}, "append"}, o)
	require.Error(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "s", "server.cnf"))
	require.NoError(t, err)
	for _, want := range []string{"[duramen]\n", "binlog-preallocate = OFF\n", "innodb-buffer-pool-size = 12345\n", "max-binlog-size = 1G\n", "bind-address = 127.0.0.1\n", "datadir = " + o.DataDir + "\n"} {
		require.Contains(t, string(text), want)
	}
	s := &Server{options: o}
	require.True(t, s.given()["binlog_preallocate"])
	require.False(t, s.given()["duramen"])
}

func TestCounters(t *testing.T) {
	now, before := Counters{"a": 5, "b": 1}, Counters{"a": 2, "b": 3, "c": 1}
	n, ok := now.Since(before, "a")
	require.True(t, ok)
	require.EqualValues(t, 3, n)
	for _, name := range []string{"b", "c", "d"} { // was reset; is gone; never was
		_, ok := now.Since(before, name)
		require.False(t, ok, name)
	}
}
