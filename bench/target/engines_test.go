//go:build unix

package target

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/load"
)

func TestFindEngines(t *testing.T) {
	bin, plugins, none := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(plugins, rocksPlugin), nil, 0o644))
	help := func(dir string) string { return "echo plugin-load x; echo 'plugin-dir      " + dir + "/'\n" }
	for _, c := range []struct {
		name    string
		spec    Spec
		want    []string
		without string
		fails   string
	}{
		{"Duramen", Spec{Kind: Duramen}, []string{"InnoDB", "BTREE", "MEMORY"}, "", ""},
		{"MySQL", Spec{Name: "mysql", Kind: MySQL}, []string{"InnoDB"}, "mysql takes part with one engine only", ""},
		{"MariaDB", Spec{Name: "m", Kind: MariaDB, Path: program(t, bin, "with", help(plugins))}, []string{"InnoDB", "ROCKSDB"}, "", ""},
		{"MariaDB without the plugin", Spec{Name: "m", Kind: MariaDB, Path: program(t, bin, "without", help(none))}, []string{"InnoDB"},
			"m takes part with one engine only: there is no ha_rocksdb.so in " + none + "/ (on Debian: apt-get install mariadb-plugin-rocksdb)", ""},
		{"MariaDB that says nothing", Spec{Name: "m", Kind: MariaDB, Path: program(t, bin, "silent", "")}, nil, "", "it prints no plugin-dir"},
		{"MariaDB that fails", Spec{Name: "m", Kind: MariaDB, Path: program(t, bin, "failing", "exit 3")}, nil, "", "exit status 3"},
		{"a running server", Spec{Name: "prod", Kind: Running}, nil, "", "--engines prod="},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, without, err := FindEngines(t.Context(), c.spec)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Contains(t, without, c.without)
			require.Equal(t, c.without == "", without == "")
		})
	}
}

func TestParseEngines(t *testing.T) {
	got, err := ParseEngines("InnoDB,ROCKSDB")
	require.NoError(t, err)
	require.Equal(t, []string{"InnoDB", "ROCKSDB"}, got)
	for text, fails := range map[string]string{"": "want a name", "a,,b": "want a name", "x y": "want a name", "a,b,c,d": "4 engines: at most 3"} {
		_, err := ParseEngines(text)
		require.ErrorContains(t, err, fails)
	}
}

func TestEngineOfSet(t *testing.T) {
	s := Spec{Engines: []string{"A", "B"}}
	for _, c := range []struct {
		set, want string
		ok        bool
	}{{load.Plain, "", true}, {load.First, "A", true}, {load.Second, "B", true}, {load.Memory, "", false}, {"other", "", false}} {
		got, ok := s.Engine(c.set)
		require.Equal(t, c.want, got, c.set)
		require.Equal(t, c.ok, ok, c.set)
	}
}

// MariaDB loads its second engine only if it is used.
func TestEngineOptions(t *testing.T) {
	rocks := Contender{Spec: Spec{Kind: MariaDB, Engines: []string{"InnoDB", "RocksDB"}}}
	require.Equal(t, []string{"plugin-load-add = ha_rocksdb.so", "rocksdb-block-cache-size = 4096"}, engineOptions(rocks, 4096))
	require.Equal(t, []string{"plugin-load-add = ha_rocksdb.so"}, engineOptions(rocks, 0))
	require.Empty(t, engineOptions(Contender{Spec: Spec{Kind: MariaDB, Engines: []string{"InnoDB"}}}, 4096))
	require.Empty(t, engineOptions(Contender{Spec: Spec{Kind: Duramen, Engines: []string{"InnoDB", "ROCKSDB"}}}, 4096))
}
