package following

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// TestKilledReplica kills the replica under load, again and again. It goes on by itself where it was, and loses nothing and applies nothing twice.
func TestKilledReplica(t *testing.T) {
	killed(t, peer.Scaled(10, 100), func(p *pair) *peer.Server { return p.replica })
}

// TestKilledPrimary kills the primary: what is half received is thrown away, and asked for again.
func TestKilledPrimary(t *testing.T) {
	killed(t, peer.Scaled(2, 10), func(p *pair) *peer.Server { return p.primary })
}

func killed(t *testing.T, rounds int, victim func(*pair) *peer.Server) {
	p, seed := startPair(t), newSeed(t)
	rnd := source(seed, -1)
	peer.Exec(t, p.pdb, loadTables...)
	l := startLoad(t, seed, func() string { return p.primary.DSN("") })
	s := victim(p)
	for range rounds {
		l.await(1 + rnd.Int64N(150))
		pause(rnd)
		s.Kill()
		s.Up()
	}
	l.await(100)
	l.end()
	p.requireEqual(t)
	l.requireLedger(t, p.pdb)
	for _, table := range peer.Tables(t, p.rdb) {
		peer.RequireSound(t, p.rdb, table)
	}
}

// pause makes the moment of a kill another one than that of a commit. There is no condition to wait for.
func pause(rnd *rand.Rand) { <-time.After(time.Duration(rnd.IntN(100)) * time.Millisecond) }
