package dialect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestCompressedClient: MariaDB's own client with --compress gets from both servers what it gets without, and sends files.
func TestCompressedClient(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(file, []byte(strings.Repeat("1\tsome text that is the same each time\n", 50_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "CREATE OR REPLACE DATABASE x; USE x; CREATE TABLE t (a INT, b TEXT); LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE t; " +
		"SELECT COUNT(*), SUM(LENGTH(b)) FROM t; SELECT REPEAT('x', 3000000); SELECT b FROM t LIMIT 30000; SELECT LENGTH('" + strings.Repeat("long ", 100_000) + "') AS n; SELECT 1 FROM nothing"
	peer.RequireTool(t, "mariadb")
	both(t, func(t *testing.T, addr string, note func(string, []string)) {
		host, port, _ := strings.Cut(addr, ":")
		if _, err := strconv.Atoi(port); err != nil {
			t.Fatal(err)
		}
		for _, option := range []string{"--skip-compress", "--compress"} {
			cmd := exec.Command("mariadb", "--no-defaults", "-h", host, "-P", port, "-u", "root", "--local-infile=1", "--batch", option)
			cmd.Stdin = strings.NewReader(script)
			out, err := cmd.Output()
			if err == nil {
				t.Errorf("%s: the last statement is wrong", option)
			}
			if n := len(out); n < 4_000_000 {
				t.Errorf("%s: %d bytes: %.200s", option, n, out)
			}
			note(option, strings.Split(strings.ReplaceAll(string(out), strings.Repeat("x", 3_000_000), "3000000 x"), "some text that is the same each time\n"))
		}
	})
}
