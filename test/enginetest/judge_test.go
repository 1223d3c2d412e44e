package enginetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// judge is a real MariaDB that is told every statement of the suite, to see
// whether it answers as we do. A statement that we refuse with 1235 is not told,
// unless it only reads: so both servers stay in one state, and what follows can
// be compared.
type judge struct {
	socket  string
	address string
	conns   map[*query.Session]*client.Conn
	astray  int // statements of this engine that were answered differently
	refused int // statements of this engine that we have refused
}

// verdictMark begins the line that a judge prints for each statement.
const (
	verdictMark    = "MariaDB: "
	verdictSame    = "the same"
	verdictRefused = "not asked"
	verdictDiffers = "answers"
)

var theJudge *judge

// startJudge makes the MariaDB that the parent has started the process's judge,
// if there is one. The next process gets it as it was.
func startJudge(t *testing.T) {
	socket, port, ok := strings.Cut(os.Getenv(judgeServerEnv), " ")
	if !ok {
		return
	}
	theJudge = &judge{socket: socket, address: "127.0.0.1:" + port, conns: map[*query.Session]*client.Conn{}}
	variables := theJudge.variables()
	t.Cleanup(func() {
		theJudge.begin()
		theJudge.reset(variables)
	})
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
	ours.ordered, theirs.ordered = orders(statement), orders(statement)
	if told := j.comparable(s, statement, theirs); told == ours.String() || atOnce(told, ours.String(), time.Now()) {
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
	if db == "" && c.GetDB() != "" { // no statement leaves a database without another one
		j.forget(s)
		if c, err = j.conn(s, who); err != nil {
			a.failure = err
			return &a
		}
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
		a.okay(res.AffectedRows, res.InsertId, res.Warnings)
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
	a.rows(names, rows, res.Warnings)
}

// plainAnswer words results, so that two servers' can be compared.
type plainAnswer struct {
	sets    []plainSet
	ordered bool // the statement orders its rows
	failure error
}

// plainSet is one result.
type plainSet struct {
	names, rows []string // of an OK without names, with one row
	warnings    uint16
}

func (a *plainAnswer) okay(rows, id uint64, warnings uint16) {
	a.sets = append(a.sets, plainSet{rows: []string{fmt.Sprintf("OK %d, id %d", rows, id)}, warnings: warnings})
}

// measured are the columns of SHOW TABLE STATUS and of information_schema that
// say what the storage has measured, or when: no two servers have the same there.
var measured = map[string]bool{
	"avg_row_length": true, "data_length": true, "index_length": true, "data_free": true, "max_index_length": true,
	"create_time": true, "update_time": true, "check_time": true,
}

func (a *plainAnswer) rows(columns []string, rows [][]string, warnings uint16) {
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
	a.sets = append(a.sets, plainSet{names: columns, rows: list, warnings: warnings})
}

// orders reports whether a query orders its rows: with ORDER BY outside of parentheses.
func orders(statement string) bool {
	depth := 0
	for i, c := range statement {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && len(statement)-i >= 8 && strings.EqualFold(statement[i:i+8], "order by"):
			return true
		}
	}
	return false
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
	var b strings.Builder
	for i, set := range a.sets {
		if i > 0 {
			b.WriteString("\n--\n")
		}
		if !a.ordered {
			slices.Sort(set.rows)
		}
		if set.names != nil {
			fmt.Fprintf(&b, "[%s]\n", strings.Join(set.names, " | "))
		}
		b.WriteString(strings.Join(set.rows, "\n"))
		if set.warnings > 0 {
			fmt.Fprintf(&b, "\n(%d warnings)", set.warnings)
		}
	}
	return b.String()
}

// plainError words an error by its number.
func plainError(err error) string {
	var theirs *mysql.MyError
	if errors.As(err, &theirs) {
		return fmt.Sprintf("error %d: %s", theirs.Code, theirs.Message)
	}
	var ours *mysqlerr.Error
	if errors.As(err, &ours) {
		return fmt.Sprintf("error %d: %s", ours.Number, ours.Message)
	}
	return err.Error()
}
