package applying

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
)

var tables = []string{
	"CREATE DATABASE d",
	"CREATE TABLE d.keyed (id INT PRIMARY KEY AUTO_INCREMENT, k INT NOT NULL, c VARCHAR(100), UNIQUE KEY (k, id), KEY (c))",
	"CREATE TABLE d.keyless (k INT, c VARCHAR(100))",
	"CREATE TABLE d.uniquely (k INT NOT NULL, c VARCHAR(100), UNIQUE KEY (k))",
}

// pair are a primary and a replica with the same tables.
func pair(t testing.TB) (source, target *server, from logpos.Pos) {
	source, target = newServer(t, 1), newServer(t, 2)
	source.exec(tables...)
	target.exec("SET sql_log_bin=0")
	target.exec(tables...)
	_, from = source.parts(logpos.At(1, 0))
	return source, target, from
}

var errEnd = errors.New("there are no more")

// applyAll applies parts, and returns when all are committed.
func applyAll(t testing.TB, s *server, parts []*primary.Part, o apply.Options) *reports {
	r := &reports{}
	a := s.applier(r, o)
	next := 0
	require.ErrorIs(t, a.Run(context.Background(), func(context.Context) (*primary.Part, error) {
		if next++; next > len(parts) {
			return nil, errEnd
		}
		return parts[next-1], nil
	}), errEnd)
	require.NoError(t, a.Close())
	return r
}

func requireEqual(t testing.TB, a, b *server) {
	t.Helper()
	for _, table := range []string{"keyed", "keyless", "uniquely"} {
		q := "SELECT * FROM d." + table + " ORDER BY 1, 2"
		require.Equal(t, a.query(q), b.query(q), table)
	}
}

// change makes random changes on the primary.
func change(s *server, rng *rand.Rand, n int) {
	for i := range n {
		id, text := rng.IntN(200), fmt.Sprintf("%x", rng.Uint64N(1<<(8*(1+rng.Uint64N(6)))))
		switch rng.IntN(9) {
		case 0, 1:
			s.exec(fmt.Sprintf("INSERT IGNORE INTO d.keyed (id, k, c) VALUES (%d, %d, '%s')", id+1, id%7, text))
		case 2:
			s.exec(fmt.Sprintf("UPDATE d.keyed SET c='%s', k=k+1 WHERE id BETWEEN %d AND %d", text, id, id+rng.IntN(10)))
		case 3:
			s.exec(fmt.Sprintf("DELETE FROM d.keyed WHERE id=%d", id))
		case 4:
			s.exec(fmt.Sprintf("INSERT INTO d.keyless VALUES (%d, '%s'), (%d, '%s'), (NULL, NULL)", id, text, id, text))
		case 5:
			s.exec(fmt.Sprintf("UPDATE d.keyless SET c=CONCAT(c, 'x') WHERE k > %d LIMIT %d", id, 1+rng.IntN(20)))
		case 6:
			s.exec(fmt.Sprintf("DELETE FROM d.keyless WHERE k < %d LIMIT %d", id, 1+rng.IntN(20)))
		case 7:
			s.exec(fmt.Sprintf("REPLACE INTO d.uniquely VALUES (%d, '%s')", id, text))
		case 8:
			s.exec("BEGIN", fmt.Sprintf("UPDATE d.uniquely SET k=k+1000 WHERE k=%d", id), "SAVEPOINT a", "DELETE FROM d.uniquely WHERE k < 10",
				[]string{"ROLLBACK TO a", "RELEASE SAVEPOINT a"}[i%2], fmt.Sprintf("UPDATE d.keyed SET k=k+2 WHERE id=%d", id), "COMMIT")
		}
	}
}

// TestRows: the rows of a primary's groups, whatever the images, the keys and the order of changes of the same rows, and the position in the log.
func TestRows(t *testing.T) {
	for _, image := range []string{"FULL", "MINIMAL", "NOBLOB"} {
		t.Run(image, func(t *testing.T) {
			source, target, from := pair(t)
			rng := rand.New(rand.NewPCG(1, 2))
			source.exec("SET binlog_row_image=" + image)
			change(source, rng, 400)
			parts, _ := source.parts(from)
			require.NotEmpty(t, parts)
			r := applyAll(t, target, parts, apply.Options{Ahead: image == "MINIMAL"})
			requireEqual(t, source, target)
			last := parts[len(parts)-1].GTID.GTID
			require.Equal(t, last, r.last)
			require.Equal(t, len(parts), r.n)
			require.Equal(t, last.String()+"|", target.query("SELECT @@gtid_slave_pos")[0])
			require.Equal(t, source.query("SELECT @@gtid_binlog_pos"), target.query("SELECT @@gtid_binlog_pos"))
			target.crash()
			requireEqual(t, source, target)
			require.Equal(t, last.String()+"|", target.query("SELECT @@gtid_slave_pos")[0])
		})
	}
}

// TestCrash: after a crash with groups under way the position is exact: what is before it is there, and what follows can be applied.
func TestCrash(t *testing.T) {
	source, target, from := pair(t)
	rng := rand.New(rand.NewPCG(3, 4))
	change(source, rng, 300)
	parts, _ := source.parts(from)
	for next := 0; next < len(parts); {
		r := &reports{}
		a := target.applier(r, apply.Options{})
		for i := range 1 + rng.IntN(60) {
			if next+i < len(parts) {
				require.NoError(t, a.Apply(context.Background(), parts[next+i], false))
			}
		}
		clone := target.crashClone()
		require.NoError(t, a.Close())
		told := r.last
		target.close()
		target.fs = clone
		target.open()
		pos := target.engine.SlavePos()[0]
		require.LessOrEqual(t, pos.Seq, told.Seq)
		for next < len(parts) && parts[next].GTID.GTID.Seq <= pos.Seq {
			next++
		}
	}
	requireEqual(t, source, target)
}
