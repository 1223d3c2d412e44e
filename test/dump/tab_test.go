package dump

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

const tabbed = "tabbed"

// tabVariants are options of mariadb-dump --tab, which mariadb-import is given as well. The files of --local
// come from the client.
var tabVariants = []struct {
	name    string
	options []string
	local   bool
}{
	{name: "default"},
	{name: "local", local: true},
	{name: "csv", options: []string{"--fields-terminated-by=,", `--fields-enclosed-by="`, `--lines-terminated-by=\r\n`}},
	{name: "optionally", options: []string{"--fields-terminated-by=0x2c", "--fields-optionally-enclosed-by=0x22", "--fields-escaped-by=0x5c"}, local: true},
	{name: "odd", options: []string{"--fields-terminated-by=~|~", "--fields-escaped-by=^", "--lines-terminated-by=END"}},
}

// connect is client without a character set: --tab and mariadb-import take binary then.
func connect(s *peer.Server) []string {
	return []string{"--no-defaults", "--user=root", "--host=127.0.0.1", fmt.Sprintf("--port=%d", s.Port)}
}

// TestTab restores mariadb-dump --tab: what one server wrote is in the other as it was.
func TestTab(t *testing.T) {
	peer.RequireTool(t, "mariadb-dump")
	peer.RequireTool(t, "mariadb-import")
	peer.RequireMariaDB(t)
	files := t.TempDir() // of both servers
	args := []string{"--secure-file-priv=" + files, "--local-infile=1"}
	s := servers{
		mariadb: peer.StartMariaDB(t, peer.Options{Args: append(args, "--innodb-flush-log-at-trx-commit=0")}),
		duramen: peer.Start(t, peer.Options{Kind: peer.Duramen, Args: args}),
	}
	load(t, s.mariadb, script(t, "tab.sql"))
	load(t, s.duramen, script(t, "tab.sql"))
	want := picture(t, s.mariadb, tabbed)
	same(t, "before", want, picture(t, s.duramen, tabbed))
	written := map[string]string{} // by variant and file, by the first server
	for _, from := range []*peer.Server{s.mariadb, s.duramen} {
		for _, v := range tabVariants {
			dir := filepath.Join(files, fmt.Sprintf("%s %s", from.Kind, v.name))
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			run(t, "mariadb-dump", append(append(connect(from), v.options...), "--tab="+dir, tabbed)...)
			texts, err := filepath.Glob(filepath.Join(dir, "*.txt"))
			if err != nil || len(texts) != 5 {
				t.Fatalf("%d files of rows, %v", len(texts), err)
			}
			for _, file := range texts {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				key := v.name + " " + filepath.Base(file)
				if first, ok := written[key]; ok && first != string(data) {
					t.Errorf("%s: MariaDB wrote\n%q, Duramen\n%q", key, first, data)
				}
				written[key] = string(data)
			}
		}
	}
	if t.Failed() {
		return
	}
	for _, way := range []struct{ from, to *peer.Server }{{s.mariadb, s.duramen}, {s.duramen, s.duramen}, {s.duramen, s.mariadb}} {
		for _, v := range tabVariants {
			name := fmt.Sprintf("%s to %s, %s", way.from.Kind, way.to.Kind, v.name)
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(files, fmt.Sprintf("%s %s", way.from.Kind, v.name))
				drop(t, way.to, tabbed)
				load(t, way.to, []byte("CREATE DATABASE tabbed CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"))
				tables, err := filepath.Glob(filepath.Join(dir, "*.sql"))
				if err != nil {
					t.Fatal(err)
				}
				texts := make([]string, len(tables))
				for i, file := range tables {
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					load(t, way.to, text, tabbed)
					texts[i] = strings.TrimSuffix(file, ".sql") + ".txt"
				}
				args := connect(way.to)
				if v.local {
					args = append(args, "--local")
				}
				out := run(t, "mariadb-import", append(append(append(args, v.options...), tabbed), texts...)...)
				if strings.Count(string(out), "Warnings: 0") != len(texts) {
					t.Errorf("mariadb-import says\n%s", out)
				}
				same(t, name, want, picture(t, way.to, tabbed))
			})
		}
	}
}
