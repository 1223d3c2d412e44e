package enginetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/server"
	"github.com/duramendb/duramen/test/peer"
)

// judge is a real MariaDB that is told every statement of the suite, to see
// whether it answers as we do. A statement that we refuse with 1235 is not told,
// unless it only reads: so both servers stay in one state, and what follows can
// be compared.
type judge struct {
	server  *peer.Server
	conns   map[*query.Session]*client.Conn
	astray  int // statements of this engine that were answered differently
	refused int // statements of this engine that we have refused
}

// judgeEnv asks for a judge; verdictMark begins the line that it prints for
// each statement.
const (
	judgeEnv       = "DURAMEN_ENGINETEST_JUDGE"
	verdictMark    = "MariaDB: "
	verdictSame    = "the same"
	verdictRefused = "not asked"
	verdictDiffers = "answers"
)

var theJudge *judge

// startJudge starts the process's judge, if there is to be one.
func startJudge(t *testing.T) {
	if os.Getenv(judgeEnv) != "1" {
		return
	}
	s := peer.StartMariaDB(t, peer.Options{Args: []string{
		"--sql-mode=" + suiteMode, "--collation-server=utf8mb4_bin", "--secure-file-priv=", "--local-infile",
		"--innodb-flush-log-at-trx-commit=0", "--log-bin-trust-function-creators=1",
		"--skip-name-resolve", "--proxy-protocol-networks=*", "--version=" + server.ServerVersion,
	}})
	theJudge = &judge{server: s, conns: map[*query.Session]*client.Conn{}}
	theJudge.strip()
	t.Cleanup(func() { theJudge.begin() })
}

// strip takes away what only MariaDB's installation has: more accounts of root,
// its right to be anybody's proxy, the database sys, and two procedures for geometries.
func (j *judge) strip() {
	admin := j.admin()
	defer admin.Close()
	for _, list := range []string{
		"SELECT CONCAT('DROP USER `', User, '`@`', Host, '`') FROM mysql.user WHERE User IN ('root', '') AND Host NOT IN ('localhost', '')",
		"SELECT 'DROP DATABASE sys' FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = 'sys'",
		"SELECT CONCAT('DROP PROCEDURE mysql.`', name, '`') FROM mysql.proc WHERE db = 'mysql'",
		"SELECT 'DELETE FROM mysql.proxies_priv' UNION ALL SELECT 'FLUSH PRIVILEGES'",
	} {
		j.each(admin, list)
	}
}

// begin empties the server.
func (j *judge) begin() {
	if j == nil {
		return
	}
	for _, c := range j.conns {
		_ = c.Close()
	}
	j.conns, j.astray, j.refused = map[*query.Session]*client.Conn{}, 0, 0
	admin := j.admin()
	defer admin.Close()
	for _, list := range []string{
		"SELECT 'SET GLOBAL read_only=0' FROM DUAL WHERE @@read_only",
		"SELECT CONCAT('DROP DATABASE `', SCHEMA_NAME, '`') FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')",
		"SELECT CONCAT('DROP USER `', User, '`@`', Host, '`') FROM mysql.user WHERE User NOT IN ('root', 'mariadb.sys') AND Host <> ''",
		"SELECT CONCAT('DROP ROLE `', User, '`') FROM mysql.user WHERE User NOT IN ('root', 'mariadb.sys') AND Host = ''",
	} {
		j.each(admin, list)
	}
}

// each runs the statements that a query gives.
func (*judge) each(admin *client.Conn, list string) {
	res, err := admin.Execute(list)
	if err != nil {
		panic(err)
	}
	for i := range res.Values {
		statement, _ := res.GetString(i, 0)
		if _, err := admin.Execute(statement); err != nil {
			panic(fmt.Errorf("%s: %w", statement, err))
		}
	}
}

// see runs a statement and prints whether MariaDB's answer is ours. A statement
// with values, as text, is prepared first.
func (j *judge) see(s *query.Session, who sql.Client, db, statement string, ours *plainAnswer, values ...string) {
	if j == nil {
		return
	}
	if ours.refused() && !readsOnly(statement) {
		j.refused++
		fmt.Printf("\n%s%s, as we refuse %q\n", verdictMark, verdictRefused, shorten(statement))
		return
	}
	theirs := j.ask(s, who, db, statement, values)
	if told := j.comparable(s, statement, theirs); told == ours.String() {
		fmt.Printf("\n%s%s (%d differed before, %d refused before)\n", verdictMark, verdictSame, j.astray, j.refused)
		return
	}
	fmt.Printf("\n%s%s %q, we %q to %q (%d differed before)\n", verdictMark, verdictDiffers, shorten(theirs.String()), shorten(ours.String()), shorten(statement), j.astray)
	j.astray++
}

