package enginetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/test/peer"
)

// judge is a real MariaDB that is told every statement of the suite, to see
// whether it answers as we do.
type judge struct {
	server *peer.Server
	conns  map[*query.Session]*client.Conn
	astray int // statements of this engine that were answered differently
}

// judgeEnv asks for a judge; verdictMark begins the line that it prints for
// each statement.
const (
	judgeEnv    = "DURAMEN_ENGINETEST_JUDGE"
	verdictMark = "MariaDB: "
	verdictSame = "the same"
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
	}})
	theJudge = &judge{server: s, conns: map[*query.Session]*client.Conn{}}
	t.Cleanup(func() { theJudge.begin() })
}

// begin empties the server.
func (j *judge) begin() {
	if j == nil {
		return
	}
	for _, c := range j.conns {
		_ = c.Close()
	}
	j.conns, j.astray = map[*query.Session]*client.Conn{}, 0
	admin, err := client.Connect(j.server.Addr(), "root", "", "")
	if err != nil {
		panic(err)
	}
	defer admin.Close()
	for _, list := range []string{
		"SELECT CONCAT('DROP DATABASE `', SCHEMA_NAME, '`') FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')",
		"SELECT CONCAT('DROP USER `', User, '`@`', Host, '`') FROM mysql.user WHERE User NOT IN ('root', 'mariadb.sys') AND Host <> ''",
		"SELECT CONCAT('DROP ROLE `', User, '`') FROM mysql.user WHERE User NOT IN ('root', 'mariadb.sys') AND Host = ''",
	} {
		res, err := admin.Execute(list)
		if err != nil {
			panic(err)
		}
		for i := range res.Values {
			drop, _ := res.GetString(i, 0)
			if _, err := admin.Execute(drop); err != nil {
				panic(err)
			}
		}
	}
}

// conn is the connection beside a session.
func (j *judge) conn(s *query.Session, who sql.Client) (*client.Conn, error) {
	if c := j.conns[s]; c != nil {
		return c, nil
	}
	c, err := client.Connect(j.server.Addr(), who.User, "", "")
	if err != nil {
		return nil, err
	}
	if _, err := c.Execute("SET NAMES utf8mb4 COLLATE utf8mb4_bin"); err != nil {
		return nil, err
	}
	j.conns[s] = c
	return c, nil
}

// forget drops the connection beside a session that has changed its user.
func (j *judge) forget(s *query.Session) {
	if j == nil || j.conns[s] == nil {
		return
	}
	_ = j.conns[s].Close()
	delete(j.conns, s)
}

// see runs a statement and prints whether MariaDB's answer is ours.
func (j *judge) see(s *query.Session, who sql.Client, db, statement string, ours string) {
	if j == nil {
		return
	}
	theirs := j.ask(s, who, db, statement)
	if theirs == ours {
		fmt.Printf("\n%s%s (%d differed before)\n", verdictMark, verdictSame, j.astray)
		return
	}
	fmt.Printf("\n%sanswers %q to %q (ours %q; %d differed before)\n", verdictMark, shorten(theirs), shorten(statement), shorten(ours), j.astray)
	j.astray++
}

func shorten(s string) string { return s[:min(len(s), 1500)] }

func (j *judge) ask(s *query.Session, who sql.Client, db, statement string) string {
	c, err := j.conn(s, who)
	if err != nil {
		return err.Error()
	}
	if db != c.GetDB() {
		_ = c.UseDB(db) // whoever needs it gets the error
	}
	var a plainAnswer
	var failed error
	_, err = c.ExecuteMultiple(statement, func(res *mysql.Result, rerr error) {
		if failed = rerr; rerr == nil && res != nil {
			a.add(res)
		}
	})
	if err = errors.Join(err, failed); err != nil {
		return plainError(err)
	}
	return a.String()
}

func (a *plainAnswer) add(res *mysql.Result) {
	if res.Resultset == nil || len(res.Fields) == 0 {
		a.okay(res.AffectedRows, res.InsertId)
		return
	}
	var rows []string
	for i := range res.Values {
		fields := make([]string, len(res.Fields))
		for k := range fields {
			fields[k], _ = res.GetString(i, k)
			if null, _ := res.IsNull(i, k); null {
				fields[k] = "NULL"
			}
		}
		rows = append(rows, strings.Join(fields, " | "))
	}
	a.rows(rows)
}

// plainAnswer words results, so that two servers' can be compared.
type plainAnswer struct{ sets []string }

func (a *plainAnswer) okay(rows, id uint64) {
	a.sets = append(a.sets, fmt.Sprintf("OK %d, id %d", rows, id))
}

func (a *plainAnswer) rows(rows []string) {
	slices.Sort(rows)
	a.sets = append(a.sets, strings.Join(rows, "\n"))
}

// String gives all results.
func (a *plainAnswer) String() string { return strings.Join(a.sets, "\n--\n") }

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
