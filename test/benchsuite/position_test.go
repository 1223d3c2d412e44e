package benchsuite

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duramendb/duramen/bench/position"
	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/test/peer"
)

// Replicas of MariaDB with their position in either engine, and Duramen, apply a log. The command itself compares the rows of
// each replica with the primary's, and looks where the position is.
func TestPosition(t *testing.T) {
	peer.RequireMariaDB(t)
	if engines := enginesOf(t, target.MariaDB); len(engines) < 2 {
		t.Skip("MariaDB's RocksDB is not installed (Debian package mariadb-plugin-rocksdb)")
	}
	dir := t.TempDir()
	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	cmd := exec.Command(peer.Binary(t), "bench", "position", "--dir", dir, "--json", raw, "--profiles=sync", "--rows=50", "--transactions=20", "--rounds=1", "--log-updates")
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	text, code := run(t, cmd)
	if code != 0 || !strings.Contains(text, "Applied transactions per second") {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	f, err := os.Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s position.Slice
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if s.Transactions != 20 || s.Elapsed <= 0 || !s.CPU.Known {
			t.Errorf("%+v", s)
		}
		n[s.Position+" "+s.Engine]++
	}
	for _, want := range []string{"first InnoDB", "first ROCKSDB", "second InnoDB", "second ROCKSDB", "auto InnoDB", "auto ROCKSDB", "none RocksDB", "none BTREE"} {
		if n[want] != 1 {
			t.Errorf("%d turns of %s in %v", n[want], want, n)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
