package benchsuite

import (
	"path/filepath"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// A log of each workload is applied by MariaDB one after the other and in parallel; and what the report says of that.
func TestReplicaSuite(t *testing.T) {
	peer.RequireMariaDB(t)
	peer.RequireTool(t, "sysbench")
	out := filepath.Join(t.TempDir(), "out")
	text, code := run(t, bench(t, out, "--suite=replica", "--server=mariadb", "--replica-modes=serial,optimistic-4", "--events=200"))
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	rs := results(t, out)
	if len(rs) != 8 {
		t.Errorf("%d results:\n%s", len(rs), text)
	}
	for name, r := range rs {
		if m := r.Measured; m == nil || m.Transactions != 200 || m.Elapsed <= 0 || !m.ServerCPU.Known || m.Commits.N != 200 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if left, err := filepath.Glob(filepath.Join(out, "duramen-bench-data*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
