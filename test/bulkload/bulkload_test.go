package bulkload

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/bench/usage"
	"github.com/duramendb/duramen/test/peer"
)

var ctx = context.Background()

// rowsPerInsert is how many rows an INSERT has: some 200 KiB of text.
const rowsPerInsert = 1000

// step is one measured thing: statements before it that are not measured, those that are, and a question whose answer is the same on all servers.
type step struct {
	name   string
	before []string
	run    func(b *testing.B, c *sql.Conn, file string)
	check  string
}

func create(name, key string) []string {
	return []string{"DROP TABLE IF EXISTS " + name, "CREATE TABLE " + name +
		" (id INT PRIMARY KEY, k INT NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL" + key + ") CHARACTER SET utf8mb4"}
}

func statement(text string) func(*testing.B, *sql.Conn, string) {
	return func(b *testing.B, c *sql.Conn, file string) {
		_, err := c.ExecContext(ctx, strings.ReplaceAll(text, "?", "'"+file+"'"))
		require.NoError(b, err, text)
	}
}

const sums = "SELECT CONCAT(COUNT(*), ' ', SUM(k), ' ', SUM(CRC32(c)), ' ', SUM(CRC32(pad))) FROM "

// A table of sysbench's, with another one that has no secondary index.
var steps = []step{
	{"load data", create("filled", ", KEY (k)"), statement("LOAD DATA LOCAL INFILE ? INTO TABLE filled"), sums + "filled"},
	{"load data into no index", create("plain", ""), statement("LOAD DATA LOCAL INFILE ? INTO TABLE plain"), sums + "plain"},
	{
		"load data set", create("computed", ", KEY (k)"),
		statement("LOAD DATA LOCAL INFILE ? INTO TABLE computed (id, @k, c, @pad) SET k = @k + 1, pad = LEFT(@pad, 50)"), sums + "computed",
	},
	{"insert", create("inserted", ", KEY (k)"), inserts, sums + "inserted"},
	{"create index c", nil, statement("CREATE INDEX by_c ON filled (c)"), "SELECT COUNT(*) FROM filled FORCE INDEX (by_c) WHERE c > '5'"},
	{"create index k_pad", nil, statement("CREATE INDEX by_k_pad ON filled (k, pad)"), "SELECT COUNT(*) FROM filled FORCE INDEX (by_k_pad) WHERE k > 1000"},
	{"create index k", []string{"DROP INDEX k ON filled"}, statement("CREATE INDEX k ON filled (k)"), "SELECT COUNT(*) FROM filled FORCE INDEX (k) WHERE k > 1000"},
}

// inserts makes INSERT statements of the lines of the file, whose fields need no escapes.
func inserts(b *testing.B, c *sql.Conn, file string) {
	in, err := os.Open(file)
	require.NoError(b, err)
	defer in.Close()
	var text strings.Builder
	n := 0
	send := func() {
		if n > 0 {
			_, err := c.ExecContext(ctx, text.String())
			require.NoError(b, err)
		}
		text.Reset()
		n = 0
	}
	for lines := bufio.NewScanner(in); lines.Scan(); n++ {
		if n == rowsPerInsert {
			send()
		}
		if text.WriteByte(','); n == 0 {
			text.Reset()
			text.WriteString("INSERT INTO inserted VALUES ")
		}
		f := strings.Split(lines.Text(), "\t")
		text.WriteString("(" + f[0] + "," + f[1] + ",'" + f[2] + "','" + f[3] + "')")
	}
	send()
}

// write makes the file: rows as sysbench draws them, in the order of the primary key.
func write(b *testing.B, file string, rows int) {
	out, err := os.Create(file)
	require.NoError(b, err)
	w := bufio.NewWriter(out)
	draw := rand.New(rand.NewPCG(1, 2))
	groups := func(n int) string {
		var text strings.Builder
		for i := range n {
			if i > 0 {
				text.WriteByte('-')
			}
			fmt.Fprintf(&text, "%011d", draw.Int64N(1e11))
		}
		return text.String()
	}
	for id := range rows {
		_, err := fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", id+1, 1+draw.IntN(rows), groups(10), groups(5))
		require.NoError(b, err)
	}
	require.NoError(b, w.Flush())
	require.NoError(b, out.Close())
}

