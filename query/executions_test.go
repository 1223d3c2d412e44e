package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// TestExecutions has two appliers get the same groups.
func TestExecutions(t *testing.T) {
	visible := gtid.Set{}
	number := func(n uint64) gtid.MySQL { return gtid.MySQL{Number: n} }
	visible.Add(number(1))
	var x executions
	begin := func() *execution { return x.begin(func() gtid.Set { return visible.Clone() }) }
	claims := func(e *execution, n uint64, executed bool) {
		t.Helper()
		got, err := e.Claim(number(n))
		require.NoError(t, err)
		require.Equal(t, executed, got)
	}
	underWay := func(e *execution, n uint64) {
		t.Helper()
		_, err := e.Claim(number(n))
		var known *primary.Error
		require.ErrorAs(t, err, &known)
		require.Contains(t, known.Text, "START SLAVE goes on behind it")
	}
	a, b := begin(), begin()
	claims(a, 1, true)
	claims(b, 1, true)
	claims(a, 2, false)
	underWay(b, 2)
	a.Release()
	claims(a, 2, false) // it is sent once more
	claims(a, 3, false)
	claims(a, 2, true)
	underWay(b, 2)
	visible.Add(number(2))
	claims(b, 2, true)
	a.end() // 3 has failed
	claims(b, 3, false)
	c := begin()
	claims(c, 4, false)
	visible.Add(number(4))
	c.end()
	claims(b, 4, true)
	b.end()
	require.Empty(t, x.mu.running)
}
