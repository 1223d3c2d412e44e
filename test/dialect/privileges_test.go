package dialect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
)

// privileges runs statements as a user who has no privilege, and then again after each of the grants
// that the line names, so that with all of them it has exactly what the statement needs. A line is
//
//	GRANT; GRANT ... | STATEMENT
//
// where each GRANT is what stands between GRANT and TO, "-" stands for none, and "root | STATEMENT" is
// run by root to prepare what follows. The answer to a statement is "ok" or its error; what it returns
// is for other blocks.
//
// Arguments: db=D is the current database of the user, who then has EXECUTE there so as to be let in;
// denied is for statements that Duramen refuses to those who have the privilege: only the user without is asked.
func (r *run) privileges(t *testing.T, d *datadriven.TestData) string {
	db, denied := "information_schema", d.HasArg("denied") // which everybody may use
	if d.HasArg("db") {
		d.ScanArgs(t, "db", &db)
	}
	var out strings.Builder
	for _, line := range strings.Split(d.Input, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		grants, statement, ok := strings.Cut(line, " | ")
		if !ok {
			d.Fatalf(t, "a line without ' | ': %s", line)
		}
		grants, statement = strings.TrimSpace(grants), strings.TrimSpace(statement)
		if grants == "root" {
			fmt.Fprintf(&out, "root: %s\n  %s\n", statement, verdict(r.admin, statement))
			continue
		}
		r.root(t, d, "CREATE USER p@localhost")
		if d.HasArg("db") {
			r.root(t, d, "GRANT EXECUTE ON "+db+".* TO p@localhost")
		}
		fmt.Fprintf(&out, "%s\n  nothing: %s\n", statement, r.verdict(statement, db))
		if grants != "-" && !denied {
			for _, g := range strings.Split(grants, ";") {
				g = strings.TrimSpace(g)
				if word := verdict(r.admin, "GRANT "+grantTo(g)); word != "ok" {
					fmt.Fprintf(&out, "  GRANT %s: %s\n", g, word)
				}
				fmt.Fprintf(&out, "  %s: %s\n", g, r.verdict(statement, db))
			}
		}
		r.root(t, d, "DROP USER p@localhost")
	}
	if out.Len() == 0 {
		d.Fatalf(t, "a block without statements")
	}
	return out.String()
}

// grantTo completes a grant; WITH GRANT OPTION, or WITH ADMIN OPTION of a role, stands after the name.
func grantTo(grant string) string {
	g, option, ok := strings.Cut(grant, " WITH ")
	if !ok {
		return grant + " TO p@localhost"
	}
	return g + " TO p@localhost WITH " + option
}

func (r *run) root(t *testing.T, d *datadriven.TestData, statement string) {
	if _, err := r.admin.Execute(statement); err != nil {
		d.Fatalf(t, "%s: %v", statement, err)
	}
}

// verdict is what a new connection of user p gets for a statement.
func (r *run) verdict(statement, db string) string {
	c := r.dial("p", "", db)
	defer c.Close()
	word := "ok"
	for _, q := range strings.Split(statement, ";; ") {
		if w := verdict(c, q); w != "ok" {
			word = w
		}
	}
	return word
}

// sameClient takes out of messages how a server names the client's host.
var sameClient = strings.NewReplacer("127.0.0.1", "localhost", " (using password: NO)", "", " (using password: YES)", "")

func verdict(c *client.Conn, statement string) string {
	word := "ok"
	note := func(err error) {
		var e *mysql.MyError
		switch {
		case errors.As(err, &e):
			word = fmt.Sprintf("error %d %s %s", e.Code, e.State, sameClient.Replace(e.Message))
		case err != nil:
			word = "connection failed"
		}
	}
	_, err := c.ExecuteMultiple(statement, func(_ *mysql.Result, err error) { note(err) })
	note(err)
	return word
}
