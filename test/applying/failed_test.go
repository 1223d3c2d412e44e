package applying

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailedGroup: of a group that fails nothing is left, no rows and no locks, whether it is one of rows or of statements and however it was cut; none
// after it is applied; and with the cause gone it goes on with this group.
func TestFailedGroup(t *testing.T) {
	for _, how := range []string{"", asStatement} {
		for seed := range uint64(6) {
			t.Run(fmt.Sprintf("%q %d", how, seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 2))
				a := newAuthor(newServer(t, 1), rng)
				a.step("INSERT INTO d.keyed (id, k, c) VALUES (1, 1, 'old'), (2, 2, 'old')")
				good := len(a.h.groups)
				a.step("BEGIN", "INSERT INTO d.keyed (id, k, c) VALUES (3, 3, 'new')", "UPDATE d.keyed SET c = 'new' WHERE id = 1", how+"INSERT INTO d.parents VALUES (1)", "COMMIT")
				a.step("UPDATE d.keyed SET c = 'later'")

				whole := a.h
				before := history{before: whole.before, groups: whole.groups[:good]}
				l := newCrashLab(t, &before, rng)
				s := l.replica(l.begin().fs)
				t.Cleanup(s.close)
				s.exec("START SLAVE")
				l.await(good)
				require.NoError(t, l.failure())
				s.exec("STOP SLAVE", "SET sql_log_bin=0", "INSERT INTO d.parents VALUES (1)")

				l.h = &whole
				s.exec("START SLAVE")
				l.await(len(whole.groups))
				require.ErrorContains(t, l.failure(), "number=1062")
				s.exec("STOP SLAVE", "SET innodb_lock_wait_timeout=1", "UPDATE d.keyed SET k = k WHERE id <= 3", "DELETE FROM d.parents")
				l.failed = nil
				now := l.knows()
				require.Equal(t, good, now.acked)
				l.verify(s, now, now)

				s.exec("START SLAVE")
				l.await(len(whole.groups))
				require.NoError(t, l.failure())
				s.exec("STOP SLAVE")
				now = l.knows()
				l.verify(s, now, now)
			})
		}
	}
}
