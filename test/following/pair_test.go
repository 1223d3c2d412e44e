package following

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// pair is a MariaDB and a server under test that follows it.
type pair struct {
	primary, replica *peer.Server
	pdb, rdb         *sql.DB
}

// startPair starts both, with the replica following by GTID from the start of the log. args are the primary's.
func startPair(t *testing.T, args ...string) *pair {
	t.Helper()
	p := startApart(t, args...)
	peer.AllowReplication(t, p.pdb)
	peer.Exec(t, p.rdb, peer.ChangeMaster(p.primary, "MASTER_USE_GTID=slave_pos"), "START SLAVE")
	return p
}

// startApart starts both, of which none knows of the other one.
func startApart(t *testing.T, args ...string) *pair {
	t.Helper()
	peer.RequireMariaDB(t)
	p := &pair{
		primary: peer.StartMariaDB(t, peer.Options{Relays: true, Args: append([]string{"--sync-binlog=1"}, args...)}),
		replica: peer.Start(t, peer.Options{ServerID: 2, Relays: true}),
	}
	p.pdb, p.rdb = p.primary.DB(""), p.replica.DB("")
	t.Cleanup(func() {
		_ = p.pdb.Close()
		_ = p.rdb.Close()
	})
	return p
}

// requireEqual waits for the replica, and compares.
func (p *pair) requireEqual(t *testing.T) {
	t.Helper()
	peer.CatchUp(t, p.pdb, p.rdb)
	peer.RequireEqualContent(t, p.pdb, p.rdb)
}

// newSeed is printed, or the one that FOLLOWING_SEED asks for.
func newSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("FOLLOWING_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("FOLLOWING_SEED: %v", err)
		}
	}
	t.Logf("FOLLOWING_SEED=%d", seed)
	return seed
}

// source gives the n-th generator of a seed.
func source(seed uint64, n int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(n))) }
