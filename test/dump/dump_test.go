package dump

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

const schema = "dumped"

// servers are a MariaDB and a Duramen with the same schema.
type servers struct{ mariadb, duramen *peer.Server }

func start(t *testing.T) servers {
	t.Helper()
	peer.RequireTool(t, "mariadb-dump")
	files := t.TempDir()
	return servers{
		mariadb: peer.StartMariaDB(t, peer.Options{Binlog: true, Args: []string{"--secure-file-priv=" + files, "--loose-local-infile=1"}}),
		duramen: peer.Start(t, peer.Options{Kind: peer.Duramen, Args: []string{"--local-infile=1"}}),
	}
}

// load runs a script with the client.
func load(t *testing.T, s *peer.Server, script []byte, args ...string) {
	t.Helper()
	cmd := exec.Command("mariadb", append(client(s), args...)...)
	cmd.Stdin = bytes.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: loading into %s: %v\n%s", t.Name(), s.Kind, err, out)
	}
}

func client(s *peer.Server) []string {
	return []string{"--no-defaults", "--user=root", "--host=127.0.0.1", fmt.Sprintf("--port=%d", s.Port), "--default-character-set=utf8mb4"}
}

func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	if errs.Len() > 0 {
		t.Errorf("%s complains: %s", name, errs.Bytes())
	}
	return out.Bytes()
}

func script(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	text = bytes.ReplaceAll(text, []byte("@every1"), fmt.Appendf(nil, "x'%x'", every[1:])) // a TINYBLOB takes 255
	return bytes.ReplaceAll(text, []byte("@every"), fmt.Appendf(nil, "x'%x'", every))
}

// counter is the part of SHOW CREATE TABLE that a restore may change: a counter beyond the largest value.
var counter = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// picture is a database as text: what SHOW CREATE TABLE and information_schema say, and all rows.
func picture(t *testing.T, s *peer.Server, db string) string {
	t.Helper()
	c := s.DB(db)
	defer c.Close()
	var b strings.Builder
	section := func(title string, lines []string) {
		fmt.Fprintf(&b, "## %s\n%s\n", title, strings.Join(lines, "\n"))
	}
	tables := peer.MustRows(t, c, "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = ? ORDER BY 1", db)
	section("tables", tables)
	for _, line := range tables {
		var name, kind string
		if _, err := fmt.Sscanf(line, "%q %q", &name, &kind); err != nil {
			t.Fatal(err)
		}
		quoted := "`" + strings.ReplaceAll(db, "`", "``") + "`.`" + strings.ReplaceAll(name, "`", "``") + "`"
		if kind == "BASE TABLE" {
			var ignored, text string
			if err := c.QueryRow("SHOW CREATE TABLE "+quoted).Scan(&ignored, &text); err != nil {
				t.Fatal(err)
			}
			section("create "+name, []string{counter.ReplaceAllString(text, "")})
		}
		rows := peer.MustRows(t, c, "SELECT * FROM "+quoted)
		sort.Strings(rows)
		section("rows of "+name, rows)
	}
	for _, q := range facts {
		section(q, peer.MustRows(t, c, "SELECT "+q, db))
	}
	return b.String()
}

// facts are what is compared of information_schema.
var facts = []string{
	`c.table_name, column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length, character_octet_length,
	 numeric_precision, numeric_scale, datetime_precision, character_set_name, collation_name, column_type, column_key, extra, column_comment, is_generated, generation_expression
	 FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
	 WHERE t.table_type = 'BASE TABLE' AND c.table_schema = ? ORDER BY 1, 3`,
	`table_name, column_name FROM information_schema.columns WHERE table_schema = ? ORDER BY 1, ordinal_position`,
	`table_name, non_unique, index_name, seq_in_index, column_name, collation, sub_part, nullable, index_type, index_comment FROM information_schema.statistics WHERE table_schema = ? ORDER BY 1, 3, 4`,
	`table_name, constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_schema = ? ORDER BY 1, 2, 3`,
	`table_name, constraint_name, column_name, ordinal_position, referenced_table_name, referenced_column_name FROM information_schema.key_column_usage WHERE table_schema = ? ORDER BY 1, 2, 4`,
	`table_name, constraint_name, update_rule, delete_rule, unique_constraint_name, referenced_table_name FROM information_schema.referential_constraints WHERE constraint_schema = ? ORDER BY 1, 2`,
	`table_name, constraint_name, level, check_clause FROM information_schema.check_constraints WHERE constraint_schema = ? ORDER BY 1, 2, 3`,
	`table_name, engine, row_format, table_collation, create_options, table_comment FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = ? ORDER BY 1`,
	`table_name, check_option, definer, security_type, algorithm FROM information_schema.views WHERE table_schema = ? ORDER BY 1`,
	`trigger_name, event_manipulation, event_object_table, action_order, action_statement, action_timing, definer FROM information_schema.triggers WHERE trigger_schema = ? ORDER BY 1`,
	`routine_name, routine_type, routine_definition, is_deterministic, sql_data_access, security_type, routine_comment, definer FROM information_schema.routines WHERE routine_schema = ? ORDER BY 1`,
	`specific_name, ordinal_position, parameter_mode, parameter_name, data_type, dtd_identifier FROM information_schema.parameters WHERE specific_schema = ? ORDER BY 1, 2`,
	`event_name, event_definition, event_type, interval_value, interval_field, starts, status, on_completion, event_comment FROM information_schema.events WHERE event_schema = ? ORDER BY 1`,
	`default_character_set_name, default_collation_name FROM information_schema.schemata WHERE schema_name = ?`,
}

