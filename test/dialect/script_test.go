package dialect

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestDuramen runs every script on the server under test.
func TestDuramen(t *testing.T) {
	if rewriting() {
		t.Skip("-rewrite records MariaDB's answers, not Duramen's")
	}
	runScripts(t, peer.Start(t, peer.Options{Kind: peer.Duramen}))
}

// TestMariaDB runs every script on a real MariaDB: what the scripts expect is its answer.
func TestMariaDB(t *testing.T) {
	runScripts(t, peer.StartMariaDB(t, peer.Options{Binlog: true}))
}

func rewriting() bool {
	f := flag.Lookup("rewrite")
	return f != nil && f.Value.String() == "true"
}

func runScripts(t *testing.T, server *peer.Server) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		r := &run{t: t, server: server, conns: map[string]*client.Conn{}, waiting: map[string]chan string{}}
		defer r.close()
		r.begin()
		datadriven.RunTest(t, path, r.block)
		if !server.Running() {
			t.Fatalf("%s: the server is gone", filepath.Base(path))
		}
	})
}

// run is one script on one server.
type run struct {
	t      *testing.T
	server *peer.Server
	conns  map[string]*client.Conn
	admin  *client.Conn
	// waiting are the connections on which a statement waits, with where its answer comes.
	waiting map[string]chan string
}

