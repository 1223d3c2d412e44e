package target

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/duramendb/duramen/bench/load"
)

// EngineSets are the sets of tables (of package load) that have an engine of their own, in the order of Spec.Engines.
var EngineSets = []string{load.First, load.Second, load.Memory}

// rocksDB is the name of MariaDB's second engine, which is a plugin.
const rocksDB = "ROCKSDB"

// kindEngines are what each kind of server is compared with. The first is what a table has if nobody asks for another one; MariaDB's
// and MySQL's MEMORY is left out, since it has no transactions.
var kindEngines = map[Kind][]string{
	Duramen: {"InnoDB", "BTREE", "MEMORY"},
	MariaDB: {"InnoDB", rocksDB},
	MySQL:   {"InnoDB"},
}

// FindEngines gives the engines of a server that is not started yet, for Spec.Engines. MariaDB's second one
// is left out where its plugin is not installed; without says so then.
func FindEngines(ctx context.Context, s Spec) (engines []string, without string, err error) {
	engines = slices.Clone(kindEngines[s.Kind])
	switch s.Kind {
	case Running:
		return nil, "", fmt.Errorf("server %s: name its engines, as in --engines %s=InnoDB,ROCKSDB", s.Name, s.Name)
	case MySQL:
		return engines, s.Name + " takes part with one engine only: it has no other one with transactions", nil
	case MariaDB:
		dir, err := pluginDir(ctx, s.Path)
		if err != nil {
			return nil, "", fmt.Errorf("server %s: %w", s.Name, err)
		}
		if !exists(filepath.Join(dir, rocksPlugin)) {
			return engines[:1], fmt.Sprintf("%s takes part with one engine only: there is no %s in %s (on Debian: apt-get install mariadb-plugin-rocksdb)",
				s.Name, rocksPlugin, dir), nil
		}
	}
	return engines, "", nil
}

const rocksPlugin = "ha_rocksdb.so"

// pluginDir asks a MariaDB server program where its plugins are.
func pluginDir(ctx context.Context, path string) (string, error) {
	// As root it refuses to say so without being told whom to run as; nothing runs here.
	out, err := exec.CommandContext(ctx, path, "--no-defaults", "--user=mysql", "--verbose", "--help").Output()
	for line := range strings.Lines(string(out)) {
		if name, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name == "plugin-dir" {
			return strings.TrimSpace(dir), nil
		}
	}
	if err == nil {
		err = errors.New("it prints no plugin-dir")
	}
	return "", fmt.Errorf("%s --verbose --help: %w", path, err)
}

var goodEngine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// ParseEngines reads ENGINE[,ENGINE...], in the order of EngineSets.
func ParseEngines(text string) ([]string, error) {
	engines := strings.Split(text, ",")
	if len(engines) > len(EngineSets) {
		return nil, fmt.Errorf("%d engines: at most %d, for %s tables", len(engines), len(EngineSets), strings.Join(EngineSets, ", "))
	}
	for _, e := range engines {
		if !goodEngine.MatchString(e) {
			return nil, fmt.Errorf("engine %q: want a name", e)
		}
	}
	return engines, nil
}

// Engine of a set of tables; false if the server has none for it. Plain tables have the default engine.
func (s Spec) Engine(set string) (string, bool) {
	if set == load.Plain {
		return "", true
	}
	i := slices.Index(EngineSets, set)
	if i < 0 || i >= len(s.Engines) {
		return "", false
	}
	return s.Engines[i], true
}

// engineOptions are lines for the option file of a server with these engines.
func engineOptions(c Contender, cacheBytes int64) []string {
	if c.Kind != MariaDB || !slices.ContainsFunc(c.Engines, isRocksDB) {
		return nil
	}
	lines := []string{"plugin-load-add = " + rocksPlugin}
	if cacheBytes > 0 {
		lines = append(lines, fmt.Sprintf("rocksdb-block-cache-size = %d", cacheBytes))
	}
	return lines
}

func isRocksDB(name string) bool { return strings.EqualFold(name, rocksDB) }

// Engines are those that the server knows.
func (s *Server) Engines(ctx context.Context) ([]string, error) {
	rows, err := s.texts(ctx, "SELECT engine, support FROM information_schema.engines", 2)
	if err != nil {
		return nil, err
	}
	var engines []string
	for _, r := range rows {
		if r[1] == "YES" || r[1] == "DEFAULT" {
			engines = append(engines, r[0])
		}
	}
	return engines, nil
}

// TableEngine is the engine that a table of Database is in, as the server says.
func (s *Server) TableEngine(ctx context.Context, table string) (string, error) {
	rows, err := s.texts(ctx, fmt.Sprintf("SELECT table_name, engine FROM information_schema.tables WHERE table_schema = '%s' AND table_name = '%s'", Database, table), 2)
	if err != nil {
		return "", err
	}
	if len(rows) != 1 {
		return "", fmt.Errorf("%s: there is no table %s", s.Contender, table)
	}
	return rows[0][1], nil
}