// BenchmarkBulkLoad prints the time of each step, and what the server's processor time was.
func BenchmarkBulkLoad(b *testing.B) {
	rows := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("BULKLOAD_ROWS")); err == nil {
		rows = n
	}
	file := filepath.Join(b.TempDir(), "rows")
	write(b, file, rows)
	mysql.RegisterLocalFile(file)
	for range b.N {
		servers := start(b)
		for _, s := range steps {
			if !wanted(s.name) {
				continue
			}
			answers := map[string]bool{}
			for _, on := range servers {
				answers[on.measure(b, s, file, rows)] = true
			}
			require.Len(b, answers, 1, s.name)
		}
		b.ReportMetric(0, "ns/op")
		for _, on := range servers {
			on.Stop()
		}
	}
}

func wanted(name string) bool {
	names := os.Getenv("BULKLOAD_STEPS")
	return names == "" || slices.Contains(strings.Split(names, ","), name)
}

// server is one of those that are compared; profiles is where its profiles are, empty for none.
type server struct {
	*peer.Server
	conn     *sql.Conn
	profiles string
}

func start(b *testing.B) (out []*server) {
	mariadb := []string{"--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1", "--innodb-log-file-size=1G"}
	var duramen []string
	if os.Getenv("BULKLOAD_NOSYNC") != "" {
		mariadb, duramen = []string{"--sync-binlog=0", "--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=1G"}, []string{"--sync-binlog=0"}
	}
	const buffer = "--innodb-buffer-pool-size=1G"
	profiles := ""
	if os.Getenv("BULKLOAD_PROFILES") != "" {
		profiles = "127.0.0.1:" + strconv.Itoa(peer.FreePort(b))
		duramen = append(duramen, "--pprof", "--metrics-address="+profiles)
	}
	which := os.Getenv("BULKLOAD_SERVERS")
	if which == "" || which == string(peer.Duramen) {
		out = append(out, &server{Server: peer.Start(b, peer.Options{Kind: peer.Duramen, Args: append(duramen, buffer)}), profiles: profiles})
	}
	if which == "" || which == string(peer.MariaDB) {
		out = append(out, &server{Server: peer.StartMariaDB(b, peer.Options{Binlog: true, Args: append(mariadb, buffer)})})
	}
	for _, s := range out {
		db := s.DB("")
		b.Cleanup(func() { _ = db.Close() })
		var err error
		s.conn, err = db.Conn(ctx)
		require.NoError(b, err)
		s.exec(b, "CREATE DATABASE bulk")
		s.exec(b, "USE bulk")
	}
	return out
}

func (s *server) exec(b *testing.B, text string) {
	_, err := s.conn.ExecContext(ctx, text)
	require.NoError(b, err, text)
}

func (s *server) measure(b *testing.B, what step, file string, rows int) (answer string) {
	for _, text := range what.before {
		s.exec(b, text)
	}
	stop := s.profile(b, what.name)
	began, before := time.Now(), usage.Read(s.Pid())
	what.run(b, s.conn, file)
	took, after := time.Since(began), usage.Read(s.Pid())
	stop()
	b.Logf("%-24s %-8s %8.2f s %8.2f µs of processor time per row %6.0f MB written", what.name, s.Kind, took.Seconds(),
		float64((after.CPU-before.CPU).Nanoseconds())/1000/float64(rows), float64(after.WriteBytes-before.WriteBytes)/1e6)
	require.NoError(b, s.conn.QueryRowContext(ctx, what.check).Scan(&answer), what.check)
	return answer
}

// profile takes a CPU profile of the server's first five seconds, and returns what waits for it.
func (s *server) profile(b *testing.B, step string) (stop func()) {
	if s.profiles == "" {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.profiles+"/debug/pprof/profile?seconds=5", nil)
		if err != nil {
			b.Error(err)
			return
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Error(err)
			return
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Getenv("BULKLOAD_PROFILES"), strings.ReplaceAll(step, " ", "-")+".pprof"), text, 0o600)
		}
		if err != nil {
			b.Error(err)
		}
	}()
	return func() { <-done }
}