func same(t *testing.T, what, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	title := ""
	for i, shown := 0, 0; i < max(len(a), len(b)) && shown < 12; i++ {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if strings.HasPrefix(x, "## ") {
			title = x
		}
		if x != y {
			shown++
			t.Errorf("%s: %s\nwant %.600s\ngot  %.600s", what, title, x, y)
		}
	}
}

func drop(t *testing.T, s *peer.Server, db string) {
	t.Helper()
	c := s.DB("")
	defer c.Close()
	exec1(t, c, "DROP DATABASE IF EXISTS `"+db+"`")
}

func exec1(t *testing.T, c *sql.DB, q string) {
	t.Helper()
	if _, err := c.Exec(q); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

var dumpOptions = []string{"--routines", "--triggers", "--events", "--single-transaction", "--master-data=2", "--gtid", "--hex-blob"}

// TestDumps is everything about one pair of servers, which are started once.
func TestDumps(t *testing.T) {
	s := start(t)
	for _, name := range []string{"schema.sql", "names.sql"} {
		load(t, s.mariadb, script(t, name))
		load(t, s.duramen, script(t, name))
	}
	want := map[string]string{schema: picture(t, s.mariadb, schema), "odd names": picture(t, s.mariadb, "odd names")}
	t.Run("same", func(t *testing.T) {
		for db, p := range want {
			same(t, db, p, picture(t, s.duramen, db))
		}
	})
	dumps := map[peer.Kind][]byte{}
	for _, from := range []*peer.Server{s.mariadb, s.duramen} {
		dumps[from.Kind] = run(t, "mariadb-dump", append(append(client(from), dumpOptions...), "--databases", schema, "odd names")...)
	}
	t.Run("all-databases", func(t *testing.T) {
		out := run(t, "mariadb-dump", append(append(client(s.duramen), dumpOptions...), "--all-databases")...)
		if n := bytes.Count(out, []byte("CREATE TABLE ")); n < 18 {
			t.Errorf("%d tables in a dump of everything", n)
		}
	})
	trees := map[peer.Kind]string{}
	if _, err := exec.LookPath("mydumper"); err == nil {
		for _, from := range []*peer.Server{s.mariadb, s.duramen} {
			trees[from.Kind] = filepath.Join(t.TempDir(), "mydumper")
			run(t, "mydumper", "--host=127.0.0.1", fmt.Sprintf("--port=%d", from.Port), "--user=root", "--database="+schema, "--outputdir="+trees[from.Kind], "--routines", "--triggers", "--events", "--threads=2")
		}
	}
	for _, way := range []struct{ from, to *peer.Server }{{s.mariadb, s.duramen}, {s.duramen, s.duramen}, {s.duramen, s.mariadb}} {
		name := fmt.Sprintf("%s to %s", way.from.Kind, way.to.Kind)
		t.Run("mariadb-dump "+name, func(t *testing.T) {
			for db := range want {
				drop(t, way.to, db)
			}
			load(t, way.to, dumps[way.from.Kind])
			for db, p := range want {
				same(t, name+": "+db, p, picture(t, way.to, db))
			}
		})
		t.Run("mydumper "+name, func(t *testing.T) {
			if trees[way.from.Kind] == "" {
				t.Skip("mydumper is not installed (Debian package mydumper)")
			}
			drop(t, way.to, schema)
			run(t, "myloader", "--host=127.0.0.1", fmt.Sprintf("--port=%d", way.to.Port), "--user=root", "--directory="+trees[way.from.Kind], "--threads=1")
			same(t, name, want[schema], picture(t, way.to, schema))
		})
	}
}
