package replica

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// TestBySet: a place that was reached while nobody kept the set, by an earlier version or because the primary had no GTIDs, counts until CHANGE MASTER or RESET SLAVE
// says otherwise, also over a restart.
func TestBySet(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, func(cfg *Config) { cfg.FS, cfg.Dir = vfs.Default, dir })
	is := func(want bool) {
		t.Helper()
		for range 2 {
			c, err := w.find("")
			if err != nil || c.settings().BySet != want {
				t.Fatalf("%+v, %v, want %t", c.settings(), err, want)
			}
			w.open(t)
		}
	}
	earlier := `{"Version": 1, "Connections": [{"Name": "", "Settings": {"Host": "h", "Port": 3306, "User": "u", "GTID": 0, "Place": {"File": "log.000003", "Pos": 77}}}]}`
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(earlier), 0o600); err != nil {
		t.Fatal(err)
	}
	w.open(t)
	is(false)
	change := func(to Change) {
		t.Helper()
		must(t)(w.Change(context.Background(), "", to))
	}
	change(Change{User: text("v")})
	is(false)
	mode := func(m primary.GTIDMode) *primary.GTIDMode { return &m }
	change(Change{GTID: mode(primary.SlavePos)})
	is(true)
	change(Change{User: text("u")})
	is(true)
	change(Change{LogFile: text("log.000004")})
	is(false)
	change(Change{GTID: mode(primary.CurrentPos)})
	is(true)
	// The primary has no GTIDs now.
	c, err := w.find("")
	if err != nil {
		t.Fatal(err)
	}
	(&Receiving{c: c}).WithoutGTIDs()
	if err := w.save(); err != nil {
		t.Fatal(err)
	}
	is(false)
	must(t)(w.Reset("", false))
	is(true)
	change(Change{LogFile: text("log.000004")})
	change(Change{Host: text("another"), GTID: mode(primary.SlavePos)})
	is(true)
}
