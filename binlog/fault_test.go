package binlog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/logpos"
)

// TestFailingDisk lets the k-th operation on the file system fail, once or
// from then on. The log either answers ErrNoSpace and goes on, or is done for; what was
// acknowledged is there after a restart, with and without a power loss.
func TestFailingDisk(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		forever bool
	}{
		{"EIO once", syscall.EIO, false},
		{"EIO", syscall.EIO, true},
		{"ENOSPC once", syscall.ENOSPC, false},
		{"ENOSPC", syscall.ENOSPC, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k := 1; ; k++ {
				reached, err := faultRun(t, k, c.err, c.forever)
				if err != nil {
					t.Fatalf("operation %d: %v", k, err)
				}
				if !reached {
					t.Logf("%d operations", k-1)
					return
				}
			}
		})
	}
}

// faultRun reports whether there was a k-th operation.
func faultRun(t *testing.T, k int, fault error, forever bool) (reached bool, err error) {
	fs := vfs.NewCrashableMem()
	ops := 0
	o := testOptions(hookFS{fs, func() error {
		ops++
		if ops == k || forever && ops > k {
			return fault
		}
		return nil
	}})
	o.MaxSize, o.PrepareInline = 8<<10, true
	acked, attempted, err := faultLife(o)
	if err != nil && !errors.Is(err, fault) {
		return true, fmt.Errorf("the error does not say what happened: %w", err)
	}
	rng := rand.New(rand.NewPCG(uint64(k), 2))
	for _, disk := range []*vfs.MemFS{fs, fs.CrashClone(vfs.CrashCloneCfg{}), fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng})} {
		o := testOptions(disk)
		o.MaxSize, o.PrepareInline = 8<<10, true
		l, rec, err := Open(o)
		if err != nil {
			return true, fmt.Errorf("restart: %w", err)
		}
		if got := rec.State.MaxSeq(0); got < acked || got > attempted {
			return true, fmt.Errorf("%d transactions after restart, %d acknowledged, %d attempted", got, acked, attempted)
		}
		purged, _ := l.Segments()[0].FirstState.Lookup(0, 1)
		if got := uint64(len(contentsOf(t, l))) + purged; got != rec.State.MaxSeq(0) {
			return true, fmt.Errorf("the log has %d transactions, its state says %v", got, rec.State)
		}
		if err := l.Close(); err != nil {
			return true, err
		}
	}
	return ops >= k, nil
}

// faultLife is what a process does until the fault stops it. The error is nil if
// it did not.
func faultLife(o Options) (acked, attempted uint64, err error) {
	l, _, err := Open(o)
	if err != nil {
		return 0, 0, err
	}
	defer l.Close()
	for n := uint64(1); n <= 40; n++ {
		groups := transaction(n, 700)
		err := l.Reserve(int64(len(groups)))
		if errors.Is(err, ErrNoSpace) {
			if err = l.Reserve(int64(len(groups))); errors.Is(err, ErrNoSpace) {
				return acked, attempted, err // full for ever
			}
		}
		if err != nil {
			return acked, attempted, err
		}
		attempted = n
		if _, _, err := l.Append(groups); err != nil {
			return acked, attempted, err
		}
		if err := l.Sync(); err != nil {
			return acked, attempted, err
		}
		acked = n
		l.SetVisible(l.End())
		if n%15 == 0 {
			l.SetRecoveryStart(logpos.Pos{Segment: l.End().Segment})
			if _, err := l.PurgeTo(l.End().Segment); err != nil && !errors.Is(err, ErrNoSpace) {
				return acked, attempted, err
			}
		}
	}
	return acked, attempted, l.Close()
}
