package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// TestMayChange: what forbids a statement, whatever the account may do, and which of several reasons is told.
func TestMayChange(t *testing.T) {
	h := newHarness(t)
	definition, temporary := &statement.Statement{Kind: statement.Definition}, &statement.Statement{Kind: statement.Definition, Temporary: true}
	const (
		transaction = int(mysqlerr.CantExecuteInReadOnlyTransaction)
		server      = int(mysqlerr.OptionPreventsStatement)
		marked      = int(mysqlerr.NotSupportedYet)
	)
	for name, c := range map[string]struct {
		user                         string
		transaction, server, skipped bool
		st                           *statement.Statement
		want                         int
	}{
		"nothing":                     {user: "app", st: write},
		"transaction":                 {user: "root", transaction: true, st: write, want: transaction},
		"transaction, read":           {user: "root", transaction: true, st: read},
		"transaction, definition":     {user: "root", transaction: true, st: definition},
		"server":                      {user: "app", server: true, st: write, want: server},
		"server, read":                {user: "app", server: true, st: read},
		"server, definition":          {user: "app", server: true, st: definition, want: server},
		"server, temporary":           {user: "app", server: true, st: temporary},
		"server, who may":             {user: "root", server: true, st: write},
		"marked":                      {user: "root", skipped: true, st: write, want: marked},
		"marked, definition":          {user: "root", skipped: true, st: definition, want: marked},
		"marked, read":                {user: "root", skipped: true, st: read},
		"transaction before the rest": {user: "app", transaction: true, server: true, skipped: true, st: write, want: transaction},
		"marked before the server":    {user: "app", server: true, skipped: true, st: write, want: marked},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.connect(func(ci *ConnInfo) { ci.User = c.user })
			require.NoError(t, h.server.Globals.Set(ctx, "read_only", c.server))
			if c.transaction {
				s.perform("begin-ro")
			}
			s.set("skip_replication", c.skipped)
			require.Equal(t, c.want, number(s.MayChange(c.st)))
		})
	}
}
