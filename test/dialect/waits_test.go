package dialect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/duramendb/duramen/test/peer"
)

// startWaiting runs the statement of a block on its connection, in the background, and returns what PROCESSLIST shows once it waits
// for a lock on a name. A statement that ends instead yields its answer.
func (r *run) startWaiting(t *testing.T, d *datadriven.TestData, a args) string {
	c := r.conn(t, d, a)
	r.answered(t, d, a.conn)
	queries := statements(d.Input)
	if len(queries) != 1 {
		d.Fatalf(t, "one statement waits at a time")
	}
	answers := make(chan string, 1)
	go func() { answers <- answer(c, queries[0], a) }()
	state := fmt.Sprintf("SELECT STATE FROM information_schema.PROCESSLIST WHERE ID = %d", c.GetConnectionID())
	var out string
	peer.Await(t, 30*time.Second, "a wait of "+queries[0], func() (bool, error) {
		select {
		case out = <-answers:
			return true, nil
		default:
		}
		res, err := r.admin.Execute(state)
		if err != nil || len(res.Values) == 0 {
			return false, err
		}
		text, err := res.GetString(0, 0)
		if waits := strings.HasPrefix(text, "Waiting for ") || text == "User lock"; err != nil || !waits {
			return false, err
		}
		r.waiting[a.conn] = answers
		out = text + "\n"
		return true, nil
	})
	return out
}

// endWaiting returns the answer of the statement that waits on a connection.
func (r *run) endWaiting(t *testing.T, d *datadriven.TestData, a args) string {
	answers := r.waiting[a.conn]
	if answers == nil {
		d.Fatalf(t, "nothing waits on the connection %q", a.conn)
	}
	delete(r.waiting, a.conn)
	select {
	case got := <-answers:
		return got
	case <-time.After(60 * time.Second):
		d.Fatalf(t, "the statement on the connection %q still waits", a.conn)
		return ""
	}
}

// answered fails if a statement waits on a connection that is wanted for another one.
func (r *run) answered(t *testing.T, d *datadriven.TestData, conn string) {
	if r.waiting[conn] != nil {
		d.Fatalf(t, "a statement waits on the connection %q", conn)
	}
}
