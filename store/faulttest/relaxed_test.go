package faulttest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/store"
)

// relaxedRun is a store with relaxed durability and a replica that copies its log, until the power
// is lost before the k-th operation on the disk.
type relaxedRun struct {
	syncBinlog uint64
	careless   bool // the replica reads what is not durable: the test must notice
	k          int
	loss       crashfs.Loss
	rng        *rand.Rand
}

// replica copies the log.
type replica struct {
	r      *binlog.Reader
	groups binlog.Groups
	last   uint64 // sequence number of the last transaction that is there completely
}

func (r *replica) copy() error {
	for {
		ev, _, err := r.r.NextNoWait()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		ended, err := r.groups.Next(ev)
		if err != nil {
			return err
		}
		if ended {
			r.last = r.groups.GTID.Seq
		}
	}
}

// run reports whether there was a k-th operation.
func (x *relaxedRun) run() (reached bool, err error) {
	fs := crashfs.New()
	var image *crashfs.FS
	var atCrash uint64
	rep := &replica{}
	ops := 0
	armed := make(chan struct{}, 1) // the hook is called by the engine's goroutines, too
	armed <- struct{}{}
	fs.SetHook(func(crashfs.Op) error {
		<-armed
		defer func() { armed <- struct{}{} }()
		if ops++; ops == x.k {
			atCrash = rep.last
			image = fs.Crash(x.loss, x.rng)
		}
		return nil
	})
	s, err := store.Open(ctx, options(store.Options{FS: fs, SyncBinlog: &x.syncBinlog, SyncInterval: time.Hour}))
	if err != nil {
		return false, err
	}
	open := s.Log().NewDurableReader
	if x.careless {
		open = s.Log().NewReader
	}
	if rep.r, err = open(logpos.Pos{Segment: s.Log().Segments()[0].Segment}); err != nil {
		return false, err
	}
	c := &session{s: s, led: &ledger{fate: map[int]fate{}}}
	c.tables(ctx)
	for n := 1; n <= 20; n++ {
		filler := 0
		if n == 8 || n == 15 {
			filler = 300
		}
		c.transact(ctx, n, filler)
		switch n % 10 {
		case 3:
			c.step("rotate", s.Pipeline().Rotate())
		case 5:
			c.step("checkpoint", s.Checkpoint(ctx))
		case 7:
			c.index(ctx)
		case 2, 8:
			if err := rep.copy(); err != nil {
				return false, err
			}
		}
	}
	if err := rep.r.Close(); err != nil {
		return false, err
	}
	if err := s.Close(); err != nil {
		return false, err
	}
	if len(c.led.log) > 0 {
		return false, fmt.Errorf("%q", c.led.log)
	}
	<-armed
	if image == nil {
		return false, nil
	}
	// An engine that is ahead of the log would be refused.
	recovered, err := store.Open(ctx, options(store.Options{FS: image, VerifyLog: true}))
	if err != nil {
		return true, err
	}
	defer recovered.Close()
	if got := recovered.Log().StateClone().MaxSeq(0); got < atCrash {
		return true, fmt.Errorf("the log has %d transactions, the replica has %d", got, atCrash)
	}
	results, err := recovered.CheckAll(ctx)
	for _, r := range results {
		if !r.OK() {
			err = errors.Join(err, fmt.Errorf("%s: %v", r.Table, r.Problems))
		}
	}
	if err != nil || recovered.Catalog().Current().Table("test", "a") == nil {
		return true, err
	}
	inA, hot, err := rows(ctx, recovered, recovered.Catalog().Current().Table("test", "a"))
	if err != nil {
		return true, err
	}
	for n := 1; n <= 20; n++ {
		if (len(inA[n]) > 0) != (n <= hot) {
			return true, fmt.Errorf("transaction %d, the last one is %d: %v", n, hot, inA[n])
		}
	}
	return true, nil
}

// TestRelaxedDurability: with sync_binlog 0 and N a power loss takes transactions, but never one that the engine's
// files or a replica has.
func TestRelaxedDurability(t *testing.T) {
	step := (stride(t) + 3) / 4
	for _, n := range []uint64{0, 3} {
		runs := 0
		for k := 1; ; k += step {
			rng := rand.New(rand.NewPCG(n, uint64(k)))
			x := &relaxedRun{syncBinlog: n, k: k, rng: rng, loss: crashfs.RandomLoss(rng)}
			if k%2 == 0 {
				x.loss = crashfs.Loss{} // whatever was not synced is gone
			}
			reached, err := x.run()
			require.NoError(t, err, "sync_binlog=%d, crash before operation %d, %+v", n, k, x.loss)
			if !reached {
				break
			}
			runs++
		}
		t.Logf("sync_binlog=%d: %d crashes", n, runs)
	}
}

// TestRelaxedDurabilityNotices: the test can fail.
func TestRelaxedDurabilityNotices(t *testing.T) {
	for k := 1; ; k += 9 {
		x := &relaxedRun{syncBinlog: 0, careless: true, k: k, rng: rand.New(rand.NewPCG(1, uint64(k)))}
		reached, err := x.run()
		if err != nil {
			require.Contains(t, err.Error(), "the replica has")
			return
		}
		require.True(t, reached, "a replica that is ahead was not noticed")
	}
}
