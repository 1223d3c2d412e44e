package applying

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

// TestTablesWithTriggers: the log says which tables have triggers, whatever these are for, from when they have the first one until the last one is dropped.
func TestTablesWithTriggers(t *testing.T) {
	a, n := newAuthor(newServer(t, 1), rand.New(rand.NewPCG(1, 1))), 0
	requireMarked := func(want map[string]bool) {
		t.Helper()
		n++
		a.step("BEGIN", fmt.Sprintf("INSERT INTO d.parents VALUES (%d)", n), fmt.Sprintf("INSERT INTO d.keyed (k) VALUES (%d)", n), "COMMIT")
		found := map[string]bool{}
		for _, raw := range a.h.groups[len(a.h.groups)-1].events {
			e, err := event.Decode(raw)
			require.NoError(t, err)
			if info, ok := e.Body.(*event.TableMapInfo); ok {
				found[info.Table] = info.Flags&event.TableMapFlagTriggers != 0
			}
		}
		require.Equal(t, want, found)
	}
	requireMarked(map[string]bool{"parents": false, "keyed": false})
	a.step("CREATE TRIGGER d.a AFTER DELETE ON d.parents FOR EACH ROW SET @a = 1")
	a.step("CREATE TRIGGER d.b BEFORE INSERT ON d.parents FOR EACH ROW DELETE FROM d.keyless")
	requireMarked(map[string]bool{"parents": true, "keyed": false})
	a.step("DROP TRIGGER d.b")
	requireMarked(map[string]bool{"parents": true, "keyed": false})
	a.step("DROP TRIGGER d.a")
	requireMarked(map[string]bool{"parents": false, "keyed": false})
}
