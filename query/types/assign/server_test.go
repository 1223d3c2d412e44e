package assign_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/test/peer"
)

var (
	record = flag.Bool("record", false, "write testdata/answers.tsv anew, by a MariaDB")
	addr   = flag.String("assign.server", "", "address of a running MariaDB, instead of one that the test starts")
	count  = flag.Int("assign.count", 2000, "how many pairs are asked")
	seed   = flag.Uint64("assign.seed", 1, "which ones")
	most   = flag.Int("assign.most", 25, "how many differences are shown")
)

const (
	answers       = "testdata/answers.tsv"
	recordedCount = 1200
	recordedSeed  = 9
	started       = 1_700_000_000 // 2023-11-14 22:13:20 UTC
)

// server is a session of a real MariaDB with a table of each column.
type server struct {
	t     *testing.T
	conn  *client.Conn
	setup string
	asked int
}

func dial(t *testing.T) *server {
	t.Helper()
	at := *addr
	if at == "" {
		at = peer.StartMariaDB(t, peer.Options{Args: []string{"--innodb-flush-log-at-trx-commit=0"}}).Socket
	}
	conn, err := client.Connect(at, "root", "", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	s := &server{t: t, conn: conn}
	s.exec("DROP DATABASE IF EXISTS d")
	s.exec("CREATE DATABASE d CHARACTER SET latin1")
	s.exec("USE d")
	s.exec("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone='+00:00', sql_mode='', timestamp=" + fmt.Sprint(started))
	for i, c := range columns() {
		for name, null := range map[string]string{"t": "NULL", "n": "NOT NULL"} {
			s.exec(fmt.Sprintf("CREATE TABLE %s%d (c %s %s) ENGINE=InnoDB", name, i, c.def, null))
		}
	}
	for _, v := range columnValues() {
		s.exec(fmt.Sprintf("CREATE TABLE %s (c %s) ENGINE=InnoDB", v.table, v.def))
		s.exec(fmt.Sprintf("INSERT INTO %s VALUES (%s)", v.table, v.sql))
	}
	s.exec("SET autocommit=0")
	return s
}

func (s *server) exec(q string) {
	s.t.Helper()
	r, err := s.conn.Execute(q)
	require.NoError(s.t, err, q)
	r.Close()
}

// ask is what MariaDB says.
func (s *server) ask(q *question) string {
	s.t.Helper()
	if setup := fmt.Sprintf("SET sql_mode='%s', time_zone='%s'", q.mode, q.zone); setup != s.setup {
		s.exec(setup)
		s.setup = setup
	}
	if s.asked++; s.asked%500 == 0 {
		s.exec("ROLLBACK")
	}
	source := "VALUES (" + q.value.sql + ")"
	if q.value.table != "" {
		source = "SELECT c FROM " + q.value.table
	}
	return s.run(fmt.Sprintf("%s INTO %s (c) %s RETURNING %s", insert(q.ignore), q.table(), source, q.column.shownBy()))
}

func insert(ignore bool) string {
	if ignore {
		return "INSERT IGNORE"
	}
	return "INSERT"
}

func (q *question) table() string {
	if q.notNull {
		return fmt.Sprintf("n%d", q.at)
	}
	return fmt.Sprintf("t%d", q.at)
}

// run is the last value of a statement's result, or its error, with the conditions.
func (s *server) run(statement string) string {
	s.t.Helper()
	r, err := s.conn.Execute(statement)
	out := "NULL"
	if err != nil {
		var e *mysql.MyError
		require.ErrorAs(s.t, err, &e, statement)
		out = fmt.Sprintf("E%d/%s %s", e.Code, e.State, e.Message)
	} else {
		defer r.Close()
		if n := len(r.Values); n > 0 && r.Values[n-1][0].Type != mysql.FieldValueTypeNull {
			text, _, _, err := mysql.LengthEncodedString(r.RowDatas[n-1])
			require.NoError(s.t, err)
			out = string(text)
		}
	}
	w, err := s.conn.Execute("SHOW WARNINGS")
	require.NoError(s.t, err)
	defer w.Close()
	for i := range w.Values {
		level, _ := w.GetString(i, 0)
		number, _ := w.GetInt(i, 1)
		message, _ := w.GetString(i, 2)
		if level != "Error" {
			out += fmt.Sprintf(" | %s %d %s", level, number, message)
		}
	}
	return oneLine(out)
}

func oneLine(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s) }