func shorten(s string) string { return s[:min(len(s), 1500)] }

// readsOnly reports whether a statement leaves the server as it was.
func readsOnly(statement string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(statement, " \t\n("), " ")
	switch strings.ToLower(word) {
	case "select", "show", "explain", "describe", "desc", "with", "values":
		return true
	}
	return false
}

func (j *judge) ask(s *query.Session, who sql.Client, db, statement string, values []string) *plainAnswer {
	var a plainAnswer
	c, err := j.conn(s, who)
	if err != nil {
		a.failure = err
		return &a
	}
	if db != c.GetDB() {
		j.enter(c, who, db) // whoever needs it gets the error
	}
	if len(values) > 0 {
		text := sqltypes.MakeTrusted(sqltypes.VarChar, []byte(statement))
		var prepare strings.Builder
		text.EncodeSQL(&prepare)
		if _, a.failure = c.Execute("PREPARE judged FROM " + prepare.String()); a.failure != nil {
			return &a
		}
		statement = "EXECUTE judged USING " + strings.Join(values, ", ")
	}
	var failed error
	_, err = c.ExecuteMultiple(statement, func(res *mysql.Result, rerr error) {
		if failed = rerr; rerr == nil && res != nil {
			a.add(res)
		}
	})
	a.failure = errors.Join(err, failed)
	return &a
}

func (a *plainAnswer) add(res *mysql.Result) {
	if res.Resultset == nil || len(res.Fields) == 0 {
		a.okay(res.AffectedRows, res.InsertId)
		return
	}
	names := make([]string, len(res.Fields))
	for k, f := range res.Fields {
		names[k] = string(f.Name)
	}
	rows := make([][]string, len(res.RowDatas))
	for i, data := range res.RowDatas {
		rows[i] = make([]string, len(names))
		for k := range names {
			v, null, n, err := mysql.LengthEncodedString(data)
			if err != nil {
				rows[i][k] = err.Error()
				break
			}
			if rows[i][k] = string(v); null {
				rows[i][k] = "NULL"
			}
			data = data[n:]
		}
	}
	a.rows(names, rows)
}

// plainAnswer words results, so that two servers' can be compared.
type plainAnswer struct {
	sets    []string
	failure error
}

func (a *plainAnswer) okay(rows, id uint64) {
	a.sets = append(a.sets, fmt.Sprintf("OK %d, id %d", rows, id))
}

// measured are the columns of SHOW TABLE STATUS and of information_schema that
// say what the storage has measured, or when: no two servers have the same there.
var measured = map[string]bool{
	"avg_row_length": true, "data_length": true, "index_length": true, "data_free": true, "max_index_length": true,
	"create_time": true, "update_time": true, "check_time": true,
}

func (a *plainAnswer) rows(columns []string, rows [][]string) {
	list := make([]string, len(rows))
	status := slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, "data_length") })
	for i, r := range rows {
		for k := range r {
			if status && measured[strings.ToLower(columns[k])] {
				r[k] = "(measured)"
			}
		}
		list[i] = strings.Join(r, " | ")
	}
	slices.Sort(list)
	a.sets = append(a.sets, strings.Join(list, "\n"))
}

// refused reports whether the statement was refused on purpose.
func (a *plainAnswer) refused() bool {
	var e *mysqlerr.Error
	return errors.As(a.failure, &e) && e.Number == mysqlerr.NotSupportedYet
}

// String gives all results.
func (a *plainAnswer) String() string {
	if a.failure != nil {
		return plainError(a.failure)
	}
	return strings.Join(a.sets, "\n--\n")
}

// plainError words an error by its number.
func plainError(err error) string {
	var theirs *mysql.MyError
	if errors.As(err, &theirs) {
		return fmt.Sprintf("error %d", theirs.Code)
	}
	var ours *mysqlerr.Error
	if errors.As(err, &ours) {
		return fmt.Sprintf("error %d", ours.Number)
	}
	return err.Error()
}
