package crash

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/test/peer"
)

func TestKillUnderLoad(t *testing.T) { killUnderLoad(t, peer.Scaled(5, 100)) }

// TestKillProtocols is the same with the other commit protocols.
func TestKillProtocols(t *testing.T) {
	for _, name := range protocol.Names {
		if name != protocol.OneLog {
			t.Run(string(name), func(t *testing.T) { killUnderLoad(t, peer.Scaled(2, 30), "--commit-protocol="+string(name)) })
		}
	}
}

func killUnderLoad(t *testing.T, rounds int, args ...string) {
	if v := os.Getenv("DURAMEN_CRASH_ROUNDS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("DURAMEN_CRASH_ROUNDS: %v", err)
		}
		rounds = n
	}
	seed := uint64(time.Now().UnixNano())
	if v := os.Getenv("DURAMEN_CRASH_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatalf("DURAMEN_CRASH_SEED: %v", err)
		}
		seed = n
	}
	t.Logf("DURAMEN_CRASH_SEED=%d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))

	// Small segments make rotation part of what is interrupted.
	s := peer.Start(t, peer.Options{Args: append([]string{"--max-binlog-size=4194304"}, args...)})
	db := s.DB("")
	peer.Exec(t, db, schema...)
	var writers []*writer
	for i := range 8 {
		writers = append(writers, &writer{id: i, rnd: rand.New(rand.NewPCG(seed, uint64(i)))})
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO crash.counters VALUES (%d, 0)", i))
	}
	for i := range accounts {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO crash.accounts VALUES (%d, 1000)", i))
	}
	_ = db.Close()

	d := &definer{}
	for round := 1; round <= rounds; round++ {
		before := 0
		for _, w := range writers {
			before += w.acked
		}
		prepared, text := s.DB(""), s.DB("", "interpolateParams=true")
		crash := load(prepared, text, writers, d)
		// How long the load runs is drawn; there is no condition to wait for.
		<-time.After(time.Duration(100+rnd.IntN(900)) * time.Millisecond)
		errs := crash(s.Kill)
		// Their connections are broken.
		_, _ = prepared.Close(), text.Close()
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		acked, open := 0, 0
		for _, w := range writers {
			acked += w.acked
			open += w.tried - w.acked
		}
		s.Up()
		check := s.DB("")
		verify(t, check, writers, d)
		_ = check.Close()
		if t.Failed() {
			t.Fatalf("round %d of %d failed", round, rounds)
		}
		t.Logf("round %d: %d transactions acknowledged, %d commits without an answer, %d tables defined", round, acked-before, open, d.acked)
	}
	s.Stop()
}