// ours is what package assign says.
func ours(q *question) string {
	mode := types.Mode(0)
	for name := range strings.SplitSeq(q.mode, ",") {
		mode |= types.ModeNamed(name)
	}
	zone, err := temporal.ParseZone(q.zone)
	if err != nil {
		return err.Error()
	}
	diag := &types.Diagnostics{Most: 64}
	if mode.Strict() && !q.ignore {
		diag.Strict = func(uint16) bool { return true }
	}
	c := &assign.Context{
		Diag: diag, Row: 1, Zone: zone, Now: temporal.Stamp(started * 1_000_000), NullFails: !q.ignore && q.value.table == "",
	}
	a, err := assign.New(mode, q.column.named(q.table(), q.notNull), q.value.from)
	if err != nil {
		return err.Error()
	}
	if a.Mismatch != nil {
		diag.Warnf(a.Mismatch.Number, "%s", a.Mismatch.Message)
	}
	out := ""
	if diag.Failed() == nil {
		if v, ok := a.Assign(c, q.value.v); ok {
			if mode.Has(types.PadCharToFullLength) && q.column.t.Kind == types.Char && !q.column.t.Binary() {
				v.Text = filled(v.Text, &q.column.t) // which is for who reads it
			}
			out = q.column.show(v, zone)
		}
	}
	return oneLine(said(diag, out))
}

// filled is a text of CHAR with spaces at its end.
func filled(s []byte, t *types.Type) []byte {
	set, out := t.Collation.Set(), slices.Clone(s)
	for set.Len(out) < int(t.Length) {
		out, _ = set.Append(out, ' ')
	}
	return out
}

// said is a value, or the error, with the conditions.
func said(diag *types.Diagnostics, out string) string {
	if e := diag.Failed(); e != nil {
		out = fmt.Sprintf("E%d/%s %s", e.Number, e.State, e.Message)
	}
	for _, w := range diag.Conditions {
		if w.Level != types.Error {
			out += fmt.Sprintf(" | %s %d %s", w.Level, w.Number, w.Message)
		}
	}
	return out
}

// A value of any type in a column of any type is what a real server keeps of it, with the same conditions.
func TestServer(t *testing.T) {
	s := dial(t)
	d := differences{t: t}
	for _, q := range draw(*seed, *count) {
		d.compare(oneLine(q.String()), s.ask(&q), ours(&q))
	}
	d.report()
}

// The same of answers that are recorded.
func TestRecorded(t *testing.T) {
	questions := draw(recordedSeed, recordedCount)
	if *record {
		s := dial(t)
		var b strings.Builder
		for _, q := range questions {
			fmt.Fprintf(&b, "%s\t%s\n", oneLine(q.String()), s.ask(&q))
		}
		require.NoError(t, os.WriteFile(answers, []byte(b.String()), 0o644))
	}
	b, err := os.ReadFile(answers)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	require.Len(t, lines, len(questions))
	d := differences{t: t}
	for i, q := range questions {
		asked, answer, _ := strings.Cut(lines[i], "\t")
		require.Equal(t, asked, oneLine(q.String()), "record the answers again")
		d.compare(q.String(), answer, ours(&q))
	}
	d.report()
}

// differences counts what is not the same, and shows some.
type differences struct {
	t             *testing.T
	asked, differ int
}

func (d *differences) compare(question, theirs, ours string) {
	d.t.Helper()
	d.asked++
	if ours == theirs {
		return
	}
	if d.differ++; d.differ <= *most {
		d.t.Errorf("%s\n  MariaDB: %s\n  ours:    %s", question, theirs, ours)
	}
}

func (d *differences) report() {
	d.t.Helper()
	d.t.Logf("%d of %d differ", d.differ, d.asked)
	if d.asked == 0 || d.differ > 0 {
		d.t.Fail()
	}
}
