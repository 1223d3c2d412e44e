package applying

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// loner is the id of a row that only one group is about.
const loner = 100_000

// crowd makes groups that are mostly about different rows: single statements and transactions, updates that move keys, rows that give a unique
// value on to others.
func crowd(s *server, rng *rand.Rand, n int) {
	s.exec("USE d", "INSERT INTO d.keyed (id, k, c) SELECT seq, seq, 'x' FROM seq_1_to_2000", "INSERT INTO d.givers SELECT seq, seq FROM seq_1_to_50")
	one := func() string {
		id := 1 + rng.IntN(2000)
		switch rng.IntN(8) {
		case 0:
			return fmt.Sprintf("DELETE FROM d.keyed WHERE id=%d", id)
		case 1:
			return fmt.Sprintf("REPLACE INTO d.keyed (id, k, c) VALUES (%d, %d, 'new')", id, rng.IntN(9))
		case 2:
			return fmt.Sprintf("UPDATE IGNORE d.keyed SET id=%d WHERE id=%d", 1+rng.IntN(2000), id)
		case 3:
			return "INSERT INTO d.keyed (k, c) VALUES (0, 'numbered')"
		case 4:
			return fmt.Sprintf("UPDATE IGNORE d.givers SET u=%d WHERE id=%d", rng.IntN(60), 1+rng.IntN(50))
		}
		return fmt.Sprintf("UPDATE d.keyed SET k=k+1, c=CONCAT(LEFT(c, 20), 'y') WHERE id=%d", id)
	}
	for i := range n {
		if i == n/2 {
			s.exec(fmt.Sprintf("INSERT INTO d.keyed (id, k, c) VALUES (%d, 1, 'alone')", loner))
		}
		if rng.IntN(3) > 0 {
			s.exec(one())
			continue
		}
		s.exec("BEGIN")
		for range 1 + rng.IntN(4) {
			s.exec(one())
		}
		s.exec("COMMIT")
	}
}

// crowded are a primary and a replica after the primary's changes, of which the replica has none.
func crowded(t *testing.T, seed uint64) (source, target *server, parts []*primary.Part) {
	source, target, _ = pair(t)
	const givers = "CREATE TABLE d.givers (id INT PRIMARY KEY, u INT, UNIQUE KEY (u))"
	source.exec(givers)
	target.exec(givers)
	_, from := source.parts(logpos.At(1, 0))
	crowd(source, rand.New(rand.NewPCG(seed, 11)), 600)
	parts, _ = source.parts(from)
	return source, target, parts
}

// inOrder requires that a replica's log has groups as the primary's has.
func inOrder(t *testing.T, target *server, parts []*primary.Part) {
	t.Helper()
	logged, _ := target.parts(logpos.At(1, 0))
	require.Len(t, logged, len(parts))
	for i, p := range parts {
		require.Equal(t, p.GTID.GTID, logged[i].GTID.GTID, "group %d", i)
	}
}

// TestTogether: groups that are prepared side by side are in the log in the primary's order, and make the primary's tables.
func TestTogether(t *testing.T) {
	for seed := range uint64(8) {
		source, target, parts := crowded(t, seed)
		var prepared atomic.Int64
		r := applyAll(t, target, parts, apply.Options{CrewForTesting: func(n int, again bool) {
			if !again {
				prepared.Add(int64(n))
			}
		}})
		require.Equal(t, len(parts), r.n)
		require.Greater(t, prepared.Load(), int64(len(parts)/10), "they were not prepared side by side")
		inOrder(t, target, parts)
		requireEqual(t, source, target)
		require.Equal(t, source.query("SELECT * FROM d.givers ORDER BY id"), target.query("SELECT * FROM d.givers ORDER BY id"))
		target.crash()
		requireEqual(t, source, target)
	}
}

// TestTogetherInTheWay: a local transaction has locked a row of a group. That group and all behind it are given up, wait, and are applied one by one.
func TestTogetherInTheWay(t *testing.T) {
	source, target, parts := crowded(t, 100)
	first := applyAll(t, target, parts[:2], apply.Options{}) // the rows
	require.Equal(t, 2, first.n)
	local, err := target.engine.NewSession(session.ConnInfo{User: "root", Host: "localhost"})
	require.NoError(t, err)
	defer local.Close()
	for _, q := range []string{"BEGIN", "SELECT * FROM d.keyed WHERE id > 1000 FOR UPDATE"} {
		require.NoError(t, local.Execute(context.Background(), q, &rows{}))
	}
	given, over := make(chan struct{}, 1000), make(chan *reports)
	go func() {
		over <- applyAll(t, target, parts[2:], apply.Options{LockWaitTimeout: time.Minute, CrewForTesting: func(_ int, again bool) {
			if again {
				given <- struct{}{}
			}
		}})
	}()
	<-given
	require.NoError(t, local.Execute(context.Background(), "ROLLBACK", &rows{}))
	require.Equal(t, len(parts)-2, (<-over).n)
	inOrder(t, target, parts)
	requireEqual(t, source, target)
}