// begin gives the script a server without what scripts before it made.
func (r *run) begin() {
	r.admin = r.dial("root", "", "")
	for _, q := range []string{
		"SELECT CONCAT('DROP DATABASE `', SCHEMA_NAME, '`') FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')",
		"SELECT CONCAT('DROP USER `', User, '`@`', Host, '`') FROM mysql.user WHERE User NOT IN ('root', 'mariadb.sys') AND Host <> ''",
		"SELECT CONCAT('DROP ROLE `', User, '`') FROM mysql.user WHERE User NOT IN ('root', 'mariadb.sys') AND Host = ''",
	} {
		res, err := r.admin.Execute(q)
		if err != nil {
			r.t.Fatalf("%s: %v", q, err)
		}
		for i := range res.Values {
			drop, _ := res.GetString(i, 0)
			if _, err := r.admin.Execute(drop); err != nil {
				r.t.Fatalf("%s: %v", drop, err)
			}
		}
	}
	if _, err := r.admin.Execute("CREATE DATABASE d DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *run) dial(user, password, db string) *client.Conn {
	c, err := client.Connect(r.server.Addr(), user, password, db, func(c *client.Conn) error {
		c.SetCapability(mysql.CLIENT_MULTI_RESULTS)
		return nil
	})
	if err != nil {
		r.t.Fatalf("connecting as %s: %v", user, err)
	}
	return c
}

func (r *run) close() {
	for _, c := range r.conns {
		_ = c.Close()
	}
	_ = r.admin.Close()
}

// block runs one command of a script and returns what the servers answered.
func (r *run) block(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "privileges" {
		return r.privileges(t, d)
	}
	if d.Cmd == "got" {
		return r.endWaiting(t, d, arguments(t, d))
	}
	if d.Cmd != "sql" {
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	if len(statements(d.Input)) == 0 {
		d.Fatalf(t, "a block without statements")
	}
	a := arguments(t, d)
	if a.only != "" && a.only != string(r.server.Kind) {
		return d.Expected
	}
	if a.waits {
		return r.startWaiting(t, d, a)
	}
	c := r.conn(t, d, a)
	r.answered(t, d, a.conn)
	if a.refused != 0 && r.server.Kind == peer.Duramen {
		for _, q := range statements(d.Input) {
			if got := answer(c, q, a); !strings.HasPrefix(got, fmt.Sprintf("error %d ", a.refused)) {
				d.Fatalf(t, "%s\nis to be refused with error %d, and gave:\n%s", q, a.refused, got)
			}
		}
		return d.Expected
	}
	var out strings.Builder
	for _, q := range statements(d.Input) {
		out.WriteString(answer(c, q, a))
	}
	return out.String()
}

// args are the arguments of a command; doc.go says what they mean.
type args struct {
	conn, user, password, db, only                    string
	binary, sort, messages, meta, nowarnings, nocount bool
	origin, waits                                     bool
	refused                                           int
	columns                                           []string
}

func arguments(t *testing.T, d *datadriven.TestData) args {
	a := args{db: "d", user: "root"}
	for _, arg := range d.CmdArgs {
		val := ""
		if len(arg.Vals) > 0 {
			val = arg.Vals[0]
		}
		switch arg.Key {
		case "conn":
			a.conn = val
		case "user":
			a.user = val
		case "password":
			a.password = val
		case "db":
			a.db = strings.TrimPrefix(val, "-")
		case "only":
			a.only = val
		case "binary":
			a.binary = true
		case "sort":
			a.sort = true
		case "messages":
			a.messages = true
		case "meta":
			a.meta = true
		case "origin":
			a.origin = true
		case "waits":
			a.waits = true
		case "nowarnings":
			a.nowarnings = true
		case "nocount":
			a.nocount = true
		case "columns":
			a.columns = arg.Vals
		case "refused":
			arg.Scan(t, 0, &a.refused)
		default:
			d.Fatalf(t, "unknown argument %q", arg.Key)
		}
	}
	return a
}

// conn is the connection that a block asks for.
func (r *run) conn(t *testing.T, d *datadriven.TestData, a args) *client.Conn {
	if a.conn == "" && a.user != "root" {
		d.Fatalf(t, "user= needs conn=")
	}
	c := r.conns[a.conn]
	if c == nil {
		c = r.dial(a.user, a.password, a.db)
		r.conns[a.conn] = c
	}
	return c
}

// statements divides the input of a block.
func statements(input string) []string {
	var out []string
	var one []string
	for _, line := range strings.Split(input, "\n") {
		one = append(one, line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			out = append(out, strings.TrimSuffix(strings.TrimSpace(strings.Join(one, "\n")), ";"))
			one = nil
		}
	}
	if last := strings.TrimSpace(strings.Join(one, "\n")); last != "" {
		out = append(out, last)
	}
	return out
}

// answer runs one statement and words what came back.
func answer(c *client.Conn, q string, a args) string {
	var out strings.Builder
	warnings := uint16(0)
	var err error
	if a.binary {
		var res *mysql.Result
		if res, err = executePrepared(c, q); err == nil {
			warnings = res.Warnings
			writeResult(&out, res, a)
		}
	} else {
		_, err = c.ExecuteMultiple(q, func(res *mysql.Result, rerr error) {
			switch {
			case rerr != nil:
				writeError(&out, rerr, a)
			case res != nil:
				warnings = res.Warnings
				writeResult(&out, res, a)
			}
		})
	}
	if err != nil {
		writeError(&out, err, a)
	}
	if !a.nowarnings && err == nil && warnings > 0 {
		writeWarnings(&out, c, a)
	}
	return out.String()
}

func executePrepared(c *client.Conn, q string) (*mysql.Result, error) {
	st, err := c.Prepare(q)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	return st.Execute()
}

func writeError(out *strings.Builder, err error, a args) {
	var e *mysql.MyError
	if !errors.As(err, &e) {
		fmt.Fprintf(out, "connection failed: %v\n", err)
		return
	}
	fmt.Fprintf(out, "error %d %s", e.Code, e.State)
	if a.messages {
		fmt.Fprintf(out, " %s", e.Message)
	}
	out.WriteByte('\n')
}

func writeWarnings(out *strings.Builder, c *client.Conn, a args) {
	res, err := c.Execute("SHOW WARNINGS")
	if err != nil {
		writeError(out, err, a)
		return
	}
	for i := range res.Values {
		level, _ := res.GetString(i, 0)
		code, _ := res.GetString(i, 1)
		fmt.Fprintf(out, "%s %s", strings.ToLower(level), code)
		if a.messages {
			text, _ := res.GetString(i, 2)
			fmt.Fprintf(out, " %s", text)
		}
		out.WriteByte('\n')
	}
}

func writeResult(out *strings.Builder, res *mysql.Result, a args) {
	if res.Resultset == nil || len(res.Fields) == 0 {
		if a.nocount {
			out.WriteString("ok\n")
			return
		}
		fmt.Fprintf(out, "ok %d\n", res.AffectedRows)
		return
	}
	names := make([]string, len(res.Fields))
	for i, f := range res.Fields {
		names[i] = string(f.Name)
	}
	shown := func(at int) bool { return a.columns == nil || slices.Contains(a.columns, names[at]) }
	out.WriteString(line(names, shown) + "\n")
	if a.meta {
		for _, f := range res.Fields {
			fmt.Fprintf(out, "column %s type=%d flags=%d charset=%d length=%d decimals=%d table=%s org=%s\n",
				f.Name, f.Type, f.Flag, f.Charset, f.ColumnLength, f.Decimal, f.Table, f.OrgName)
		}
	}
	if a.origin {
		for _, f := range res.Fields {
			fmt.Fprintf(out, "column %s db=%s table=%s.%s orgtable=%s.%s\n", f.Name, f.Schema, f.Table, f.Name, f.OrgTable, f.OrgName)
		}
	}
	rows := make([]string, len(res.Values))
	for i, row := range res.Values {
		vals := make([]string, len(row))
		for j := range row {
			if row[j].Type == mysql.FieldValueTypeNull {
				vals[j] = "NULL"
				continue
			}
			vals[j] = printable(fmt.Sprint(valueText(row[j].Value())))
		}
		rows[i] = line(vals, shown)
	}
	if a.sort {
		slices.Sort(rows)
	}
	for _, row := range rows {
		// The end of an expectation is an empty line.
		if row == "" {
			row = "''"
		}
		out.WriteString(row + "\n")
	}
}

// line are the values that are shown.
func line(all []string, shown func(at int) bool) string {
	var out []string
	for i, v := range all {
		if shown(i) {
			out = append(out, v)
		}
	}
	return strings.Join(out, "|")
}

func valueText(v any) any {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return v
}

// printable keeps an expectation one line long per row.
func printable(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	if s := b.String(); s == strings.ToValidUTF8(s, "") {
		return s
	}
	return fmt.Sprintf("%q", s)
}
