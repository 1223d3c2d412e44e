package peer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Debian keeps mariadbd where the path of a plain user does not lead.
func init() { _ = os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin") }

// Full tells whether the sizes of the acceptance list are asked for, rather
// than the slice that every run of the tests affords.
func Full() bool { return os.Getenv("DURAMEN_TEST_SCALE") == "full" }

// Scaled gives the one or the other size.
func Scaled[T any](slice, full T) T {
	if Full() {
		return full
	}
	return slice
}

// RequireMariaDB skips the test where MariaDB's server and tools are missing.
func RequireMariaDB(t testing.TB) {
	t.Helper()
	for _, tool := range []string{"mariadbd", "mariadb-install-db", "mariadb", "mariadb-binlog"} {
		RequireTool(t, tool)
	}
}

// RequireTool skips the test where a program is missing, or fails it when the
// run was told that the peers are installed.
func RequireTool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("DURAMEN_REQUIRE_PEERS") == "1" {
		t.Fatalf("%s is not installed, and DURAMEN_REQUIRE_PEERS=1 demands it", name)
	}
	t.Skipf("interoperability not tested: %s is not installed (test/install-peers.sh installs it on Debian)", name)
}

// Root is the top directory of the repository.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

var build struct {
	sync.Once
	path string
	err  error
}

// Binary gives the path of the server binary: DURAMEN_BIN, or one built from
// this checkout.
func Binary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("DURAMEN_BIN"); path != "" {
		abs, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		return abs
	}
	build.Do(func() {
		build.path = filepath.Join(Root(), "bin", "duramen")
		// Packages are tested side by side: build apart, then replace in one step.
		next := fmt.Sprintf("%s.%d", build.path, os.Getpid())
		cmd := exec.Command("go", "build", "-tags", "gms_pure_go", "-o", next, "./cmd/duramen")
		cmd.Dir = Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			build.err = fmt.Errorf("building the server: %w\n%s", err, out)
			return
		}
		build.err = os.Rename(next, build.path)
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return build.path
}

func (s *Server) installMariaDB() {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.Dir, "mysql")); err == nil {
		return
	}
	args := []string{
		"--no-defaults", "--datadir=" + s.Dir,
		"--auth-root-authentication-method=normal", "--skip-test-db",
	}
	if os.Getuid() == 0 {
		args = append(args, "--user=root")
	}
	cmd := exec.Command("mariadb-install-db", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+s.tmp())
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
}

// Await polls until the condition holds, and fails the test when it does not
// within the given time. The time bounds a hang; nothing is measured by it.
func Await(t testing.TB, atMost time.Duration, what string, holds func() (bool, error)) {
	t.Helper()
	deadline := time.Now().Add(atMost)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := holds()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting for %s after %v (last error: %v)", what, atMost, err)
		}
		<-tick.C
	}
}
