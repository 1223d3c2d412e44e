package largetxn

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// A large transaction beside small ones; the server is killed, started, and asked.
func TestLargeTransaction(t *testing.T) {
	s := peer.Start(t, peer.Options{Args: []string{"--binlog-large-commit-threshold=1M", "--max-binlog-size=1M", "--binlog-cache-size=32K"}})
	db := setUp(t, s)
	w := startWriter(t, db)
	const size = 5 << 20
	conn, rows := fill(t, db, size, 500)
	run(t, conn, "SAVEPOINT s")
	run(t, conn, "DELETE FROM large.big WHERE k < 500")
	run(t, conn, "ROLLBACK TO s")
	run(t, conn, "UPDATE large.big SET v = CONCAT('changed ', id) WHERE k = 7")
	run(t, conn, "DELETE FROM large.big WHERE k = 8")
	run(t, conn, "COMMIT")
	require.NoError(t, conn.Close())
	acked, err := w.finish()
	require.NoError(t, err)
	require.Positive(t, acked)
	rows -= number(t, db, fmt.Sprintf("SELECT (%d + 991) DIV 1000", rows))
	check := func() {
		require.Equal(t, rows, number(t, db, "SELECT COUNT(*) FROM large.big"))
		require.Equal(t, number(t, db, "SELECT COUNT(*) FROM large.big WHERE k = 7"), number(t, db, "SELECT COUNT(*) FROM large.big WHERE v LIKE 'changed %'"))
		require.Zero(t, number(t, db, "SELECT COUNT(*) FROM large.big WHERE k = 8"))
		require.Equal(t, acked, number(t, db, "SELECT COUNT(*) FROM large.small"))
	}
	check()
	var name string
	var count int64
	require.NoError(t, db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Binlog_large_commits'").Scan(&name, &count))
	require.EqualValues(t, 1, count)

	s.Kill()
	s.Up()
	check()
	s.Restart() // the log is closed
	check()
	segment(t, s.Dir, rows)
}

// segment finds the segment of the large transaction, in which it is alone, with mariadb-binlog.
func segment(t *testing.T, dir string, rows int64) {
	tool, err := exec.LookPath("mariadb-binlog")
	if err != nil {
		peer.RequireMariaDB(t)
	}
	files, err := filepath.Glob(filepath.Join(dir, "binlog.0*"))
	require.NoError(t, err)
	found := 0
	for _, f := range files {
		if strings.HasSuffix(f, ".idx") {
			continue
		}
		out, err := exec.Command(tool, "-v", "--base64-output=decode-rows", f).CombinedOutput()
		require.NoError(t, err, "%s: %.500s", f, out)
		text := string(out)
		inserts := strings.Count(text, "### INSERT INTO `large`.`big`")
		if inserts == 0 {
			continue
		}
		found++
		require.Equal(t, 1, strings.Count(text, "\tGTID "), f)
		require.NotContains(t, text, "`large`.`small`")
		require.EqualValues(t, rows, inserts-strings.Count(text, "### DELETE FROM `large`.`big`"), f)
	}
	require.Equal(t, 1, found, "segments with the large transaction")
}

func setting(name string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// BenchmarkLargeCommit prints the longest stall of a client beside a large transaction.
func BenchmarkLargeCommit(b *testing.B) {
	mib, size := setting("LARGETXN_MIB", 1024), setting("LARGETXN_ROW", 1000)
	for range b.N {
		s := peer.Start(b, peer.Options{Args: strings.Fields(os.Getenv("LARGETXN_ARGS"))})
		db := setUp(b, s)
		before, err := peakKB(s.Pid())
		require.NoError(b, err)
		w := startWriter(b, db)
		pause(5 * time.Second)
		begin := time.Now()
		conn, rows := fill(b, db, mib<<20, size)
		filled := time.Now()
		pause(2 * time.Second)
		alone := time.Now()
		run(b, conn, "COMMIT")
		committed := time.Now()
		pause(3 * time.Second)
		end := time.Now()
		require.NoError(b, conn.Close())
		_, err = w.finish()
		require.NoError(b, err)
		after, err := peakKB(s.Pid())
		require.NoError(b, err)
		require.Equal(b, rows, number(b, db, "SELECT COUNT(*) FROM large.big"))

		b.Logf("%d MiB in one transaction: %d rows of %d bytes; filled in %v, COMMIT took %v", mib, rows, size,
			filled.Sub(begin).Round(time.Millisecond), committed.Sub(alone).Round(time.Millisecond))
		for _, p := range []struct {
			what     string
			from, to time.Time
		}{
			{"alone", begin.Add(-5 * time.Second), begin}, {"beside the statements", begin, filled},
			{"beside the open transaction", filled, alone}, {"beside COMMIT", alone, committed}, {"after it", committed, end},
		} {
			stall, n := w.longest(p.from, p.to)
			b.Logf("  the other client's longest commit %-28s %9.2f ms   of %6d in %v", p.what+":", stall.Seconds()*1000, n, p.to.Sub(p.from).Round(time.Millisecond))
		}
		b.Logf("  peak memory of the server: %d MB at the start, %d MB at the end", before>>10, after>>10)
		b.ReportMetric(0, "ns/op")
		s.Stop()
	}
}

func pause(d time.Duration) { <-time.After(d) }
