package dialect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// LOAD DATA keeps the text of JSON: its order, its spaces, keys that are there twice; the file's character set is read.
func TestLoadedJSON(t *testing.T)        { loadedJSON(t, peer.Duramen) }
func TestLoadedJSONMariaDB(t *testing.T) { peer.RequireMariaDB(t); loadedJSON(t, peer.MariaDB) }

func loadedJSON(t *testing.T, kind peer.Kind) {
	dir := t.TempDir()
	s := peer.Start(t, peer.Options{Kind: kind, Args: []string{"--secure-file-priv=" + dir}})
	c := dialTo(t, s, "root")
	for _, q := range []string{"CREATE DATABASE d CHARACTER SET utf8mb4", "USE d", "SET NAMES utf8mb4", "CREATE TABLE t (id INT, j JSON)"} {
		must(t, c, q)
	}
	for _, l := range []struct{ file, load string }{
		{"1\t{\"b\":1,\"a\":2}\n2\t[1,2,  3]\n3\t{\"a\":1, \"a\":2}\n4\t\\N\n", ""},
		{"5\t{\"b\":\"\xe9\"}\n", "CHARACTER SET latin1"},
		{"6\t{\"b\":1,\"a\":2}\n", "(id, @j) SET j = CONCAT(@j, ' ')"},
	} {
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte(l.file), 0o644); err != nil {
			t.Fatal(err)
		}
		must(t, c, "LOAD DATA INFILE '"+file+"' INTO TABLE t "+l.load)
	}
	wantFile(t, c, "SELECT GROUP_CONCAT(j ORDER BY id SEPARATOR '|') FROM t", `{"b":1,"a":2}|[1,2,  3]|{"a":1, "a":2}|{"b":"é"}|{"b":1,"a":2} `)
	must(t, c, "DROP DATABASE d")
}
