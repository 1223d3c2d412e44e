package peer

import (
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mysqlDir is where test/install-mysql.sh puts a MySQL.
func mysqlDir() string { return cmp.Or(os.Getenv("DURAMEN_MYSQL"), "/usr/local/lib/duramen-mysql") }

// RequireMySQL skips the test where there is no MySQL. It is one of the optional peers: DURAMEN_REQUIRE_PEERS does not demand it.
func RequireMySQL(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(mysqlDir(), "data", "mysql")); err != nil {
		t.Skipf("nothing tested with a real MySQL: there is none in %s (test/install-mysql.sh fetches one on Debian)", mysqlDir())
	}
}

// StartMySQL starts a real MySQL, which writes a log; the test is skipped where there is none.
func StartMySQL(t testing.TB, o Options) *Server {
	t.Helper()
	RequireMySQL(t)
	o.Kind = MySQL
	return Start(t, o)
}

func (s *Server) installMySQL() {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.Dir, "mysql")); err == nil {
		return
	}
	if out, err := exec.Command("cp", "-R", filepath.Join(mysqlDir(), "data"), s.Dir).CombinedOutput(); err != nil {
		s.t.Fatalf("a data directory for a MySQL: %v\n%s", err, out)
	}
}

// mysqlCommand is the command line of a MySQL, without the options that all servers have.
func (s *Server) mysqlCommand() (program string, args []string) {
	args = []string{
		"--character-set-server=utf8mb4", "--pid-file=" + s.Socket + ".pid", "--tmpdir=" + s.tmp(), "--mysqlx=OFF", "--log-bin=binlog",
		"--innodb-buffer-pool-size=32M", "--innodb-redo-log-capacity=8M", "--secure-file-priv=NULL",
	}
	if os.Getuid() == 0 {
		args = append(args, "--user=root")
	}
	return filepath.Join(mysqlDir(), "mysqld"), args
}

// ExecutedByMySQL is the set of a MySQL's transactions, without the line breaks that it prints.
func ExecutedByMySQL(t testing.TB, db *sql.DB) string {
	t.Helper()
	return strings.ReplaceAll(strings.Trim(MustRows(t, db, "SELECT @@GLOBAL.gtid_executed")[0], `"`), `\n`, "")
}

// CatchUpMySQL is CatchUp for a replica of a MySQL, by its set of transactions or by file and position.
func CatchUpMySQL(t testing.TB, primary, replica *sql.DB) {
	t.Helper()
	byGTID := MustRows(t, primary, "SELECT @@GLOBAL.gtid_mode")[0] == `"ON"`
	Await(t, 3*time.Minute, "the replica of the MySQL", func() (bool, error) {
		log := strings.Fields(MustRows(t, primary, "SHOW BINARY LOG STATUS")[0])
		set := ExecutedByMySQL(t, primary)
		if err := Stopped(replica); err != nil {
			t.Fatalf("the replica stopped before %v: %v", log, err)
		}
		status, err := SlaveStatus(replica)
		if err != nil {
			return false, err
		}
		if byGTID {
			at, err := Rows(replica, "SELECT @@GLOBAL.gtid_executed")
			return err == nil && strings.Trim(at[0], `"`) == set, fmt.Errorf("it has %v, its primary %s, %w", at, set, err)
		}
		at := []string{strconv.Quote(status["Relay_Master_Log_File"]), strconv.Quote(status["Exec_Master_Log_Pos"])}
		return slices.Equal(at, log[:2]), fmt.Errorf("it is at %v, its primary at %v", at, log[:2])
	})
}