// TestTogetherFailed: one of the groups that are prepared side by side cannot be applied. All before it are there, and nothing of it or behind it; with the
// cause gone it goes on there.
func TestTogetherFailed(t *testing.T) {
	for seed := range uint64(6) {
		source, target, parts := crowded(t, seed)
		target.exec("SET sql_log_bin=0", fmt.Sprintf("INSERT INTO d.keyed (id, k, c) VALUES (%d, 1, 'in the way')", loner))
		bad := slices.IndexFunc(parts, func(p *primary.Part) bool {
			a, ok := p.Events[0].Body.(*event.Annotate)
			return ok && strings.Contains(string(a.SQL), strconv.Itoa(loner))
		})
		require.Positive(t, bad)
		r := &reports{}
		a := target.applier(r, apply.Options{})
		next := 0
		require.ErrorContains(t, a.Run(context.Background(), func(context.Context) (*primary.Part, error) {
			if next++; next > len(parts) {
				return nil, errEnd
			}
			return parts[next-1], nil
		}), "duplicate entry in table d.keyed")
		require.NoError(t, a.Close())
		require.Equal(t, bad, r.n)
		inOrder(t, target, parts[:bad])
		target.exec(fmt.Sprintf("DELETE FROM d.keyed WHERE id=%d", loner))
		applyAll(t, target, parts[bad:], apply.Options{})
		inOrder(t, target, parts)
		requireEqual(t, source, target)
	}
}

// TestOwnBehindTaken: a group fails that was taken to be prepared, and behind it a GTID of the replica's own has come back. The position does not pass the group.
func TestOwnBehindTaken(t *testing.T) {
	source, target, parts := crowded(t, 7)
	target.exec("SET sql_log_bin=0", fmt.Sprintf("INSERT INTO d.keyed (id, k, c) VALUES (%d, 1, 'in the way')", loner))
	bad := slices.IndexFunc(parts, func(p *primary.Part) bool {
		a, ok := p.Events[0].Body.(*event.Annotate)
		return ok && strings.Contains(string(a.SQL), strconv.Itoa(loner))
	})
	applyAll(t, target, parts[:bad], apply.Options{})
	last := parts[bad-1].GTID.GTID
	own := &primary.Part{First: true, Last: true, GTID: event.GTIDInfo{GTID: gtid.GTID{Domain: last.Domain, Server: target.id, Seq: parts[bad].GTID.GTID.Seq + 1}}}
	a := target.applier(&reports{}, apply.Options{Own: func(g gtid.GTID) bool { return g.Server == target.id }})
	require.NoError(t, a.Apply(context.Background(), parts[bad], true), "it is only taken")
	require.ErrorContains(t, a.Apply(context.Background(), own, false), "duplicate entry in table d.keyed")
	require.NoError(t, a.Close())
	require.Equal(t, last.String()+"|", target.query("SELECT @@gtid_slave_pos")[0])
	target.exec(fmt.Sprintf("DELETE FROM d.keyed WHERE id=%d", loner))
	applyAll(t, target, parts[bad:], apply.Options{})
	inOrder(t, target, parts)
	requireEqual(t, source, target)
}

// TestRestartedInOrder: that the primary was started anew is told after what came before it, and is under way, is durable.
func TestRestartedInOrder(t *testing.T) {
	_, target, parts := crowded(t, 8)
	r := &reports{}
	applyAll(t, target, parts[:1], apply.Options{})
	release := make(chan struct{})
	target.store.Pipeline().SetAfterSync(func(logpos.Pos) { <-release })
	a := target.applier(r, apply.Options{})
	require.NoError(t, a.Apply(context.Background(), parts[1], false))
	require.NoError(t, a.Apply(context.Background(), &primary.Part{Kind: primary.Restarted}, false))
	r.mu.Lock()
	early := r.n
	r.mu.Unlock()
	close(release)
	require.NoError(t, a.Close())
	require.Zero(t, early)
	require.Equal(t, 2, r.n)
}
