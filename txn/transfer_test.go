package txn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
)

// Many goroutines move money between accounts and count; others read.
func TestConcurrentTransfers(t *testing.T) {
	t.Run("table", func(t *testing.T) { concurrentTransfers(t, newHarness(t)) })
	t.Run("sets", func(t *testing.T) {
		h := newSpillingHarness(t)
		h.m.locks.SetEscalationMinForTesting(2)
		concurrentTransfers(t, h)
	})
}

func concurrentTransfers(t *testing.T, h *harness) {
	tbl := h.create(accounts())
	const accountsN, workers, rounds = 6, 8, 60
	for i := range accountsN {
		h.load(tbl, acc(i, 100, fmt.Sprint("u", i)))
	}
	h.load(tbl, acc(99, 0, "counter"))
	var commits, retries atomic.Int64
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for i := range 2 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				x := h.begin(Options{Isolation: []Isolation{RepeatableRead, ReadCommitted}[i]})
				for _, index := range []int{-1, byK} {
					sum := int64(0)
					for _, r := range h.scan(x, tbl, index, Snapshot) {
						if r[0].(int64) != 99 {
							sum += r[1].(int64)
						}
					}
					if sum != accountsN*100 {
						t.Errorf("index %d: sum is %d", index, sum)
					}
				}
				x.Rollback()
			}
		}()
	}
	for w := range workers {
		writers.Add(1)
		go func() {
			defer writers.Done()
			rnd := rand.New(rand.NewPCG(uint64(w), 7))
			for range rounds {
				for {
					err := transfer(h, tbl, rnd)
					if err == nil {
						commits.Add(1)
						break
					}
					if !errors.Is(err, ErrDeadlock) && !errors.Is(err, ErrRowChanged) {
						t.Errorf("transfer: %v", err)
						return
					}
					retries.Add(1)
				}
			}
		}()
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	x := h.begin(Options{})
	require.EqualValues(t, commits.Load(), h.get(x, tbl, 99, Snapshot)[1])
	x.Rollback()
	require.Len(t, h.table(tbl), accountsN+1)
	t.Log("commits:", commits.Load(), "retries:", retries.Load(), "waits:", h.m.Stats().LockWaits)
}

func transfer(h *harness, tbl *catalog.Table, rnd *rand.Rand) error {
	x := h.begin(Options{})
	defer x.Rollback()
	from, to := rnd.IntN(6), rnd.IntN(6)
	if from == to {
		to = (to + 1) % 6
	}
	for _, c := range []struct{ id, delta int }{{from, -1}, {to, 1}, {99, 1}} {
		key := rowKey(h, tbl, c.id)
		mode := []ReadMode{Snapshot, LockExclusive, Latest, LockShared}[rnd.IntN(4)]
		before, ok, err := x.Get(ctx, tbl, key, mode, Wait)
		if err == nil && !ok {
			err = fmt.Errorf("row %d is missing", c.id)
		}
		if err != nil {
			return err
		}
		runtime.Gosched() // let others come in between
		v := values(h, tbl, before)
		v[1] = v[1].(int64) + int64(c.delta)
		if err := x.Update(ctx, tbl, key, before, image(h, tbl, v...)); err != nil {
			return err
		}
	}
	_, err := x.Commit(ctx)
	return err
}
